"""Request ids as JSON-RPC 2.0 and MCP have them: a text or a whole number, and nothing else (JSON-RPC 2.0, section 4).

The SDK takes a request whose id is anything else for a notification: over HTTP it would acknowledge it, and whoever
asked would wait for ever.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

INVALID_REQUEST = -32600
"""JSON-RPC 2.0, section 5.1."""
WRONG_ID = "The id must be a text or a whole number"


def is_id(value: object) -> bool:
    """Whether a request may have this id."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def has_wrong_id(message: object) -> bool:
    """Whether a parsed message is a request with an id that no request may have."""
    return isinstance(message, dict) and "method" in message and "id" in message and not is_id(message["id"])


def error(owner: Any, code: int, message: str) -> bytes:
    """A JSON-RPC error in ASCII. ``owner`` is the request's id, ``None`` where it has none that could be told."""
    value = {"jsonrpc": "2.0", "id": owner, "error": {"code": code, "message": message}}
    return json.dumps(value, ensure_ascii=True).encode("ascii")


class IdCheck:
    """Answers a request with a wrong id with 400 and -32600, and passes on everything else, untouched.

    A body comes whole, in one message: it has been through the SDK's limit on bodies.
    """

    def __init__(self, app: ASGIApp, *, headers: tuple[tuple[bytes, bytes], ...]) -> None:
        """``headers`` go with the refusal."""
        self._app = app
        self._headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look at one request (ASGI)."""
        if scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        read: list[Message] = [await receive()]
        if has_wrong_id(_parsed(read[0].get("body", b""))):
            await self._refuse(send)
            return

        async def again() -> Message:
            return read.pop() if read else await receive()

        await self._app(scope, again, send)

    async def _refuse(self, send: Send) -> None:
        body = error(None, INVALID_REQUEST, WRONG_ID)
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)), *self._headers]
        await send({"type": "http.response.start", "status": 400, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _parsed(body: bytes) -> object:
    """The body's value; ``None`` for what is not JSON, which the SDK answers in its own words."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
