"""The search page: one file without anything from elsewhere, and the policy that holds a browser to that."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

_PAGE = Path(__file__).with_name("ui.html")
_INLINE = re.compile(r"<(style|script)>(.*?)</\1>", re.DOTALL)


@cache
def page() -> bytes:
    """The page."""
    return _PAGE.read_bytes()


@cache
def content_security_policy() -> str:
    """Nothing is allowed but the page's own style and script, by their hashes, and calls to this server (CSP 3)."""
    hashes: dict[str, list[str]] = {"style": [], "script": []}
    for kind, text in _INLINE.findall(page().decode("utf-8")):
        digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
        hashes[kind].append(f"'sha256-{digest}'")
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(hashes['script'])}",
            f"style-src {' '.join(hashes['style'])}",
            "connect-src 'self'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def page_headers() -> tuple[tuple[bytes, bytes], ...]:
    """What the page and the admin routes carry, on refusals too."""
    return (
        (b"content-security-policy", content_security_policy().encode("ascii")),
        (b"referrer-policy", b"no-referrer"),
    )
