"""Host and Origin headers, and the lists they are looked up in. Pure: text in, a verdict out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from grooveseek.errors import ConfigError
from grooveseek.settings.address import is_loopback

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")

_AUTHORITY = re.compile(
    r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::(?P<port>[0-9]{1,5}))?", re.ASCII
)
_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>.*)", re.ASCII)
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """A host and perhaps a port. ``name`` is in lower case; an IPv6 address in its shortest form, without brackets."""

    name: str
    port: int | None = None

    def admits(self, other: Authority, *, default_port: int | None) -> bool:
        """Whether this entry of a list answers for ``other``. An entry without a port answers for any."""
        if self.name != other.name:
            return False
        return self.port is None or self.port == (default_port if other.port is None else other.port)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a page came from: scheme in lower case, host, port."""

    scheme: str
    authority: Authority

    def admits(self, other: Origin) -> bool:
        """Whether this entry of a list answers for ``other``. An entry without a port answers for any."""
        default = _DEFAULT_PORTS.get(other.scheme)
        return self.scheme == other.scheme and self.authority.admits(other.authority, default_port=default)


def parse_host(text: str) -> Authority | None:
    """A Host header's value (RFC 9112, 3.2); ``None`` when it is malformed: user information, a port that is none."""
    match = _AUTHORITY.fullmatch(text)
    if match is None:
        return None
    port = None if match["port"] is None else int(match["port"])
    if port is not None and not 1 <= port <= 65535:
        return None
    if match["six"] is None:
        return Authority(name=match["name"].lower(), port=port)
    try:
        return Authority(name=IPv6Address(match["six"]).compressed, port=port)
    except ValueError:
        return None


def parse_origin(text: str) -> Origin | None:
    """An Origin header's value (RFC 6454, 7); ``None`` for ``null`` and for anything that is no origin."""
    match = _SCHEME.fullmatch(text)
    authority = parse_host(match["authority"]) if match else None
    return Origin(scheme=match["scheme"].lower(), authority=authority) if match and authority else None


@dataclass(frozen=True, slots=True)
class HostList:
    """Hosts that are answered; none at all means every one."""

    entries: tuple[Authority, ...]

    @classmethod
    def of(cls, names: Iterable[str]) -> HostList:
        """Read ``allowed_hosts``. Raises ConfigError for an entry that is no host."""
        return cls(tuple(_host_entry(name) for name in names))

    def admits(self, host: Authority) -> bool:
        """Whether a request for this host is answered. It came over plain HTTP, so no port means 80."""
        return not self.entries or any(entry.admits(host, default_port=80) for entry in self.entries)

    @property
    def is_loopback_only(self) -> bool:
        """Whether only names of this machine are on the list."""
        return bool(self.entries) and all(is_loopback(entry.name) for entry in self.entries)


@dataclass(frozen=True, slots=True)
class OriginList:
    """Origins that are answered; none at all means every one."""

    entries: tuple[Origin, ...]

    @classmethod
    def of(cls, texts: Iterable[str]) -> OriginList:
        """Read ``allowed_origins``. Raises ConfigError for an entry that is no origin, such as one without a scheme."""
        return cls(tuple(_origin_entry(text) for text in texts))

    def admits(self, origin: Origin | None) -> bool:
        """Whether a page from there is answered; ``None`` stands for one that is unknown or hidden."""
        if not self.entries:
            return True
        return origin is not None and any(entry.admits(origin) for entry in self.entries)


def default_origins(port: int) -> OriginList:
    """Pages that this server itself gave out, under every name of the machine."""
    return OriginList.of(f"http://{name}:{port}" for name in LOOPBACK_NAMES)


def is_loopback_peer(address: str) -> bool:
    """Whether a connection from this address came from this machine."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return (mapped or parsed).is_loopback


def _host_entry(text: str) -> Authority:
    entry = parse_host(text)
    if entry is None:
        raise ConfigError(
            f'[transport.http].allowed_hosts has {text!r}, which is no host. Write "name", "name:port" or "[::1]"'
        )
    return entry


def _origin_entry(text: str) -> Origin:
    entry = parse_origin(text)
    if entry is None:
        raise ConfigError(
            f"[transport.http].allowed_origins has {text!r}, which is no origin. Write it with its scheme and "
            'without a path, as "http://localhost:3100"'
        )
    return entry
