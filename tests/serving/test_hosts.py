from __future__ import annotations

import pytest
from grooveseek.errors import ConfigError
from grooveseek.serving.hosts import (
    Authority,
    HostList,
    OriginList,
    default_origins,
    is_loopback_peer,
    parse_host,
    parse_origin,
)


@pytest.mark.parametrize(
    ("text", "name", "port"),
    [
        ("localhost", "localhost", None),
        ("LOCALHOST:3100", "localhost", 3100),
        ("127.0.0.1:65535", "127.0.0.1", 65535),
        ("[::1]", "::1", None),
        ("[0:0:0:0:0:0:0:1]:80", "::1", 80),
        ("a-b.example_1.org:1", "a-b.example_1.org", 1),
    ],
)
def test_hosts_are_read_in_one_spelling(text: str, name: str, port: int | None):
    assert parse_host(text) == Authority(name=name, port=port)


@pytest.mark.parametrize(
    "text",
    [
        *("", " localhost", "localhost ", "user@localhost", "localhost@evil.com", "user:pw@localhost:80", "@"),
        *("localhost:", "localhost:abc", "localhost:-1", "localhost:0", "localhost:65536", "localhost:99999999"),
        *("localhost:80:90", "::1", "[::1", "::1]", "[localhost]", "[::1]x", "[::1]:x", "[::1%eth0]", "[1.2.3.4]"),
        *("localhost/path", "localhost?x", "local host", "http://localhost", "a,b", "%6cocalhost", "lo\u0441alhost"),
        *("localhost\t", "localhost\x00", "٣.example", "localhost:８０"),
    ],
)
def test_malformed_hosts_are_none(text: str):
    assert parse_host(text) is None


@pytest.mark.parametrize(
    ("entries", "host", "admitted"),
    [
        (["localhost"], "localhost:1234", True),
        (["localhost"], "LocalHost", True),
        (["localhost:3100"], "localhost:3100", True),
        (["localhost:3100"], "localhost:3101", False),
        (["localhost:3100"], "localhost", False),
        (["example.org:80"], "example.org", True),
        (["localhost"], "localhost.", False),
        (["localhost"], "localhost.evil.com", False),
        (["localhost"], "evil.localhost", False),
        (["127.0.0.1"], "127.1", False),
        (["127.0.0.1"], "2130706433", False),
        (["127.0.0.1"], "0x7f.0.0.1", False),
        (["[::1]"], "[0:0:0:0:0:0:0:1]:99", True),
        (["[::1]"], "[::ffff:127.0.0.1]", False),
        ([], "anything.example", True),
    ],
)
def test_an_entry_answers_for_its_name_and_its_port_if_it_has_one(entries: list[str], host: str, admitted: bool):
    parsed = parse_host(host)
    assert parsed is not None
    assert HostList.of(entries).admits(parsed) is admitted


@pytest.mark.parametrize(
    ("entries", "origin", "admitted"),
    [
        (["http://localhost:3100"], "http://localhost:3100", True),
        (["http://localhost:3100"], "HTTP://LOCALHOST:3100", True),
        (["http://localhost:3100"], "http://localhost", False),
        (["http://localhost"], "http://localhost:5173", True),
        (["http://localhost"], "https://localhost", False),
        (["https://wiki.example"], "https://wiki.example:443", True),
        (["https://wiki.example:443"], "https://wiki.example", True),
        (["https://wiki.example"], "https://wiki.example.evil.com", False),
        (["http://localhost"], "null", False),
        (["http://localhost"], "", False),
        (["http://localhost"], "http://localhost/", False),
        (["http://localhost"], "http://user@localhost", False),
        (["http://localhost"], "localhost", False),
        (["http://localhost"], "http://localhost http://localhost", False),
        ([], "null", True),
        ([], "https://evil.com", True),
    ],
)
def test_origins_are_compared_by_scheme_host_and_port(entries: list[str], origin: str, admitted: bool):
    assert OriginList.of(entries).admits(parse_origin(origin)) is admitted


def test_default_origins_are_this_server_under_every_name_of_the_machine():
    origins = default_origins(3100)
    for name in ("localhost", "127.0.0.1", "[::1]"):
        assert origins.admits(parse_origin(f"http://{name}:3100"))
        assert not origins.admits(parse_origin(f"http://{name}:3101"))
        assert not origins.admits(parse_origin(f"https://{name}:3100"))


@pytest.mark.parametrize("entry", ["localhost:3100", "//localhost", "http://", "http://a/b", "http://a b", "null", ""])
def test_an_origin_without_a_scheme_or_with_more_than_one_is_refused_at_the_start(entry: str):
    with pytest.raises(ConfigError, match="allowed_origins has"):
        OriginList.of([entry])


@pytest.mark.parametrize("entry", ["http://localhost", "::1", "local host", "a/b", ""])
def test_a_host_that_is_none_is_refused_at_the_start(entry: str):
    with pytest.raises(ConfigError, match="allowed_hosts has"):
        HostList.of([entry])


@pytest.mark.parametrize(
    ("entries", "only"),
    [(["localhost", "[::1]", "127.0.0.5"], True), (["localhost", "wiki.example"], False), ([], False)],
)
def test_a_list_of_names_of_this_machine_is_known_as_one(entries: list[str], only: bool):
    assert HostList.of(entries).is_loopback_only is only


@pytest.mark.parametrize(
    ("address", "local"),
    [
        *[("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("::ffff:127.0.0.1", True)],
        *[("192.168.1.5", False), ("::ffff:10.0.0.1", False), ("fe80::1", False), ("", False), ("localhost", False)],
    ],
)
def test_a_peer_is_local_by_its_address(address: str, local: bool):
    assert is_loopback_peer(address) is local
