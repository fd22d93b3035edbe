"""``groove search``: one query, its answer as text or JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from grooveseek.cli.options import Invocation, common_options
from grooveseek.cli.output import say, write, write_json
from grooveseek.errors import UsageError

if TYPE_CHECKING:
    from grooveseek.model.hit import Answer, Hit
    from grooveseek.model.query import Filters, SearchRequest

_MODES = ("hybrid", "keyword", "semantic")


# A query may begin with a hyphen ("-draft"), which must not be taken for options: -h would be the help.
@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})
@common_options
@click.argument("query")
@click.option("--limit", type=int, default=10, show_default=True, help="Results at most.")
@click.option("--mode", type=click.Choice(_MODES), default="hybrid", show_default=True, help="Which legs run.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--category", metavar="NAME", help="Only this category.")
@click.option("--topic", metavar="NAME", help="Only this topic.")
@click.option("--path-glob", "path_globs", multiple=True, metavar="GLOB", help="Only these paths; ! in front excludes.")
@click.option("--tag-any", "tags_any", multiple=True, metavar="TAGS", help="Any of these tags; comma or repeat.")
@click.option("--tag-all", "tags_all", multiple=True, metavar="TAGS", help="All of these tags; comma or repeat.")
@click.option("--date-from", metavar="DATE", help="Dated then or later: YYYY-MM-DD or RFC 3339.")
@click.option("--date-to", metavar="DATE", help="Dated then or earlier.")
@click.option("--field", "fields", multiple=True, metavar="NAME=VALUE", help="A declared frontmatter field; repeat.")
@click.option("--symbol-kind", metavar="KIND", help="Only this kind of definition: function, class, ...")
@click.option("--language", metavar="NAME", help="Only source code in this language.")
@click.option("--min-quality", type=float, metavar="0..1", help="Only chunks of this quality.")
@click.option("--include-low-quality", is_flag=True, help="Leave the quality filter off.")
@click.option("--min-confidence-ratio", type=float, metavar="RATIO", help="Top over mean score below which to doubt.")
@click.option("--reranker", metavar="NAME", help="Rerank with this cross-encoder; none leaves it out.")
@click.option("--mmr", type=bool, metavar="BOOL", help="Diversify the results.")
@click.option("--mmr-lambda", type=float, metavar="0..1", help="1 is relevance alone, 0 diversity alone.")
@click.option("--mmr-same-doc-penalty", type=float, metavar="0..1", help="Taken off for a document already picked.")
@click.option("--parent-retriever", type=bool, metavar="BOOL", help="Show a hit with what stands around it.")
@click.option("--explain", is_flag=True, help="Say how each hit came to its place.")
@click.option("--model", metavar="NAME", help="The embedding model the index was made with.")
def command(invocation: Invocation, form: str, reranker: str | None, model: str | None, **parameters: Any) -> int:
    """Search the knowledge base.

    QUERY is words in any script. "..." keeps a phrase together, -word leaves out what holds the word.
    """
    from grooveseek.app import KnowledgeBase
    from grooveseek.retrieval.answer import answer_as_json

    resolved = invocation.resolve({"reranker": reranker, "model": model})
    # naming a reranker decides for this query, whatever rerank_by_default says
    request = _request(parameters, rerank=None if reranker is None else reranker != "none")
    with KnowledgeBase(resolved.settings) as kb:
        answer = kb.search(request)
    for note in answer.notes:
        say(f"note: {note}")
    if form == "json":
        write_json(answer_as_json(answer))
    else:
        write(render_answer(answer, color=invocation.color))
    return 0


def render_answer(answer: Answer, *, color: bool = False) -> str:
    """The answer for a person or a model: blocks separated by ``---``, each with its place in the file."""
    if not answer.hits:
        return "No results.\n"
    blocks = [_render_hit(hit, color=color) for hit in answer.hits]
    if answer.legs.degraded and answer.legs.reason:
        blocks.append(f"({answer.legs.degraded.replace('_', ' ')}: {answer.legs.reason})\n")
    return "---\n".join(blocks)


def _render_hit(hit: Hit, *, color: bool) -> str:
    chunk = hit.chunk
    lines = "" if chunk.start_line is None else f":{chunk.start_line}-{chunk.end_line}"
    place = click.style(f"{hit.path}{lines}", bold=True) if color else f"{hit.path}{lines}"
    trail = " > ".join(chunk.heading_path) or hit.title
    stale = " (the file has changed since it was indexed)" if hit.stale else ""
    head = f"{place}  {trail}  [{hit.score:.4f}]{stale}\n"
    text = _highlight(hit) if color and hit.match_spans else chunk.content
    explained = "" if hit.explanation is None else _render_explanation(hit)
    return f"{head}{explained}\n{text.rstrip()}\n\n"


def _highlight(hit: Hit) -> str:
    data, parts, position = hit.chunk.content.encode("utf-8", "surrogatepass"), [], 0
    for start, end in hit.match_spans or ():
        parts.append(data[position:start].decode("utf-8", "replace"))
        parts.append(click.style(data[start:end].decode("utf-8", "replace"), fg="yellow", bold=True))
        position = end
    return "".join([*parts, data[position:].decode("utf-8", "replace")])


def _render_explanation(hit: Hit) -> str:
    from grooveseek.retrieval.answer import explanation_as_json

    assert hit.explanation is not None
    return "".join(
        f"  {stage}: {json.dumps(figures)}\n" for stage, figures in explanation_as_json(hit.explanation).items()
    )


def _request(parameters: dict[str, Any], *, rerank: bool | None) -> SearchRequest:
    from grooveseek.model.query import Mode, SearchRequest

    filters = _filters(parameters)
    return SearchRequest(
        query=parameters["query"],
        limit=parameters["limit"],
        mode=Mode(parameters["mode"]),
        filters=filters,
        rerank=rerank,
        min_confidence_ratio=parameters["min_confidence_ratio"],
        mmr=parameters["mmr"],
        mmr_lambda=parameters["mmr_lambda"],
        mmr_same_doc_penalty=parameters["mmr_same_doc_penalty"],
        parent_retriever=parameters["parent_retriever"],
        explain=parameters["explain"],
    )


def _filters(parameters: dict[str, Any]) -> Filters:
    from grooveseek.model.query import Filters

    return Filters(
        category=parameters["category"],
        topic=parameters["topic"],
        path_globs=parameters["path_globs"] or None,
        tags_any=_split(parameters["tags_any"]),
        tags_all=_split(parameters["tags_all"]),
        date_from=parameters["date_from"],
        date_to=parameters["date_to"],
        fields=_fields(parameters["fields"]),
        min_quality=parameters["min_quality"],
        include_low_quality=parameters["include_low_quality"],
        symbol_kind=parameters["symbol_kind"],
        language=parameters["language"],
    )


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def _fields(pairs: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    fields: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"--field is {pair!r}. Write it as name=value")
        fields[name] = (*fields.get(name, ()), value)
    return fields
