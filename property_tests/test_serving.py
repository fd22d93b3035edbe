"""Properties of serving: addresses and lines survive the way there and back, no input stops a reader, and an index that
follows changes path by path is the one made anew.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.knowledge_base.addressing import is_addressable
from grooveseek.serving.hosts import Authority, HostList, parse_host, parse_origin
from grooveseek.serving.stdio import MAX_LINE_BYTES, read_lines, understand
from grooveseek.serving.tools.document import split_lines
from grooveseek.serving.uris import document_path, document_uri, topic_prefix, topic_uri
from grooveseek.settings.sections import Settings
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from tests.support.index_rows import fresh_rows, rows

segments = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/\\"), min_size=1, max_size=8)
paths = st.lists(segments, min_size=1, max_size=4).map("/".join).filter(is_addressable)


@given(paths)
@example("a%2e%2e/b.md")
@example("~x/..y/z..md")
def test_a_path_comes_back_from_its_address(path: str):
    uri = document_uri(path)
    assert document_path(uri) == path
    assert uri.isascii()
    assert " " not in uri


@given(st.lists(segments, min_size=0, max_size=2).map("/".join).filter(lambda p: not p or is_addressable(p)))
def test_a_group_comes_back_from_its_address(prefix: str):
    assert topic_prefix(topic_uri(prefix)) == prefix


@given(
    st.one_of(st.text(), st.text().map("kb://doc/".__add__), st.text(alphabet="%2eEfF./\\a").map("kb://doc/".__add__))
)
def test_whatever_an_address_says_it_names_nothing_outside(uri: str):
    path = document_path(uri)
    assert path is None or is_addressable(path)


@given(st.lists(st.binary(max_size=40), max_size=12), st.lists(st.integers(1, 20), max_size=40))
def test_lines_do_not_depend_on_how_a_stream_is_cut(lines: list[bytes], sizes: list[int]):
    data = b"\n".join(line.replace(b"\n", b"") for line in lines)

    def blocks() -> Iterator[bytes]:
        at = 0
        for size in sizes:
            if at < len(data):
                yield data[at : at + size]
                at += size
        yield from (data[at:],) if at < len(data) else ()

    stream = iter(blocks())
    expected = data.split(b"\n")
    if not expected[-1]:
        expected.pop()
    assert list(read_lines(lambda: next(stream, b""))) == expected


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
almost_messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.sampled_from(["2.0", "1.0", 2]),
        "id": json_values,
        "method": json_values | st.sampled_from(["ping", "tools/call"]),
        "params": json_values,
        "result": json_values,
        "error": json_values,
    },
)


@given(st.binary(max_size=200) | almost_messages.map(lambda value: json.dumps(value).encode()))
@example(b"[" * 100_000)
@example(b'{"a":' * 50_000)
@example(b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}')
def test_every_line_is_a_message_an_error_or_nothing(line: bytes):
    answer = understand(line)
    if isinstance(answer, bytes):
        assert b"\n" not in answer
        error = json.loads(answer)
        assert error["jsonrpc"] == "2.0"
        assert error["error"]["code"] in (-32700, -32600)
    elif answer is None:
        assert not line.strip()
    else:
        assert len(line) <= MAX_LINE_BYTES


@given(st.text(max_size=40))
@example("localhost:3100")
@example("[::1]:1")
def test_a_host_is_malformed_or_has_one_spelling(text: str):
    host = parse_host(text)
    parse_origin(text)
    if host is not None:
        shown = f"[{host.name}]" if ":" in host.name else host.name
        spelled = shown if host.port is None else f"{shown}:{host.port}"
        assert parse_host(spelled) == host
        assert HostList.of([spelled]).admits(host)
        assert HostList((Authority(name=host.name),)).admits(host)


@given(st.text(alphabet="ab\r\n\x0b\x0c\x85\u2028", max_size=40))
def test_lines_put_together_are_the_text(text: str):
    lines = split_lines(text)
    assert "".join(lines) == text
    assert lines
    for line in lines[:-1]:
        assert line.endswith(("\r", "\n"))
        assert "\n" not in line[:-1]


# -- following changes ---------------------------------------------------------------------------------------------

FOLDERS = ("", "a", "a/b", "c")
NAMES = ("x.md", "y.md", "z.txt", ".grooveignored.md")
places = st.builds(
    lambda folder, name: f"{folder}/{name}".lstrip("/"), st.sampled_from(FOLDERS), st.sampled_from(NAMES)
)
texts = st.sampled_from(
    ["# One\n\nalpha\n", "# Two\n\nbeta\n\n## More\n\ngamma\n", "---\ntitle: T\n---\n\ndelta\n", ""]
)


class Followed(RuleBasedStateMachine):
    """A folder that changes, and an index that is told which paths were touched."""

    @initialize()
    def open(self) -> None:
        self.scratch = Path(tempfile.mkdtemp(prefix="groove-followed-"))
        root = self.scratch / "kb"
        for place in ("x.md", "a/x.md", "a/b/y.md", "c/x.md"):
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            (root / place).write_text(f"# Start\n\nwords of {place}\n")
        self.kb = KnowledgeBase(Settings(kb_path=root), embedder=FakeEmbedder(dimension=8))
        self.kb.index()
        self.touched: set[str] = set()

    def teardown(self) -> None:
        if hasattr(self, "kb"):
            self.kb.close()
            shutil.rmtree(self.scratch)

    @property
    def root(self) -> Path:
        return self.kb.root

    @rule(place=places, text=texts)
    def write(self, place: str, text: str) -> None:
        target = self.root / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.is_dir():
            target.write_text(text)
            self.touched.add(place)

    @rule(place=places)
    def delete(self, place: str) -> None:
        target = self.root / place
        if target.is_file():
            target.unlink()
            self.touched.add(place)

    @rule(old=places, new=places)
    def rename(self, old: str, new: str) -> None:
        if (self.root / old).is_file() and not (self.root / new).is_dir():
            (self.root / new).parent.mkdir(parents=True, exist_ok=True)
            (self.root / old).rename(self.root / new)
            self.touched |= {old, new}

    @rule(old=st.sampled_from(FOLDERS[1:]), new=st.sampled_from(["d", "e.md", "g/f"]))
    def move_folder(self, old: str, new: str) -> None:
        if (self.root / old).is_dir() and not (self.root / new).exists():
            (self.root / new).parent.mkdir(parents=True, exist_ok=True)
            (self.root / old).rename(self.root / new)
            self.touched |= {old, new}

    @precondition(lambda self: self.touched)
    @rule()
    def follow(self) -> None:
        self.kb.index_paths(sorted(self.touched))
        self.touched.clear()
        assert rows(self.kb.index_path) == fresh_rows(self.kb, self.scratch)
        summary = self.kb.index()
        assert (summary.indexed, summary.updated, summary.renamed, summary.deleted) == (0, 0, 0, 0)


TestFollowed = pytest.mark.timeout(600)(Followed.TestCase)
TestFollowed.settings = settings(max_examples=25, stateful_step_count=14, deadline=None)
