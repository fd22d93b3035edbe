"""MCP over Streamable HTTP, with the page, the status and the health check on the same port behind one gate."""

from __future__ import annotations

import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from grooveseek.errors import UsageError
from grooveseek.serving.admin import status_as_json
from grooveseek.serving.gate import BASE_HEADERS, Gate, Policy, RefusalLog, policies
from grooveseek.serving.hosts import HostList
from grooveseek.serving.request_ids import IdCheck
from grooveseek.serving.served import Served
from grooveseek.serving.sessions import SessionCap
from grooveseek.serving.ui import page, page_headers
from grooveseek.settings.address import is_loopback, split_address

if TYPE_CHECKING:
    import uvicorn
    from mcp.server.lowlevel import Server

log = logging.getLogger(__name__)

MAX_BODY_BYTES = 1 << 20
_IDLE_SECONDS = 30 * 60
_GRACE_SECONDS = 2
_BACKLOG = 128


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the server listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def listen(bind: str) -> tuple[socket.socket, Endpoint]:
    """A listening socket at ``HOST:PORT`` (port 0: a free one), and where it came to be. Raises UsageError."""
    host, port = split_address(bind)
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        try:
            if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # Windows, where SO_REUSEADDR would share the port
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            else:
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(_BACKLOG)
        except OSError:
            listening.close()
            raise
    except OSError as error:
        raise UsageError(
            f"{bind} cannot be listened on: {error.strerror or error}. Name another port with --port or --bind"
        ) from error
    return listening, Endpoint(host, int(listening.getsockname()[1]))


def endpoint_of(listening: socket.socket) -> Endpoint:
    """Where a socket that was handed over listens."""
    host, port = listening.getsockname()[:2]
    return Endpoint(str(host), int(port))


def exposure_warnings(served: Served, host: str) -> list[str]:
    """What whoever starts the server should know about who can reach it."""
    http = served.kb.settings.transport.http
    warnings = []
    if not http.allowed_hosts:
        warnings.append(
            "allowed_hosts is empty, so every Host is answered: any web page can reach /mcp by DNS rebinding"
        )
    if http.allowed_origins is not None and not http.allowed_origins:
        warnings.append("allowed_origins is empty, so every Origin is answered: any web page can call this server")
    if not is_loopback(host):
        warnings.append(
            f"listening on {host}: everyone who can reach it can read the knowledge base; nobody is asked who"
        )
        if HostList.of(http.allowed_hosts).is_loopback_only:
            warnings.append(
                "allowed_hosts has only names of this machine, so requests from others are refused. List the name they "
                "use in [transport.http].allowed_hosts"
            )
    return warnings


def build_app(served: Served, server: Server[Any], endpoint: Endpoint) -> Starlette:
    """The whole ASGI application. Raises ConfigError for an allowed host or origin that makes no sense."""
    from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
    from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings

    settings = served.kb.settings.transport.http
    refusals = RefusalLog()
    manager = StreamableHTTPSessionManager(
        server,
        session_idle_timeout=_IDLE_SECONDS,
        max_sessions=settings.max_sessions or None,
        max_request_body_size=MAX_BODY_BYTES,
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the gate does it
    )
    seated = SessionCap(StreamableHTTPASGIApp(manager), max_sessions=settings.max_sessions, refusals=refusals)
    mcp = RequestBodyLimitMiddleware(IdCheck(seated, headers=BASE_HEADERS), MAX_BODY_BYTES)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    by_path: Mapping[str, Policy] = policies(settings, endpoint.host, endpoint.port, page_headers())
    return Starlette(
        routes=[Route("/mcp", mcp), *_own_routes(served)],
        middleware=[Middleware(Gate, policies=by_path, refusals=refusals)],
        lifespan=lifespan,
    )


def _own_routes(served: Served) -> Iterator[Route]:
    plain = {name.decode(): value.decode() for name, value in BASE_HEADERS}
    guarded = plain | {name.decode(): value.decode() for name, value in page_headers()}

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"}, headers=plain)

    async def status(_: Request) -> Response:
        return JSONResponse(await served.workers.run(status_as_json, served), headers=guarded)

    async def ui(_: Request) -> Response:
        return Response(page(), media_type="text/html", headers=guarded)

    yield Route("/healthz", health)
    yield Route("/api/admin/status", status)
    yield Route("/ui", ui)


def build_http_server(app: Starlette) -> uvicorn.Server:
    """uvicorn as groove wants it: silent, deaf to X-Forwarded-For, signals left to us."""
    import uvicorn

    class QuietServer(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        proxy_headers=False,  # otherwise a client on this machine could name any peer
        server_header=False,
        http="h11",
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return QuietServer(config)
