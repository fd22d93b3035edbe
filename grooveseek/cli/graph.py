"""``groove graph``: what lies near a document, as data or as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from grooveseek.cli.options import Invocation, common_options
from grooveseek.cli.output import write, write_json

if TYPE_CHECKING:
    from grooveseek.graph.walk import Graph

_FORMATS = ("json", "text", "dot", "svg")


@click.command()
@common_options
@click.option("--start", required=True, metavar="PATH", help="The document to start from, as a search names it.")
@click.option("--depth", type=int, default=2, show_default=True, help="Steps from the start, 1 to 3.")
@click.option("--fan-out", type=int, default=5, show_default=True, help="Nearest chunks a step adds to one, 1 to 20.")
@click.option("--min-similarity", type=float, default=0.3, show_default=True, help="Least cosine, 0 to 1.")
@click.option(
    "--seed-strategy",
    type=click.Choice(["all-chunks", "all_chunks", "centroid"]),
    default="all-chunks",
    show_default=True,
    help="Start from every chunk, or from their mean.",
)
@click.option("--max-nodes", type=int, default=100, show_default=True, help="Nodes in all, 1 to 2000.")
@click.option("--max-seed-chunks", type=int, default=32, show_default=True, help="Chunks to start from, 1 to 1000.")
@click.option(
    "--exclude-paths", multiple=True, metavar="PATH", help="Pass over a document, a folder or a glob; repeat."
)
@click.option("--dedup-by-path", is_flag=True, help="Each document once.")
@click.option("--category", metavar="NAME", help="Only this category.")
@click.option("--topic", metavar="NAME", help="Only this topic.")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="text", show_default=True)
def command(invocation: Invocation, form: str, **parameters: Any) -> int:
    """Show which documents lie near one, and which near those.

    dot is for Graphviz, svg a finished picture; `groove graph --start notes/a.md --format svg > a.svg`.
    """
    from grooveseek.app import KnowledgeBase
    from grooveseek.graph.request import GraphRequest
    from grooveseek.graph.walk import walk_graph

    settings = invocation.resolve().settings
    quality = settings.quality_filter
    with KnowledgeBase(settings) as kb:
        store = kb.store()
        store.meta.require_root(kb.root.name)
        request = GraphRequest(**parameters)
        graph = walk_graph(store, request, quality_threshold=quality.threshold if quality.enabled else None)
    if form == "json":
        from grooveseek.graph.report import graph_as_json

        write_json(graph_as_json(graph))
    else:
        write(_render(graph, form, color=invocation.color))
    return 0


def _render(graph: Graph, form: str, *, color: bool) -> str:
    if form == "dot":
        from grooveseek.graph.dot import render_dot

        return render_dot(graph)
    if form == "svg":
        from grooveseek.graph.svg import render_svg

        return render_svg(graph)
    from grooveseek.graph.report import render_text

    return render_text(graph, emphasise=(lambda text: click.style(text, bold=True)) if color else str)
