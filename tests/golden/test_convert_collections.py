"""Test collections become knowledge bases whose qrels name files that exist."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

SCRIPT = Path(__file__).parents[2] / "golden" / "convert_collections.py"
SHARED = Path(__file__).parents[2] / "../shared/collections"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("golden_convert_collections", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


convert_collections = _load()

DOCS = [
    {
        "id": "7",
        "title": 'Sorting "in place"',
        "author": "Ada, A.",
        "venue": "CACM May, 1961",
        "text": "",
        "keywords": "",
    },
    {"id": "x-2", "title": "Wings: a study", "author": "", "text": "# lift\nof a wing .", "keywords": "lift, drag"},
    {"id": "9", "title": "", "author": "", "text": "", "keywords": ""},
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "docs.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in DOCS), encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"id": "1", "text": "how to\\tsort\\n things"}\n\n', encoding="utf-8")
    (folder / "qrels.txt").write_text("1 0 7 3\n1 0 x-2 0\n", encoding="utf-8")
    return folder


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_document_becomes_one_file_with_its_fields(source: Path, tmp_path: Path) -> None:
    convert_collections.convert("cacm", source, tmp_path / "out" / "kb")
    files = _files(tmp_path / "out" / "kb")
    assert sorted(files) == ["part-00/7.md", "part-00/9.md", "part-00/x-2.md"]
    assert files["part-00/x-2.md"].decode() == (
        '---\ntitle: "Wings: a study"\nsource_id: "x-2"\n---\n\n# Wings: a study\n\n\\# lift\nof a wing .\n'
    )
    header = files["part-00/7.md"].decode().split("---\n")[1]
    assert yaml.safe_load(header) == {
        "title": 'Sorting "in place"',
        "author": "Ada, A.",
        "venue": "CACM May, 1961",
        "source_id": "7",
    }


def test_a_document_with_only_a_title_has_it_as_its_text(source: Path, tmp_path: Path) -> None:
    convert_collections.convert("cacm", source, tmp_path / "kb")
    text = (tmp_path / "kb/part-00/7.md").read_text(encoding="utf-8")
    assert text.endswith('# Sorting "in place"\n\nSorting "in place"\n')
    assert (tmp_path / "kb/part-00/9.md").read_text(encoding="utf-8") == '---\nsource_id: "9"\n---\n'


def test_queries_and_qrels_lie_beside_the_base_and_name_its_paths(source: Path, tmp_path: Path) -> None:
    done = convert_collections.convert("cacm", source, tmp_path / "out" / "kb")
    beside = {name: data.decode() for name, data in _files(tmp_path / "out").items() if not name.startswith("kb/")}
    assert beside == {
        "cacm-queries.tsv": "1\thow to sort things\n",
        "cacm-qrels.txt": "1 0 part-00/7.md 3\n1 0 part-00/x-2.md 0\n",
    }
    assert (done.documents, done.empty, done.queries, done.judgements) == (3, 1, 1, 2)


def test_the_same_source_gives_the_same_bytes(source: Path, tmp_path: Path) -> None:
    convert_collections.convert("cacm", source, tmp_path / "a" / "kb")
    convert_collections.convert("cacm", source, tmp_path / "b" / "kb")
    assert _files(tmp_path / "a") == _files(tmp_path / "b")


def test_folders_hold_at_most_two_hundred_files() -> None:
    paths = [convert_collections.article_path(position, str(position)) for position in range(401)]
    assert paths[0] == "part-00/0.md"
    assert paths[199] == "part-00/199.md"
    assert paths[200] == "part-01/200.md"
    assert paths[400] == "part-02/400.md"


def test_keywords_are_added_only_when_asked_for(source: Path, tmp_path: Path) -> None:
    convert_collections.convert("cacm", source, tmp_path / "with" / "kb", with_keywords=True)
    text = (tmp_path / "with/kb/part-00/x-2.md").read_text(encoding="utf-8")
    assert text.endswith("of a wing .\n\nKeywords: lift, drag\n")


@pytest.mark.parametrize("line", ["# a", "---", "===", "```x", "~~~", "> q", "<div>", "  ## b"])
def test_no_line_of_an_abstract_turns_into_markup(line: str) -> None:
    article = convert_collections.Article(id="1", title="", author="", venue="", keywords="", text=f"one\n{line}")
    last = convert_collections.render_article(article).splitlines()[-1]
    assert last.lstrip(" ").startswith("\\")
    assert last.replace("\\", "", 1) == line


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("docs.jsonl", '{"id": "1"}\n{"id": "1"}\n', "'1' occurs twice"),
        ("docs.jsonl", '{"id": "../x"}\n', "line 1: '../x' cannot be a file name"),
        ("docs.jsonl", "{]\n", "line 1: not JSON"),
        ("docs.jsonl", '{"id": 3}\n', "values are strings"),
        ("queries.jsonl", '{"id": "1", "text": " "}\n', "'text' is missing or empty"),
        ("qrels.txt", "1 0 8 1\n", "document '8' is not in docs.jsonl"),
        ("qrels.txt", "1 0 7\n", "line 1: expected 'query 0 document grade'"),
    ],
)
def test_a_faulty_source_is_refused_by_file_and_line(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, content: str, said: str
) -> None:
    (source / file).write_text(content, encoding="utf-8")
    assert convert_collections.main(["cacm", str(source), str(tmp_path / "kb")]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert file in error
    assert not (tmp_path / "kb").exists()


def test_a_folder_with_content_is_not_written_into(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb/mine.md").write_text("mine", encoding="utf-8")
    assert convert_collections.main(["cacm", str(source), str(tmp_path / "kb")]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert _files(tmp_path / "kb") == {"mine.md": b"mine"}


@pytest.mark.parametrize(("name", "documents", "queries"), [("cacm", 3204, 52), ("cranfield", 1400, 225)])
def test_the_real_collections_convert_completely(tmp_path: Path, name: str, documents: int, queries: int) -> None:
    if not (SHARED / name).is_dir():
        pytest.skip(f"the {name} collection is not beside this repository")
    done = convert_collections.convert(name, SHARED / name, tmp_path / "kb")
    assert (done.documents, done.queries) == (documents, queries)
    judged = {line.split()[2] for line in (tmp_path / f"{name}-qrels.txt").read_text(encoding="utf-8").splitlines()}
    assert all((tmp_path / "kb" / path).is_file() for path in judged)
