import io
import json

import pytest
from grooveseek.model.document import (
    Chunk,
    Frontmatter,
    FrontmatterStatus,
    Notice,
    Opaque,
    ParsedDocument,
    TableRow,
)
from grooveseek.parsing.wire import (
    WireError,
    decode,
    document_from_plain,
    document_to_plain,
    encode,
    read_frame,
    write_frame,
)

DOCUMENT = ParsedDocument(
    title="Title – 題",
    chunks=(
        Chunk(
            index=0,
            content="a\tb\n",
            heading="H",
            heading_path=("G", "H"),
            level=2,
            context="G > H",
            start_line=1,
            end_line=2,
            start_byte=0,
            end_byte=4,
            symbol_kind="function",
            scope="s",
            language="rust",
            table_rows=(TableRow(table=0, row=1, start=0, end=3),),
        ),
        Chunk(index=1, content="", table_rows=()),
        Chunk(index=2, content="plain"),
    ),
    frontmatter=Frontmatter(
        title="t",
        date="2026-03-14",
        topic="x",
        depth="y",
        category="z",
        tags=("a", "b"),
        extra={"one": "1", "many": ("1", "2"), "odd": Opaque.VALUE},
        status=FrontmatterStatus.PARSED,
        tags_unparseable=True,
        key_lines={"title": 2},
    ),
    tags_added=("parse:sheet-truncated",),
    notices=(Notice(message="m", line=3), Notice(message="n")),
)


def test_a_document_comes_back_as_it_went() -> None:
    assert document_from_plain(decode(encode(document_to_plain(DOCUMENT)))) == DOCUMENT
    bare = ParsedDocument(title="", chunks=())
    assert document_from_plain(decode(encode(document_to_plain(bare)))) == bare


def test_a_lone_surrogate_does_not_stop_a_document() -> None:
    assert decode(encode({"a": "x\ud800y"})) == {"a": "x?y"}


def test_frames_come_back_one_after_the_other() -> None:
    pipe = io.BytesIO()
    write_frame(pipe, b"first")
    write_frame(pipe, b"")
    write_frame(pipe, bytes(1000))
    pipe.seek(0)
    assert [read_frame(pipe, 1000) for _ in range(3)] == [b"first", b"", bytes(1000)]
    with pytest.raises(WireError, match="ended"):
        read_frame(pipe, 1000)


def test_a_frame_over_the_limit_is_refused_before_it_is_read() -> None:
    pipe = io.BytesIO((1001).to_bytes(8, "big"))
    with pytest.raises(WireError, match="over the cap of 1,000"):
        read_frame(pipe, 1000)


def test_a_frame_cut_short_is_refused() -> None:
    with pytest.raises(WireError, match="ended"):
        read_frame(io.BytesIO((5).to_bytes(8, "big") + b"abc"), 1000)


@pytest.mark.parametrize("payload", [b"", b"{", b"\x80\x04N.", b"[" * 100_000])
def test_what_is_not_json_is_refused(payload: bytes) -> None:
    with pytest.raises(WireError, match="not JSON"):
        decode(payload)


def changed(path: tuple[object, ...], value: object) -> object:
    plain = json.loads(json.dumps(document_to_plain(DOCUMENT)))
    at = plain
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return plain


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("title",), 7),
        (("title",), None),
        (("chunks",), {}),
        (("chunks", 0), "x"),
        (("chunks", 0, "content"), ["x"]),
        (("chunks", 0, "index"), "0"),
        (("chunks", 0, "index"), True),
        (("chunks", 0, "level"), 1.5),
        (("chunks", 0, "heading_path"), "GH"),
        (("chunks", 0, "heading_path"), [1]),
        (("chunks", 0, "table_rows"), [[0, 1, 2]]),
        (("chunks", 0, "table_rows"), [[0, 1, 2, "3"]]),
        (("frontmatter",), []),
        (("frontmatter", "status"), "no such"),
        (("frontmatter", "extra"), {"a": 1}),
        (("frontmatter", "tags"), None),
        (("frontmatter", "key_lines"), {"a": "1"}),
        (("notices",), [["only"]]),
        (("notices",), [[1, 2]]),
        (("tags_added",), "x"),
    ],
)
def test_a_value_of_another_type_is_refused(path: tuple[object, ...], value: object) -> None:
    with pytest.raises(WireError, match="not a document"):
        document_from_plain(changed(path, value))


@pytest.mark.parametrize("raw", [None, 1, [], {}, {"title": "x"}])
def test_what_is_no_document_is_refused(raw: object) -> None:
    with pytest.raises(WireError, match="not a document"):
        document_from_plain(raw)
