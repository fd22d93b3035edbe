"""The search tool. Its answer is the one the command line prints as JSON, with the addresses of what can be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grooveseek.errors import NoIndex, QueryError
from grooveseek.model.hit import Answer, Hit
from grooveseek.model.query import Filters, SearchRequest
from grooveseek.retrieval.answer import answer_as_json
from grooveseek.retrieval.filters import MAX_ITEM_BYTES, MAX_LIMIT, MAX_LIST_ITEMS, MAX_QUERY_BYTES
from grooveseek.serving.schemas import Schema, array, boolean, integer, number, record, text
from grooveseek.serving.served import Served
from grooveseek.serving.tools.spec import Json, Report, ToolSpec
from grooveseek.serving.uris import document_uri

_DEFAULT_LIMIT = 10
_DATE = "YYYY-MM-DD or RFC 3339"


def _texts(description: str, *, lowest: int = 0) -> Schema:
    item = text(f"at most {MAX_ITEM_BYTES} bytes")
    return array(description, item, maxItems=MAX_LIST_ITEMS, **({"minItems": lowest} if lowest else {}))


INPUT = record(
    {
        "query": text(
            f'What to look for, in any language, at most {MAX_QUERY_BYTES} bytes. "..." keeps words together as one '
            "phrase; -word leaves out what holds the word."
        ),
        "limit": integer("Results at most.", 1, MAX_LIMIT, default=_DEFAULT_LIMIT),
        "category": text("Only documents of this category, spelled as list_topics gives it."),
        "topic": text("Only documents of this topic, spelled as list_topics gives it."),
        "path_globs": _texts(
            "Only documents whose path matches one of these globs: * stays within a folder, ** crosses folders, "
            "{a,b} is either. A glob that begins with ! excludes; only such globs mean all documents but those.",
            lowest=1,
        ),
        "tags_any": _texts("Only documents with at least one of these tags."),
        "tags_all": _texts("Only documents with all of these tags."),
        "date_from": text(f"Only documents that their author dated this day or later: {_DATE}."),
        "date_to": text(f"Only documents that their author dated this day or earlier: {_DATE}."),
        "fields": _texts(
            'Only documents whose frontmatter has these values, each written "name=value". Values of one name are '
            "alternatives; different names must all match. The names are those groove-schema.toml declares."
        ),
        "symbol_kind": text("Only source code definitions of this kind, such as function or class."),
        "language": text("Only source code in this language, such as python or rust."),
        "min_quality": number("Only passages of at least this quality; the configured filter is off then.", 0.0, 1.0),
        "include_low_quality": boolean("Also passages that the quality filter leaves out.", default=False),
        "rerank": boolean("Whether to order the results anew with the cross-encoder, if one is configured."),
        "mmr": boolean("Whether to prefer results that differ from one another (maximal marginal relevance)."),
        "mmr_lambda": number("With mmr: 1 is relevance alone, 0 difference alone.", 0.0, 1.0),
        "mmr_same_doc_penalty": number("With mmr: taken off a passage of a document picked already.", 0.0, 1.0),
        "parent_retriever": boolean("Whether to show each result with what stands around it in its document."),
        "min_confidence_ratio": number(
            "Best score over mean score below which the answer is marked low_confidence; 0 turns that off.", 0.0
        ),
    },
    required=["query"],
)

_SPAN = record(
    {"start": integer("Byte where it begins."), "end": integer("Byte behind its end.")},
    description="UTF-8 byte offsets into content; start_byte + start is a position in the file.",
)
_ROW = record(
    {
        "table": integer("Which table of the passage, from 0."),
        "row": integer("Which row of the table, from 0."),
        "start": integer("Byte of content where it begins."),
        "end": integer("Byte of content behind its end."),
    },
    description="Where a table row stands in content, in UTF-8 bytes.",
)
_EXPANSION = record(
    {
        "kind": text("adjacent or whole_document."),
        "from_index": integer("First of the passages put together, counted from 0 in the document."),
        "to_index": integer("Last of the passages put together."),
        "total_chunks": integer("Passages the whole document has."),
    },
    required=["kind"],
    description="How parent_retriever widened content; there when it was on.",
)
_RESULT = record(
    {
        "score": number("Higher is better; comparable within one answer only."),
        "path": text("The document, as get_document takes it. Cite it."),
        "title": text("The document's title."),
        "heading": text("The heading the passage stands under."),
        "category": text("The document's category."),
        "topic": text("The document's topic."),
        "date": text("The date its author gave it."),
        "tags": array("The document's tags.", text("One tag.")),
        "content": text("The passage."),
        "match_spans": array("Where the query's words stand in content.", _SPAN),
        "expanded_from": _EXPANSION,
        "uri": text("Its address as a resource; there when the document can be read."),
        "heading_path": array("The headings the passage stands under, outermost first.", text("One heading.")),
        "start_line": integer("First line in the file, from 1. Cite it."),
        "end_line": integer("Last line in the file."),
        "start_byte": integer("Where content begins in the file."),
        "end_byte": integer("Where content ends in the file, exclusive."),
        "symbol_kind": text("What kind of definition it is, for source code."),
        "scope": text("What the definition stands in, for source code."),
        "language": text("The programming language, for source code."),
        "table_rows": array("The rows of the passage's tables.", _ROW),
        "excerpt": boolean("True when content is only a part of a long passage, around the first match."),
        "stale": boolean("True when the file has changed since it was indexed."),
    },
    required=["score", "path", "title", "tags", "content", "heading_path"],
    description="One passage.",
)
_LEGS = record(
    {
        "vector": record({"candidates": integer("Passages it proposed.")}, description="The search by meaning."),
        "fulltext": record(
            {
                "candidates": integer("Passages it proposed."),
                "dropped_terms": array("Words that could not be searched for.", text("One word.")),
            },
            description="The search by words.",
        ),
        "degraded": {
            "description": "vector_only or fulltext_only when one of the two did not run though it should have, or "
            "null when nothing was missing.",
            "enum": [None, "vector_only", "fulltext_only"],
        },
        "reason": text("Why it is degraded."),
    },
    required=["degraded"],
    description="What each half of the search did.",
)
_APPLIED = record(
    {
        name: {**INPUT["properties"][name], "description": f"{name} as it was given."}
        for name in (
            *("category", "topic", "path_globs", "tags_any", "tags_all", "date_from", "date_to"),
            *("symbol_kind", "language"),
        )
    }
    | {
        "fields": {
            "type": "object",
            "description": "The accepted values of each frontmatter field.",
            "additionalProperties": array("Accepted values.", text("One value.")),
        }
    },
    required=[],
    description="The filters that had an effect.",
)
OUTPUT = record(
    {
        "results": array("Passages, best first.", _RESULT),
        "low_confidence": boolean("True when no result stands out: say so when answering from them."),
        "confidence": number("How likely the knowledge base has an answer.", 0.0, 1.0),
        "legs": _LEGS,
        "filter_applied": _APPLIED,
        "notes": array("What a reader of this answer should know.", text("One sentence.")),
    },
    required=["results", "low_confidence", "confidence", "legs", "filter_applied"],
)


def search(served: Served, arguments: Mapping[str, Any]) -> Json:
    """Answer one search. Raises NoIndex before the first index exists, QueryError for a parameter out of range."""
    try:
        unfinished = served.is_unfinished()  # asked first: it may be finished by the time the answer is there
        answer = served.kb.search(request_from(arguments))
        if unfinished and not answer.hits:
            raise served.not_built_yet()
        result = answer_as_json(answer, uri_of=_addresses(served, answer))
    except NoIndex:
        raise served.not_built_yet() from None
    if unfinished:
        result["notes"] = [
            *result.get("notes", ()),
            f"{served.not_built_yet()}: this answer is from what is there so far",
        ]
    return result


async def search_anywhere(served: Served, arguments: Mapping[str, Any], report: Report) -> Json:
    """As :func:`search`, in one of the server's threads or in a process beside it."""
    if served.searchers is None:
        return await served.workers.run(search, served, arguments)
    return await served.searchers.answer(arguments, lambda: served.workers.run(search, served, arguments))


def request_from(arguments: Mapping[str, Any]) -> SearchRequest:
    """The request that checked arguments make. Raises QueryError for a field that is no ``name=value``."""
    given = dict(arguments)
    filters = Filters(
        category=given.get("category"),
        topic=given.get("topic"),
        path_globs=tuple(given["path_globs"]) if "path_globs" in given else None,
        tags_any=tuple(given.get("tags_any", ())),
        tags_all=tuple(given.get("tags_all", ())),
        date_from=given.get("date_from"),
        date_to=given.get("date_to"),
        fields=_fields(given.get("fields", ())),
        min_quality=given.get("min_quality"),
        include_low_quality=given.get("include_low_quality", False),
        symbol_kind=given.get("symbol_kind"),
        language=given.get("language"),
    )
    return SearchRequest(
        query=given["query"],
        limit=int(given.get("limit", _DEFAULT_LIMIT)),
        filters=filters,
        rerank=given.get("rerank"),
        min_confidence_ratio=given.get("min_confidence_ratio"),
        mmr=given.get("mmr"),
        mmr_lambda=given.get("mmr_lambda"),
        mmr_same_doc_penalty=given.get("mmr_same_doc_penalty"),
        parent_retriever=given.get("parent_retriever"),
    )


def _fields(pairs: list[str]) -> dict[str, tuple[str, ...]]:
    fields: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise QueryError(f'fields has {pair[:80]!r}; write each one as "name=value"')
        fields[name] = (*fields.get(name, ()), value)
    return fields


def _addresses(served: Served, answer: Answer) -> Callable[[Hit], str | None]:
    offered = served.catalog.offered(frozenset(hit.path for hit in answer.hits))
    return lambda hit: document_uri(hit.path) if hit.path in offered else None


TOOL = ToolSpec(
    name="search",
    title="Search the knowledge base",
    description="Search the knowledge base by meaning and by words. Gives the passages that answer best, each with the "
    "path and lines of its document. Filters narrow the search before it ranks, so a filtered search misses nothing.",
    input_schema=INPUT,
    output_schema=OUTPUT,
    run=search_anywhere,
)
