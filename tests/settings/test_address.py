from __future__ import annotations

import pytest
from grooveseek.settings.address import is_loopback, split_address


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1:3100", ("127.0.0.1", 3100)),
        ("localhost:0", ("localhost", 0)),
        ("0.0.0.0:65535", ("0.0.0.0", 65535)),
        ("[::1]:3100", ("::1", 3100)),
        ("[fe80::1%eth0]:1", ("fe80::1%eth0", 1)),
        ("my-host.example:80", ("my-host.example", 80)),
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, expected: tuple[str, int]):
    assert split_address(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3100",
        ":3100",
        "host",
        "host:",
        "::1:3100",
        "[::1]",
        "[x]:1",
        "[]:1",
        "a b:1",
        "a:1\n",
        "a@b:1",
        "a:-1",
        "a:٣",
        "a:65536",
    ],
)
def test_anything_else_is_refused(text: str):
    with pytest.raises(ValueError, match="must"):
        split_address(text)


@pytest.mark.parametrize("host", ["localhost", "LocalHost", "127.0.0.1", "127.9.8.7", "::1", "0:0:0:0:0:0:0:1"])
def test_loopback_is_this_machine_only(host: str):
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "0.0.0.0",
        "::",
        "10.0.0.1",
        "localhost.example",
        "127.1",
        "2130706433",
        "0177.0.0.1",
        "127.0.0.1.",
        "my-host",
    ],
)
def test_every_other_spelling_may_be_another_machine(host: str):
    assert not is_loopback(host)
