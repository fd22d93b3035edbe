"""``HOST:PORT``, as the HTTP transport's ``bind`` writes it."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"(?:\[(?P<six>[^\[\]]+)\]|(?P<host>[A-Za-z0-9._-]+)):(?P<port>[0-9]{1,5})", re.ASCII)


def split_address(text: str) -> tuple[str, int]:
    """The host, without the brackets of an IPv6 address, and the port (0 to 65535; 0 takes a free one).

    Raises ValueError, saying what is wrong, for anything but ``host:port``, ``1.2.3.4:port`` or ``[v6]:port``.
    """
    match = _ADDRESS.fullmatch(text)
    if match is None:
        raise ValueError('must be an address and a port, such as "127.0.0.1:3100" or "[::1]:3100"')
    port = int(match["port"])
    if port > 65535:
        raise ValueError(f"must have a port of at most 65535, not {port}")
    if match["six"] is not None and not _is_ipv6(match["six"]):
        raise ValueError(f"must have an IPv6 address in its brackets, not {match['six']!r}")
    return match["six"] or match["host"], port


def is_loopback(host: str) -> bool:
    """Whether the host can only be this machine: ``localhost``, ``::1``, or 127.0.0.0/8 in full dotted form.

    Any other name or spelling is taken for another machine, since what it resolves to is not ours to say.
    """
    from ipaddress import ip_address

    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _is_ipv6(text: str) -> bool:
    from ipaddress import IPv6Address

    try:
        IPv6Address(text)
    except ValueError:
        return False
    return True
