"""``groove serve``: the MCP server, over stdio or HTTP."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NoReturn

import click

from grooveseek.cli.main import leave
from grooveseek.cli.options import Invocation, common_options
from grooveseek.cli.output import say
from grooveseek.errors import NoIndex, UsageError
from grooveseek.settings.address import is_loopback, split_address

if TYPE_CHECKING:
    from grooveseek.app import KnowledgeBase
    from grooveseek.serving.searchers import Searchers
    from grooveseek.serving.stdio import Wire
    from grooveseek.settings.effective import Resolved
    from grooveseek.settings.sections import Settings

_ON_THIS_MACHINE = ("local", "fastembed")


@click.command()
@common_options
@click.option("--transport", type=click.Choice(["stdio", "http"]), help="How clients speak to it; default stdio.")
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="N", help="Port of the HTTP transport; 0 takes a free one."
)
@click.option("--bind", metavar="ADDR:PORT", help="Address and port of the HTTP transport.")
@click.option(
    "--i-know", is_flag=True, help="Allow an address that other machines reach. Nobody is asked who they are."
)
@click.option("--no-watch", is_flag=True, help="Do not follow changes in the folder.")
@click.option("--debounce-ms", type=int, metavar="MS", help="How long a burst of changes is gathered.")
def command(
    invocation: Invocation,
    transport: str | None,
    port: int | None,
    bind: str | None,
    i_know: bool,
    no_watch: bool,
    debounce_ms: int | None,
) -> NoReturn:
    """Serve the knowledge base to MCP clients.

    Starts at once; the index is built or brought up to date in the background. Over stdio it serves the program that
    started it, over HTTP any program on this machine.
    """
    resolved = invocation.resolve(
        {
            "transport.kind": transport,
            "transport.http.bind": bind,
            "watch.enabled": False if no_watch else None,
            "watch.debounce_ms": debounce_ms,
        }
    )
    kind = resolved.settings.transport.kind
    if kind == "stdio" and (port is not None or bind is not None):
        raise UsageError("--port and --bind are for HTTP. Add --transport http")
    wire = _claim() if kind == "stdio" else None
    leave(_serve(resolved, wire, _address(resolved, port, bind, i_know=i_know)))


def _claim() -> Wire:
    from grooveseek.serving.stdio import claim_streams

    return claim_streams()


def _address(resolved: Resolved, port: int | None, bind: str | None, *, i_know: bool) -> str:
    """Where to listen. Raises UsageError for an address others reach, unless it is meant."""
    if port is not None and bind is not None:
        raise UsageError("--port and --bind both name a port. Give one of them")
    configured = resolved.settings.transport.http.bind
    host, configured_port = split_address(configured)
    if bind is not None and not is_loopback(host) and not i_know:
        raise UsageError(
            f"--bind {bind} lets other machines in, and nobody is asked who they are. Add --i-know if that is meant"
        )
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{configured_port if port is None else port}"


def _serve(resolved: Resolved, wire: Wire | None, bind: str) -> int:
    from grooveseek.app import KnowledgeBase
    from grooveseek.serving.run import run_http, run_stdio
    from grooveseek.serving.served import open_served

    settings = resolved.settings
    with KnowledgeBase(settings) as kb:
        _check_model(kb)
        source = f"{resolved.source.origin}{'' if resolved.source.trusted else ' (untrusted)'}"
        served = open_served(kb, watch=settings.watch.enabled, config_source=source)
        if wire is not None:
            if os.isatty(wire.source):
                say(
                    "Waiting for an MCP client on stdin. Clients start this command themselves; see groove serve --help"
                )
            return run_stdio(served, wire)
        from grooveseek.serving.activation import inherited_socket
        from grooveseek.serving.http import endpoint_of, listen

        served.searchers = _searchers(settings)
        handed = inherited_socket(os.environ)
        listening, endpoint = (handed, endpoint_of(handed)) if handed is not None else listen(bind)
        return run_http(served, listening, endpoint)


def _searchers(settings: Settings) -> Searchers | None:
    """The processes that may help with searches: where a search is mostly Python, and their memory is small.

    A large model or a reranker takes its time outside the interpreter, where the server's threads already run at once.
    """
    from grooveseek.cli import search_process
    from grooveseek.embedding.session import available_cores
    from grooveseek.serving.searchers import MOST, Searchers

    cores = available_cores()
    if cores < 2 or settings.reranker != "none" or not _model_is_bundled(settings):
        return None
    return Searchers(search_process.command(), search_process.opening(settings), most=min(cores, MOST))


def _check_model(kb: KnowledgeBase) -> None:
    """Refuse an index of another model or folder now rather than at every search."""
    from dataclasses import asdict

    try:
        meta = kb.store().meta
    except NoIndex:
        return
    meta.require_root(kb.root.name)
    if _identity_is_at_hand(kb.settings):
        meta.require_model(asdict(kb.embedder.identity))


def _identity_is_at_hand(settings: Settings) -> bool:
    """Whether the model says what it is without a download and without reading gigabytes."""
    from pathlib import Path

    from grooveseek.embedding.catalog import resolve_model

    if settings.embedding.provider not in _ON_THIS_MACHINE:
        return True
    return _model_is_bundled(settings) or isinstance(resolve_model(settings.model), Path)


def _model_is_bundled(settings: Settings) -> bool:
    """Whether it is the small model that comes with groove, or the one that is no model at all."""
    from pathlib import Path

    from grooveseek.embedding.catalog import resolve_model
    from grooveseek.embedding.factory import FAKE

    if settings.model == FAKE:
        return True
    if settings.embedding.provider not in _ON_THIS_MACHINE:
        return False
    found = resolve_model(settings.model)
    return not isinstance(found, Path) and found.files is None and found.extra is None
