"""Failure cases of other tools, at the parser's level: headings by byte, spans, trails, metadata, notices."""

from __future__ import annotations

import json
import runpy
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from grooveseek.model.document import Chunk, FrontmatterStatus, ParsedDocument
from grooveseek.parsing.blocks import lay_out
from grooveseek.parsing.frontmatter import read_frontmatter
from grooveseek.parsing.markdown import MarkdownParser
from grooveseek.parsing.sections import read_sections
from grooveseek.parsing.source import Source

CASES = Path(__file__).parents[1] / "cases"


def expected(case: str) -> Any:
    return json.loads((CASES / case / "expect.json").read_text(encoding="utf-8"))


def data_of(case: str, name: str) -> bytes:
    return (CASES / case / "kb" / name).read_bytes()


def parse(data: bytes, name: str = "note.md") -> ParsedDocument:
    return MarkdownParser(1600).parse(data, name)


def headings(data: bytes) -> list[tuple[int, int | None, str | None]]:
    """(byte of the heading's line, level, text) of each."""
    source = Source.decode(data)
    matter = read_frontmatter(source)
    layout = lay_out(source.text[matter.body :])
    sections = list(read_sections(source, layout, matter.body, matter.rule_line))[1:]
    return [
        (source.byte_at(source.line_start(source.line_at(each.own_text[0]))), each.level, each.heading)
        for each in sections
    ]


def chunk_at(document: ParsedDocument, data: bytes, span: list[int], word: str) -> Chunk:
    """The one chunk that a span of the file lies in, its content there being the word."""
    start, end = span
    assert data[start:end].decode().casefold() == word.casefold()
    holding = [each for each in document.chunks if each.start_byte <= start and end <= each.end_byte]
    assert len(holding) == 1, f"{word} is in {len(holding)} chunks"
    inside = holding[0].content.encode()[start - holding[0].start_byte : end - holding[0].start_byte]
    assert inside.decode().casefold() == word.casefold()
    return holding[0]


def made(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder a case's make.py writes."""
    monkeypatch.setattr(sys, "argv", ["make.py", str(tmp_path / case)])
    runpy.run_path(str(CASES / case / "make.py"))
    return tmp_path / case


def test_c01_fence_content_is_never_a_heading() -> None:
    data, expect = data_of("C01", "fences.md"), expected("C01")
    assert headings(data) == [(each["byte"], each["level"], each["text"]) for each in expect["headings"]]
    document = parse(data)
    for word, trail in expect["ghost_paths"].items():
        assert " > ".join(chunk_at(document, data, expect["ghost_spans"][word], word).heading_path) == trail


def test_c03_html_blocks_hold_no_headings() -> None:
    data, expect = data_of("C03", "html.md"), expected("C03")
    found = headings(data)
    assert [at for at, _, _ in found] == expect["heading_bytes"]
    assert [text for _, _, text in found] == ["Visible", "Important part", "After Div", "Real After Comment"]
    document = parse(data)
    trails = {word: chunk_at(document, data, span, word).heading_path for word, span in expect["probe"].items()}
    assert trails == {
        "basalt": ("Visible", "Important part"),
        "schist": ("Visible", "Real After Comment"),
        "gneiss": ("Visible",),  # text in a comment is indexed, under the heading it stands under
    }


def test_c05_trails_follow_levels_and_no_text_is_lost() -> None:
    data, expect = data_of("C05", "levels.md"), expected("C05")
    document = parse(data)
    for word, span in expect["spans"].items():
        assert " > ".join(chunk_at(document, data, span, word).heading_path) == expect["paths"][word]
    empty = chunk_at(document, data, expect["spans"]["Empty Section"], "Empty Section")
    assert [empty.start_byte, empty.end_byte] == expect["spans"]["Empty Section"]


def test_c07_byte_order_marks_and_line_ends_shift_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made("C07", tmp_path, monkeypatch)
    documents = {}
    for name, expect in expected("C07").items():
        data = (folder / name).read_bytes()
        assert len(data) == expect["size"]
        documents[name] = parse(data, name)
        for word in {"zebu", "okapi"} & expect.keys():
            chunk_at(documents[name], data, expect[word], word)

    texts = {name: [text for _, _, text in headings((folder / name).read_bytes())] for name in documents}
    assert texts == {
        "bom_heading.md": ["First Heading", "Second"],
        "bom_matter.md": ["Body Heading"],
        "crlf.md": ["First", "Second"],
        "bom_crlf.md": ["First"],
        "mixed.md": ["First", "Second"],
        "setext_crlf.md": ["Top Title"],
        "cr_only.md": ["First", "Second"],  # a lone CR ends a line, as in CommonMark
    }
    for name, title in {"bom_matter.md": "Bom Note", "crlf.md": "Crlf Note", "bom_crlf.md": "Both Note"}.items():
        assert documents[name].title == title
        assert documents[name].frontmatter.extra == {"status": "real"}


def test_c09_every_phrase_is_in_a_chunk() -> None:
    for phrase, expect in expected("C09")["probe"].items():
        data = data_of("C09", expect["file"])
        chunk_at(parse(data, expect["file"]), data, expect["span"], phrase)


def test_c09_only_mappings_are_metadata() -> None:
    names = sorted(path.name for path in (CASES / "C09" / "kb").iterdir())
    documents = {name: parse(data_of("C09", name), name) for name in names}
    assert len(documents) == 13
    matter = documents["k_dashes_inside.md"].frontmatter
    assert matter.title == "a --- b"
    assert matter.extra == {"note": "above\n---\nbelow\n", "status": "real"}
    assert documents["i_trailing_space.md"].title == "Trailing"
    assert documents["h_dots_end.md"].title == "Dots"  # `...` closes
    parsed = {name for name, each in documents.items() if each.frontmatter.status is FrontmatterStatus.PARSED}
    assert parsed == {"e_empty.md", "h_dots_end.md", "i_trailing_space.md", "k_dashes_inside.md"}
    for name in documents.keys() - parsed:
        assert documents[name].frontmatter.extra == {}
        assert documents[name].frontmatter.title is None


def test_c09_broken_blocks_are_reported_with_their_line_and_the_others_are_not() -> None:
    noticed = {}
    for path in sorted((CASES / "C09" / "kb").iterdir()):
        if notices := parse(path.read_bytes(), path.name).notices:
            noticed[path.name] = [each.line for each in notices]
    assert noticed == {"b_letterhead.md": [2], "l_bad_yaml.md": [2]}


def test_c09_lines_over_a_closing_fence_are_no_headings() -> None:
    never = set(expected("C09")["never_headings"])
    texts = [text for path in (CASES / "C09" / "kb").iterdir() for _, _, text in headings(path.read_bytes())]
    assert not never & set(texts)
    assert {"Head Six", "Head Seven", "Head Eleven", "Head Twelve"} <= set(texts)
    assert "walrus three" not in texts
    assert not any(text and "ACME" in text for text in texts)


def test_c11_repeated_keys_are_reported_by_path_and_line() -> None:
    dup = parse(data_of("C11", "dup.md"))
    assert [(each.message.split('"')[1], each.line) for each in dup.notices] == [
        (each["key"], each["line_in_file"]) for each in expected("C11")["dup.md"]
    ]
    assert dup.title == "Second Title"
    assert "quokka" in dup.chunks[0].content
    merge = parse(data_of("C11", "merge.md"))
    assert merge.notices == ()
    assert "bilby" in merge.chunks[0].content


@pytest.mark.parametrize(("name", "word", "line"), [("bomb.md", "potoroo", 7), ("cycle.md", "possum", 4)])
def test_c13_exploding_and_circular_metadata_is_refused(name: str, word: str, line: int) -> None:
    tracemalloc.start()
    document = parse(data_of("C13", name), name)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000
    assert document.frontmatter.status is FrontmatterStatus.UNPARSED
    assert document.frontmatter.extra == {}
    assert [each.line for each in document.notices] == [line]
    assert any(word in each.content for each in document.chunks)
    assert sum(len(each.content) for each in document.chunks) < 500


def test_c13_a_plain_file_beside_them_is_read() -> None:
    assert "wombat" in parse(data_of("C13", "ok.md")).chunks[0].content


@pytest.mark.parametrize(("name", "key"), [("c", "Résumé-c.md stored NFC"), ("d", "Résumé-d.md stored NFD")])
def test_c15_spellings_are_kept_as_they_are(
    name: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = [each for each in made("C15", tmp_path, monkeypatch).iterdir() if each.name.endswith(f"-{name}.md")]
    data = path.read_bytes()
    document = parse(data, path.name)
    for start, end in expected("C15")[key].values():
        (chunk,) = document.chunks
        assert chunk.content.encode()[start - chunk.start_byte : end - chunk.start_byte] == data[start:end]


def test_c39_files_without_a_word_have_no_chunk() -> None:
    counts = {path.name: len(parse(path.read_bytes(), path.name).chunks) for path in (CASES / "C39" / "kb").iterdir()}
    assert counts == {
        **dict.fromkeys(("empty.md", "spaces.md", "rules.md", "punct.md", "empty_fence.md", "zwsp.md"), 0),
        **dict.fromkeys(("head_only.md", "matter_only.md", "real.md", "comment_only.md", "image_only.md"), 1),
    }


def test_c39_a_lone_heading_and_a_lone_title_are_their_own_text() -> None:
    (heading,) = parse(data_of("C39", "head_only.md")).chunks
    assert (heading.content, heading.start_byte, heading.end_byte) == ("Lonely Heading", 2, 16)
    (title,) = parse(data_of("C39", "matter_only.md")).chunks
    assert (title.content, title.start_byte, title.end_byte) == ("Only Matter Here", 11, 27)
    assert (title.heading, title.context) == (None, "Only Matter Here")
