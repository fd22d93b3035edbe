"""From a parsed document to the records of the store."""

from __future__ import annotations

import hashlib

import pytest
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.errors import Unparsable
from grooveseek.indexing.prepare import (
    PreparedDocument,
    embedding_input,
    filterable_fields,
    parse_guarded,
    prepare,
    prepare_stored,
)
from grooveseek.model.document import Chunk, Frontmatter, FrontmatterStatus, Notice, Opaque, ParsedDocument, TableRow
from grooveseek.parsing.protocol import Parser
from grooveseek.parsing.registry import Registry
from grooveseek.settings.sections import Settings


@pytest.fixture
def parser() -> Parser:
    found = Registry.from_settings(Settings()).parser_for("a.md")
    assert found is not None
    return found


def prepared(
    parser: Parser, *chunks: Chunk, contextual: bool = True, window: int = 256, **parts: object
) -> PreparedDocument:
    parsed = ParsedDocument(title="Title", chunks=chunks, **parts)  # type: ignore[arg-type]
    return prepare(
        parsed,
        parser,
        FakeEmbedder(window=window),
        path="a.md",
        data_hash=b"hash",
        size_bytes=5,
        mtime_ns=7,
        contextual=contextual,
    )


def test_the_embedding_input_is_the_content_behind_its_breadcrumb():
    chunk = Chunk(index=0, content="Paint it.", context="Boats > Hull")
    assert embedding_input(chunk, contextual=True) == "Boats > Hull\n\nPaint it."
    assert embedding_input(chunk, contextual=False) == "Paint it."
    assert embedding_input(Chunk(index=0, content="Paint it."), contextual=True) == "Paint it."


def test_a_chunks_figures(parser: Parser):
    made = prepared(parser, Chunk(index=0, content="Paint the hull twice 塗る", context="Boats"))
    (chunk,) = made.chunks
    assert (chunk.token_count, chunk.letters, chunk.readable) == (5, 19, 19)
    assert chunk.input_hash == hashlib.sha256("Boats\n\nPaint the hull twice 塗る".encode()).digest()
    assert chunk.windows == ("Boats\n\nPaint the hull twice 塗る",)
    assert chunk.indexed_context == "Boats"
    (plain,) = prepared(parser, chunk.chunk, contextual=False).chunks
    assert (plain.windows, plain.indexed_context) == (("Paint the hull twice 塗る",), "")


def test_a_long_chunk_has_windows_that_cover_it(parser: Parser):
    text = " ".join(f"word{number}" for number in range(100))
    (chunk,) = prepared(parser, Chunk(index=0, content=text), window=32).chunks
    assert len(chunk.windows) > 3
    assert {word for window in chunk.windows for word in window.split()} == set(text.split())


@pytest.mark.parametrize("content", ["", "   ", "…", "---", "🎉", "\u200b"])
def test_a_chunk_that_says_nothing_has_nothing_to_embed(parser: Parser, content: str):
    (chunk,) = prepared(parser, Chunk(index=0, content=content), contextual=False).chunks
    assert chunk.windows == ()


def test_halves_of_surrogate_pairs_become_characters_of_the_same_length(parser: Parser):
    rows = (TableRow(table=0, row=0, start=0, end=5),)
    bad = Chunk(
        index=0,
        content="a\ud800b|c",
        heading="h\udfff",
        heading_path=("h\udfff",),
        context="\ud800",
        scope="\udc00",
        table_rows=rows,
    )
    front = Frontmatter(
        title="t\ud800", topic="\ud800", tags=("x\udcff",), extra={"k\ud800": "v\ud800"}, date="2026\ud800"
    )
    made = prepared(parser, bad, frontmatter=front, notices=(Notice(message="about \ud800", line=1),))
    (chunk,) = made.chunks
    assert chunk.chunk.content == "a\ufffdb|c"
    assert len("a\ud800b|c".encode("utf-8", "surrogatepass")) == len(chunk.chunk.content.encode())
    assert chunk.chunk.table_rows == rows
    for text in (
        *(chunk.chunk.heading, *chunk.chunk.heading_path, chunk.chunk.context, chunk.chunk.scope, *chunk.windows),
        *(made.record.topic, made.record.date, *made.record.tags, made.record.notices[0].message),
        *(name + "".join(values) for name, values in made.record.fields.items()),
    ):
        assert text is not None
        text.encode()


def test_every_text_of_the_frontmatter_can_be_filtered_on():
    front = Frontmatter(
        title="Hull",
        date="2026-03-14",
        tags=("a", "b"),
        extra={"status": "done", "owners": ("Ada", "Bob"), "nested": Opaque.VALUE, "none": ()},
    )
    assert filterable_fields(front) == {
        "title": ("Hull",),
        "date": ("2026-03-14",),
        "tags": ("a", "b"),
        "status": ("done",),
        "owners": ("Ada", "Bob"),
    }


def test_the_record_carries_what_the_parser_said(parser: Parser):
    front = Frontmatter(category="c", topic="t", depth="d", status=FrontmatterStatus.UNPARSED, tags_unparseable=True)
    record = prepared(parser, frontmatter=front, tags_added=("parse:x",), notices=(Notice(message="m", line=2),)).record
    assert (record.path, record.title, record.content_hash, record.size_bytes, record.mtime_ns) == (
        "a.md",
        "Title",
        b"hash",
        5,
        7,
    )
    assert (record.category, record.topic, record.depth, record.parser) == ("c", "t", "d", "md")
    assert (record.frontmatter_unparsed, record.tags_unparseable, record.is_source) == (True, True, False)
    assert (record.parser_tags, record.notices) == (("parse:x",), (Notice(message="m", line=2),))


def test_what_is_prepared_from_the_index_is_what_was_prepared_from_the_file(parser: Parser):
    chunks = (Chunk(index=0, content="Paint it.", context="Boats"), Chunk(index=1, content="…"))
    made = prepared(parser, *chunks)
    assert prepare_stored(made.record, chunks, parser, FakeEmbedder(), contextual=True) == made


class BrokenParser:
    id = "broken"

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def parse(self, data: bytes, path: str) -> ParsedDocument:
        raise self._error


@pytest.mark.parametrize(
    "error", [ValueError("odd"), RecursionError("too deep"), MemoryError(), KeyError("x"), AssertionError()]
)
def test_whatever_goes_wrong_in_a_parser_costs_its_file_alone(error: Exception):
    with pytest.raises(Unparsable, match=f"the broken parser failed \\({type(error).__name__}"):
        parse_guarded(BrokenParser(error), b"", "a.x")  # type: ignore[arg-type]


def test_what_a_parser_says_itself_is_kept():
    with pytest.raises(Unparsable, match=r"^encrypted$"):
        parse_guarded(BrokenParser(Unparsable("encrypted")), b"", "a.x")  # type: ignore[arg-type]


def test_an_interrupt_is_no_parsers_failure():
    with pytest.raises(KeyboardInterrupt):
        parse_guarded(BrokenParser(KeyboardInterrupt()), b"", "a.x")  # type: ignore[arg-type]
