"""The cap on MCP sessions: a new one beyond it gets 429 and when to come back, established ones go on."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grooveseek.serving.gate import RefusalLog

RETRY_SECONDS = 30


class SessionCap:
    """Words the SDK's own refusal anew: it answers 503 when every seat is taken.

    The SDK counts, since it alone knows when a session ends; a request with a session id never meets the cap.
    """

    def __init__(self, app: ASGIApp, *, max_sessions: int, refusals: RefusalLog) -> None:
        self._app = app
        self._max_sessions = max_sessions
        self._refusals = refusals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on (ASGI)."""
        is_new = all(name != b"mcp-session-id" for name, _ in scope["headers"])

        async def reworded(message: Message) -> None:
            if is_new and message["type"] == "http.response.start" and message["status"] == 503:
                self._refusals.note("/mcp sessions", f"all {self._max_sessions} sessions are taken (max_sessions)")
                retry = (b"retry-after", b"%d" % RETRY_SECONDS)
                message = {**message, "status": 429, "headers": [*message.get("headers", ()), retry]}
            await send(message)

        await self._app(scope, receive, reworded)
