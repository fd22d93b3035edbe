"""Posting JSON to one HTTP endpoint, and nowhere else: no redirects, bounded bodies, retries with a growing pause."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from grooveseek.errors import ConfigError, EmbeddingError
from grooveseek.settings.address import is_loopback

if TYPE_CHECKING:
    from http.client import HTTPResponse
    from urllib.error import HTTPError
    from urllib.request import OpenerDirector, Request

MAX_PAUSE = 60.0
"""Seconds: the longest a Retry-After is waited for."""

_FIRST_PAUSE = 1.0
_LOOK_SECONDS = 0.05
"""Between two looks, while it waits, at whether to go on with it."""
_GRACE_SECONDS = 2.0
"""How long an answer that is under way is still waited for: what it cost is not thrown away for a moment's hurry."""
_QUOTED_CHARS = 200
_ERROR_BYTES = 1 << 16
_BLOCK = 1 << 16
_AGAIN = frozenset({408, 425, 429})
_ADVICE = {
    401: "see that the variable named by [embedding] api_key_env holds a valid key",
    403: "see that the variable named by [embedding] api_key_env holds a key that may use this model",
    404: "see that [embedding] base_url ends where /embeddings follows, and that the server has this model",
    413: "set a smaller [embedding] batch_size",
    429: "wait, or set a smaller [embedding] batch_size, and run groove again; what is indexed stays",
}
_OUR_REQUEST = "see that [embedding] model and base_url name an embedding model of this server"
_LATER = "see that the server runs, then run groove again; what is indexed stays"
_logger = logging.getLogger(__name__)

Key = Callable[[], str | None]
Shown = Callable[[str], str]
ShouldStop = Callable[[], bool]


class StoppedWaitingError(Exception):
    """The wait for an answer, or for another attempt, was ended by the caller's wish. Never reaches a person."""


@dataclass(frozen=True, slots=True)
class BaseUrl:
    """An endpoint's address. ``name`` is host, port and path: what tells it from others, safe to show and to store."""

    url: str
    name: str
    loopback: bool

    @classmethod
    def parse(cls, text: str) -> BaseUrl:
        """Raises ConfigError for anything but ``http(s)://host[:port][/path]``. A URL with a user or a query may hold
        a secret, so it is refused and not shown.
        """
        problem = _fault(text)
        if problem:
            raise ConfigError(f"[embedding] base_url {problem}: write it as http://127.0.0.1:8080/v1")
        parts = urlsplit(text)
        path = parts.path.rstrip("/").removesuffix("/embeddings").rstrip("/")
        host = parts.netloc.lower()
        return cls(f"{parts.scheme}://{host}{path}", host + path, is_loopback(parts.hostname or ""))

    @property
    def encrypted(self) -> bool:
        """Whether it is https."""
        return self.url.startswith("https:")


def _fault(text: str) -> str | None:
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return "is not an address"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "must begin with http:// or https:// and a host"
    if "@" in parts.netloc or parts.query or parts.fragment:
        return "must have no user, password or query (a key belongs into the variable named by api_key_env)"
    if not text.isascii() or not text.isprintable() or " " in text:
        return "must be in ASCII without spaces"
    return None


class _AttemptError(Exception):
    """An attempt that came to nothing. ``pause``: seconds the server asks for."""

    def __init__(self, what: str, advice: str, *, again: bool = False, pause: float = 0.0) -> None:
        super().__init__(what)
        self.advice, self.again, self.pause = advice, again, pause


class Endpoint:
    """Posts JSON to ``base_url`` + ``path``. Thread-safe; each post is a connection of its own.

    ``key`` is asked at each post and its answer kept nowhere. Proxies are those of the environment (HTTPS_PROXY,
    NO_PROXY), never for this machine itself. ``sleep`` is replaced in tests.
    """

    def __init__(
        self, base: BaseUrl, path: str, *, key: Key, timeout: float, sleep: Callable[[float], None] | None = None
    ) -> None:
        self._base, self._url, self._key = base, base.url + path, key
        self._timeout = timeout
        self._sleep = sleep

    @property
    def name(self) -> str:
        """Host, port and path."""
        return self._base.name

    def post(self, body: Mapping[str, Any], *, most: int, attempts: int, should_stop: ShouldStop | None = None) -> Any:
        """The answer's JSON, read up to ``most`` bytes.

        A dropped connection, a timeout, 408, 425, 429 and 5xx are tried again, ``attempts`` times in all, after 1, 2,
        4 ... seconds or what Retry-After says, 60 at most.
        Raises EmbeddingError with the endpoint, what happened, and the next step; ConfigError for a key that cannot be
        sent; StoppedWaitingError when ``should_stop`` says so during a pause, or for two seconds without an answer.
        """
        key = self._key()
        data = json.dumps(body).encode()
        for attempt in range(1, attempts + 1):
            try:
                if should_stop is None:
                    return self._attempt(data, key, most)
                return self._attempt_beside(data, key, most, should_stop)
            except _AttemptError as failure:
                what = str(failure)
                if not failure.again or attempt == attempts:
                    times = f", {attempt} times" if attempt > 1 else ""
                    raise EmbeddingError(f"the endpoint {self.name} {what}{times}: {failure.advice}") from None
                pause = min(max(_FIRST_PAUSE * 2 ** (attempt - 1), failure.pause), MAX_PAUSE)
            _logger.warning("The endpoint %s %s; trying again in %.0f s", self.name, what, pause)
            self._pause(pause, should_stop)
        raise AssertionError("attempts is at least 1")

    def _attempt_beside(self, data: bytes, key: str | None, most: int, should_stop: ShouldStop) -> Any:
        """An attempt in a thread of its own: a read that hangs cannot be interrupted, but it can be left behind."""
        from concurrent.futures import Future, wait

        answer: Future[Any] = Future()

        def attempt() -> None:
            try:
                answer.set_result(self._attempt(data, key, most))
            except BaseException as error:  # noqa: BLE001 - raised again by whoever waits for the answer
                answer.set_exception(error)

        threading.Thread(target=attempt, name="groove-endpoint", daemon=True).start()
        left_at: float | None = None
        while not wait([answer], timeout=_LOOK_SECONDS).done:
            if left_at is None and should_stop():
                left_at = time.monotonic() + _GRACE_SECONDS
            if left_at is not None and time.monotonic() >= left_at:
                raise StoppedWaitingError
        return answer.result()

    def _pause(self, seconds: float, should_stop: ShouldStop | None) -> None:
        if self._sleep is not None:
            self._sleep(seconds)
            return
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if should_stop is not None and should_stop():
                raise StoppedWaitingError
            time.sleep(min(left, _LOOK_SECONDS) if should_stop is not None else left)

    def _attempt(self, data: bytes, key: str | None, most: int) -> Any:
        from http.client import HTTPException
        from urllib.error import HTTPError, URLError

        try:
            with self._opener().open(self._request(data, key), timeout=self._timeout) as response:
                received = self._read(response, most)
        except HTTPError as error:
            with error:
                raise _refused(error, _shown(key)) from None
        except URLError as error:
            raise _unreached(error.reason) from None
        except (OSError, HTTPException) as error:
            raise _unreached(error) from None
        try:
            return json.loads(received)
        except (ValueError, RecursionError):
            beginning = _shown(key)(received[:_ERROR_BYTES].decode("utf-8", "replace"))
            raise _AttemptError(f'answers with what is not JSON ("{beginning}")', _ADVICE[404]) from None

    def _request(self, data: bytes, key: str | None) -> Request:
        from urllib.request import Request

        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "grooveseek"}
        request = Request(self._url, data=data, headers=headers, method="POST")  # noqa: S310 - http or https, checked
        if key is not None:
            request.add_unredirected_header("Authorization", f"Bearer {key}")
        return request

    def _opener(self) -> OpenerDirector:
        from urllib.request import HTTPRedirectHandler, ProxyHandler, build_opener

        class NoRedirect(HTTPRedirectHandler):
            """A redirect could send the knowledge base elsewhere: it becomes an error as any other status does."""

            def redirect_request(self, *_: Any) -> None:
                return None

        return build_opener(NoRedirect(), ProxyHandler({} if self._base.loopback else None))

    def _read(self, response: HTTPResponse, most: int) -> bytes:
        from http.client import IncompleteRead

        deadline = time.monotonic() + self._timeout
        received = bytearray()
        while block := response.read1(_BLOCK):
            received += block
            if len(received) > most:
                raise _AttemptError(f"answers with more than {most} bytes", _OUR_REQUEST)
            if time.monotonic() > deadline:
                raise TimeoutError
        if response.length:
            raise IncompleteRead(bytes(received), response.length)
        return bytes(received)


def _refused(error: HTTPError, shown: Shown) -> _AttemptError:
    status = error.code
    if 300 <= status < 400:
        target = shown(error.headers.get("Location") or "")
        return _AttemptError(
            f'redirects to "{target}" (HTTP {status})',
            "groove does not follow, since that would send the texts elsewhere. If it is the right place, set it as "
            "[embedding] base_url",
        )
    again = status in _AGAIN or status >= 500
    said = shown(_message(error))
    quoted = f' and says "{said}"' if said else ""
    advice = _ADVICE.get(status, _LATER if again else _OUR_REQUEST)
    return _AttemptError(
        f"answers HTTP {status}{quoted}",
        advice,
        again=again,
        pause=_retry_after(error.headers.get("Retry-After") or ""),
    )


def _unreached(reason: object) -> _AttemptError:
    from ssl import SSLCertVerificationError

    if isinstance(reason, SSLCertVerificationError):
        why = f"has a certificate that cannot be verified ({reason.verify_message})"
        return _AttemptError(why, "SSL_CERT_FILE names the authority of an own one")
    if isinstance(reason, TimeoutError):
        return _AttemptError("does not answer in time", f"{_LATER}. [embedding] timeout_secs is the limit", again=True)
    why = _printable(str(reason) or type(reason).__name__)
    return _AttemptError(f"cannot be reached or breaks off ({why})", _LATER, again=True)


def _retry_after(value: str) -> float:
    """Seconds, from a number or a date (RFC 9110, section 10.2.3); 0 for anything else."""
    from email.utils import parsedate_to_datetime

    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _message(response: HTTPError) -> str:
    """What an error's body says. ``{"error": {"message": ...}}`` is the usual form."""
    from http.client import HTTPException

    try:
        raw: str = response.read(_ERROR_BYTES).decode("utf-8", "replace")
    except (OSError, HTTPException):
        return ""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return raw
    error = value.get("error", value) if isinstance(value, dict) else value
    message = error.get("message", error) if isinstance(error, dict) else error
    return message if isinstance(message, str) else json.dumps(message)


def _shown(key: str | None) -> Shown:
    """Makes what a server says fit into a message of ours: in one line, short, and without the key."""
    return lambda text: _printable(text.replace(key, "[key]") if key else text)


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text[: 2 * _QUOTED_CHARS]).strip()[:_QUOTED_CHARS]
