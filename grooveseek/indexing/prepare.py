"""From a file's bytes to the records the store takes, all but the vectors."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from grooveseek.embedding.protocol import Embedder
from grooveseek.errors import Unparsable
from grooveseek.model.document import Chunk, FieldValue, Frontmatter, FrontmatterStatus, ParsedDocument
from grooveseek.parsing import quality
from grooveseek.parsing.protocol import FileKind, Parser
from grooveseek.store.records import DocumentRecord
from grooveseek.text.scripts import count_readable

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedChunk:
    """A chunk with everything but its vectors. ``windows`` are the texts to embed, in order; none: nothing to embed."""

    chunk: Chunk
    token_count: int
    quality: float
    is_boilerplate: bool
    letters: int
    readable: int
    input_hash: bytes
    windows: tuple[str, ...]
    indexed_context: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDocument:
    """A document ready to be embedded and written."""

    record: DocumentRecord
    chunks: tuple[PreparedChunk, ...]


def content_hash(data: bytes) -> bytes:
    """SHA-256 of a file's bytes."""
    return hashlib.sha256(data).digest()


def parse_guarded(parser: Parser, data: bytes, path: str) -> ParsedDocument:
    """Parse one file; whatever goes wrong inside the parser costs this file alone. Raises Unparsable."""
    try:
        return parser.parse(data, path)
    except Unparsable:
        raise
    except (Exception, RecursionError) as error:
        raise Unparsable(f"the {parser.id} parser failed ({type(error).__name__}: {error})") from error


def prepare(
    parsed: ParsedDocument,
    parser: Parser,
    embedder: Embedder,
    *,
    path: str,
    data_hash: bytes,
    size_bytes: int,
    mtime_ns: int,
    contextual: bool,
) -> PreparedDocument:
    """Work out a parsed document's records and embedding inputs."""
    front = parsed.frontmatter
    record = DocumentRecord(
        path=path,
        title=_storable(parsed.title),
        content_hash=data_hash,
        size_bytes=size_bytes,
        mtime_ns=mtime_ns,
        parser=parser.id,
        category=_storable_or_none(front.category),
        topic=_storable_or_none(front.topic),
        depth=_storable_or_none(front.depth),
        date=_storable_or_none(front.date),
        tags=tuple(map(_storable, front.tags)),
        parser_tags=parsed.tags_added,
        frontmatter_unparsed=front.status is FrontmatterStatus.UNPARSED,
        tags_unparseable=front.tags_unparseable,
        is_source=parser.kind is FileKind.CODE,
        notices=tuple(replace(notice, message=_storable(notice.message)) for notice in parsed.notices),
        fields=filterable_fields(front),
    )
    chunks = tuple(_prepare_chunk(chunk, parser, embedder, contextual=contextual) for chunk in parsed.chunks)
    return PreparedDocument(record=record, chunks=chunks)


def prepare_stored(
    record: DocumentRecord, chunks: Sequence[Chunk], parser: Parser, embedder: Embedder, *, contextual: bool
) -> PreparedDocument:
    """Prepare a document again from what an index holds of it, when its file cannot be read."""
    prepared = tuple(_prepare_chunk(chunk, parser, embedder, contextual=contextual) for chunk in chunks)
    return PreparedDocument(record=record, chunks=prepared)


def embedding_input(chunk: Chunk, *, contextual: bool) -> str:
    """The text a chunk's vectors are made from: its content, behind its breadcrumb in contextual mode."""
    return f"{chunk.context}\n\n{chunk.content}" if contextual and chunk.context else chunk.content


def filterable_fields(front: Frontmatter) -> Mapping[str, tuple[str, ...]]:
    """Every frontmatter value that is text, by key: what ``--field`` may ask for once the key is declared."""
    own: dict[str, FieldValue | None] = {
        "title": front.title,
        "date": front.date,
        "topic": front.topic,
        "depth": front.depth,
        "category": front.category,
        "tags": front.tags,
    }
    fields: dict[str, tuple[str, ...]] = {}
    for name, value in (*own.items(), *front.extra.items()):
        if isinstance(value, str):
            fields[_storable(name)] = (_storable(value),)
        elif isinstance(value, tuple) and value:
            fields[_storable(name)] = tuple(map(_storable, value))
    return fields


def _prepare_chunk(parsed: Chunk, parser: Parser, embedder: Embedder, *, contextual: bool) -> PreparedChunk:
    chunk = _storable_chunk(parsed)
    text = embedding_input(chunk, contextual=contextual)
    letters, readable = count_readable(chunk.content, embedder.scripts)
    ranges = embedder.windows(text) if any(map(str.isalnum, text)) else []
    return PreparedChunk(
        chunk=chunk,
        token_count=embedder.count_tokens(chunk.content),
        quality=quality.score(chunk.content, parser.profile(is_definition=chunk.symbol_kind is not None)),
        is_boilerplate=quality.is_boilerplate(chunk.content),
        letters=letters,
        readable=readable,
        input_hash=hashlib.sha256(text.encode()).digest(),
        windows=tuple(text[start:end] for start, end in ranges),
        indexed_context=chunk.context if contextual else "",
    )


def _storable_chunk(chunk: Chunk) -> Chunk:
    """The chunk, without halves of surrogate pairs: an extractor can hand them over, and no UTF-8 file can hold one."""
    texts = (chunk.content, chunk.context, chunk.heading or "", chunk.scope or "", *chunk.heading_path)
    if not any(map(_LONE_SURROGATE.search, texts)):
        return chunk
    return replace(
        chunk,
        content=_storable(chunk.content),
        context=_storable(chunk.context),
        heading=_storable_or_none(chunk.heading),
        heading_path=tuple(map(_storable, chunk.heading_path)),
        scope=_storable_or_none(chunk.scope),
    )


def _storable(text: str) -> str:
    """U+FFFD for half a surrogate pair, which YAML can spell too. It has as many bytes, so offsets stay right."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def _storable_or_none(text: str | None) -> str | None:
    return None if text is None else _storable(text)
