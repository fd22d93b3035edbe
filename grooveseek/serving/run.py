"""Running a server from its first moment to its last: transport, index keeping, signals, and an end within seconds."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any

from grooveseek.errors import GrooveError, NoIndex
from grooveseek.model.query import SearchRequest

if TYPE_CHECKING:
    from grooveseek.serving.http import Endpoint
    from grooveseek.serving.served import Served
    from grooveseek.serving.stdio import Wire

log = logging.getLogger(__name__)

STOP_SECONDS = 2.0
"""How long the index keeper may take to come to rest. With the connections' grace it keeps the end within 5 seconds."""


def run_stdio(served: Served, wire: Wire) -> int:
    """Serve one client over the wire until it goes, or a signal comes; the exit code."""
    from grooveseek.serving.server import build_server
    from grooveseek.serving.stdio import serve_stdio

    server = build_server(served)

    async def transport(ending: asyncio.Event) -> None:
        serving = asyncio.create_task(serve_stdio(server, wire))
        await _first_of(serving, ending)

    return asyncio.run(_lifetime(served, transport))


def run_http(served: Served, listening: socket.socket, endpoint: Endpoint) -> int:
    """Serve over HTTP on an open socket until a signal comes; the exit code. Raises ConfigError before it serves."""
    from grooveseek.serving.http import build_app, build_http_server, exposure_warnings
    from grooveseek.serving.server import build_server

    server = build_http_server(build_app(served, build_server(served), endpoint))
    for warning in exposure_warnings(served, endpoint.host):
        log.warning("%s", warning)

    async def transport(ending: asyncio.Event) -> None:
        log.info("listening on http://%s: /mcp for MCP clients, /ui for a browser on this machine", endpoint)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            await _first_of(serving, ending, cancel=False)
            server.should_exit = True
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # it would complain of streams still open
            await serving
        finally:
            listening.close()

    code = asyncio.run(_lifetime(served, transport))
    return code if server.started else 1  # uvicorn has logged why it did not start


async def _lifetime(served: Served, transport: Callable[[asyncio.Event], Coroutine[Any, Any, None]]) -> int:
    """Start what runs in the background, serve, and bring all of it to rest."""
    ending = asyncio.Event()
    with _on_signal(ending, served) as received:
        served.keeper.start()
        warming = asyncio.create_task(served.workers.run(_warm_up, served))
        try:
            await transport(ending)
        finally:
            warming.cancel()
            served.keeper.begin_stop()
            if served.searchers is not None:
                await served.searchers.close()
            served.workers.close()
            at_rest = await asyncio.to_thread(served.keeper.stop, STOP_SECONDS)
            if not at_rest:
                log.info("the index is left as it is; the next start catches up")
    return 128 + signal.SIGINT if signal.SIGINT in received else 0


async def _first_of(serving: asyncio.Task[None], ending: asyncio.Event, *, cancel: bool = True) -> None:
    """Wait until the transport ends by itself or a signal says so. Raises what the transport raised."""
    waiting = asyncio.create_task(ending.wait())
    try:
        await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
    if serving.done():
        serving.result()
    elif cancel:
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving


@contextlib.contextmanager
def _on_signal(ending: asyncio.Event, served: Served) -> Iterator[list[int]]:
    """SIGINT and SIGTERM end the server in order; which came is in the list."""
    loop = asyncio.get_running_loop()
    received: list[int] = []

    def begin_end() -> None:
        served.keeper.begin_stop()
        ending.set()

    def end(number: int, _: object) -> None:
        received.append(number)
        loop.call_soon_threadsafe(begin_end)  # takes no lock that the interrupted code may hold

    numbers = [signal.SIGINT, signal.SIGTERM]
    previous = {number: signal.signal(number, end) for number in numbers}
    try:
        yield received
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _warm_up(served: Served) -> None:
    """Load the model and what a search imports, so that the first question is answered as fast as the second."""
    try:
        served.kb.embedder.embed_query("warm-up")
        served.kb.search(SearchRequest(query="warm-up"))
    except NoIndex:
        return
    except GrooveError as error:
        log.warning("searches will fail until this is mended: %s", error)
    except Exception:
        log.exception("the model could not be loaded ahead of the first search")
