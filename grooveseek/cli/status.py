"""``groove status``: what the index holds and how it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from grooveseek.cli.options import Invocation, common_options
from grooveseek.cli.output import say, write, write_json
from grooveseek.errors import NoIndex

if TYPE_CHECKING:
    from grooveseek.app import Status


@click.command()
@common_options
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(invocation: Invocation, form: str) -> int:
    """Show what the index holds and how it was made."""
    from grooveseek.app import KnowledgeBase

    with KnowledgeBase(invocation.resolve().settings) as kb:
        try:
            status = kb.status()
        except NoIndex as error:
            say(f"groove: {error}")
            return error.exit_code
    if form == "json":
        write_json(status_as_json(status))
    else:
        write(render_status(status))
    return 0


def status_as_json(status: Status) -> dict[str, Any]:
    """The status as data; what is not known is absent."""
    figures = status.statistics
    result: dict[str, Any] = {
        "index_path": str(status.index_path),
        "index_bytes": status.size_bytes,
        "documents": figures.documents,
        "chunks": figures.chunks,
        "parsers": {
            parser: {"documents": count, "chunks": figures.chunks_by_parser.get(parser, 0)}
            for parser, count in figures.documents_by_parser.items()
        },
        "frontmatter_unparsed": figures.frontmatter_unparsed,
        "tags_unparseable": figures.tags_unparseable,
        "documents_with_notices": figures.documents_with_notices,
        "chunks_passing_quality": figures.chunks_of_quality,
        "chunks_without_vector": figures.chunks_without_vector,
        "chunks_of_several_windows": figures.chunks_of_several_windows,
        "readable_share": round(figures.readable_share, 4),
        "parser_tags": dict(figures.documents_by_parser_tag),
        "model": status.model,
        "context_mode": "static" if status.contextual else "off",
        "declared_fields": list(status.declared_fields),
    }
    if status.chunking_policy is not None:
        result["chunking_policy"] = status.chunking_policy
    if status.last_run is not None:
        result["last_run"] = {"finished_at": status.last_run.finished_at, "seconds": status.last_run.seconds}
    return result


def render_status(status: Status) -> str:
    """The status for a person."""
    figures = status.statistics
    share = f"{figures.chunks_of_several_windows / figures.chunks:.1%}" if figures.chunks else "0.0%"
    rows = [
        ("index", f"{status.index_path} ({status.size_bytes / 1024 / 1024:.1f} MiB)"),
        ("documents", str(figures.documents)),
        ("chunks", f"{figures.chunks} ({figures.chunks_of_quality} pass the quality filter)"),
        ("parsers", ", ".join(f"{name}: {count}" for name, count in figures.documents_by_parser.items()) or "none"),
        ("model", status.model),
        ("context mode", "static" if status.contextual else "off"),
        ("long chunks", f"{share} have more than one window"),
        ("readable", f"{figures.readable_share:.1%} of the letters are in scripts the model reads"),
        ("frontmatter", f"{figures.frontmatter_unparsed} unparsed, {figures.tags_unparseable} with unparseable tags"),
        *((tag, f"{count} documents") for tag, count in figures.documents_by_parser_tag.items()),
    ]
    if status.chunking_policy is not None:
        rows.append(("chunking policy", status.chunking_policy))
    run = status.last_run
    rows.append(("last run", "none completed" if run is None else f"{run.finished_at}, {run.seconds:.1f} s"))
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name.ljust(width)}  {value}\n" for name, value in rows)
