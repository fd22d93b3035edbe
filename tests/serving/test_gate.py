from __future__ import annotations

import contextlib
import logging
import socket
from collections.abc import Callable, Iterator

import pytest
from grooveseek.serving.gate import WINDOW_SECONDS, RefusalLog, judge, policies
from grooveseek.settings.sections import HttpSettings
from tests.conftest import write_files
from tests.serving.conftest import FILES
from tests.support.http_server import HttpServer, Reply, ask, initialize, modern_call
from tests.support.rpc import groove_command

ROUTES = ("/mcp", "/healthz", "/ui", "/api/admin/status")
PORT = 3100  # stands for the server's own port in the tables below


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., HttpServer]]:
    """A server with some lines in [transport.http], one for each set of lines."""
    with contextlib.ExitStack() as stack:
        running: dict[tuple[str, ...], HttpServer] = {}

        def run(*lines: str, bind: str = "127.0.0.1:0", options: tuple[str, ...] = ()) -> HttpServer:
            key = (*lines, bind)
            if key not in running:
                folder = tmp_path_factory.mktemp("gate")
                write_files(folder, {f"kb/{path}": text for path, text in FILES.items()})
                config = folder / "groove.toml"
                config.write_text("\n".join(['model = "fake"', "[transport.http]", *lines]) + "\n")
                arguments = ["--config", str(config), "--kb-path", str(folder / "kb"), "--transport", "http"]
                command = groove_command("serve", *arguments, "--no-watch", "--bind", bind, *options)
                running[key] = stack.enter_context(HttpServer(command))
                running[key].when_indexed(6)
            return running[key]

        yield run


def status(port: int, route: str, *, host: str = "localhost", headers: tuple[tuple[str, str], ...] = ()) -> Reply:
    """One request that would be answered with 200 if the gate let it through."""
    if route == "/mcp":
        return modern_call(port, "list_topics", {}, *headers, host=host)
    return ask(port, route, host=host, headers=headers)


# What each of (/mcp, /healthz, /ui, /api/admin/status) answers to a Host. The health check asks nothing by default.
OK, NO, BAD = 200, 403, 400
EVERY = (OK, OK, OK, OK)
REFUSED = (NO, OK, NO, NO)
MALFORMED = (BAD, OK, BAD, BAD)
HOSTS = [
    ("localhost", EVERY),
    ("LOCALHOST", EVERY),
    ("localhost:3100", EVERY),
    ("localhost:1", EVERY),
    ("localhost:65535", EVERY),
    ("127.0.0.1", EVERY),
    ("127.0.0.1:3100", EVERY),
    ("[::1]", EVERY),
    ("[::1]:3100", EVERY),
    ("[0:0:0:0:0:0:0:1]", EVERY),
    ("evil.com", REFUSED),
    ("localhost.", REFUSED),
    ("localhost.evil.com", REFUSED),
    ("evil.localhost", REFUSED),
    ("127.0.0.1.evil.com", REFUSED),
    ("127.1", REFUSED),
    ("2130706433", REFUSED),
    ("0x7f000001", REFUSED),
    ("0.0.0.0", REFUSED),
    ("127.0.0.2", REFUSED),
    ("[::]", REFUSED),
    ("[::ffff:127.0.0.1]", REFUSED),
    ("192.168.0.1:3100", REFUSED),
    ("localhost:0", MALFORMED),
    ("localhost:65536", MALFORMED),
    ("localhost:99999", MALFORMED),
    ("localhost:abc", MALFORMED),
    ("localhost:", MALFORMED),
    ("localhost:-1", MALFORMED),
    ("localhost:80:80", MALFORMED),
    ("user@localhost", MALFORMED),
    ("localhost@evil.com", MALFORMED),
    ("user:pw@localhost:3100", MALFORMED),
    ("@", MALFORMED),
    ("::1", MALFORMED),
    ("[::1", MALFORMED),
    ("[localhost]", MALFORMED),
    ("localhost/", MALFORMED),
    ("http://localhost", MALFORMED),
    ("local host", MALFORMED),
    ("localhost, evil.com", MALFORMED),
    ("%6cocalhost", MALFORMED),
    ("l\u00f6calhost", MALFORMED),
]


@pytest.mark.parametrize(("host", "expected"), HOSTS, ids=[host for host, _ in HOSTS])
def test_every_route_asks_for_its_host(start, host: str, expected: tuple[int, ...]):
    port = start().port
    assert tuple(status(port, route, host=host).status for route in ROUTES) == expected


# What (/mcp, /healthz, /ui, /api/admin/status) answer to an Origin.
PAGES = (NO, OK, NO, NO)
ORIGINS = [
    ("http://localhost:{port}", EVERY),
    ("http://LOCALHOST:{port}", EVERY),
    ("http://127.0.0.1:{port}", EVERY),
    ("http://[::1]:{port}", EVERY),
    ("https://localhost:{port}", PAGES),
    ("http://localhost", PAGES),
    ("http://localhost:1", PAGES),
    ("http://evil.com", PAGES),
    ("http://evil.com:{port}", PAGES),
    ("http://localhost.evil.com:{port}", PAGES),
    ("http://localhost:{port}.evil.com", PAGES),
    ("http://user@localhost:{port}", PAGES),
    ("http://localhost:{port}/", PAGES),
    ("http://127.0.0.2:{port}", PAGES),
    ("http://[::ffff:127.0.0.1]:{port}", PAGES),
    ("null", PAGES),
    ("localhost:{port}", PAGES),
    ("//localhost:{port}", PAGES),
    ("file://", PAGES),
    ("chrome-extension://abcdef", PAGES),
    ("http://localhost:{port} http://evil.com", PAGES),
    ("http://localhost:{port}, http://evil.com", PAGES),
    ("http://2130706433:{port}", PAGES),
    ("http://localhost:999999", PAGES),
    ("*", PAGES),
    ("", PAGES),
]


@pytest.mark.parametrize(("origin", "expected"), ORIGINS, ids=[origin or "empty" for origin, _ in ORIGINS])
def test_every_route_but_the_health_check_asks_for_the_origin(start, origin: str, expected: tuple[int, ...]):
    port = start().port
    header = (("Origin", origin.format(port=port)),)
    assert tuple(status(port, route, headers=header).status for route in ROUTES) == expected


def test_the_tables_are_as_long_as_promised():
    assert len(HOSTS) >= 26
    assert len(ORIGINS) >= 26


def test_two_hosts_or_two_origins_are_none(start):
    port = start().port
    twice = (("Origin", f"http://localhost:{port}"), ("Origin", f"http://localhost:{port}"))
    assert ask(port, "/ui", headers=twice).status == 403
    assert ask(port, "/ui", headers=(("Host", "localhost"),)).status == 400


def test_a_path_without_a_route_is_behind_the_gate_too(start):
    port = start().port
    assert ask(port, "/nothing").status == 404
    assert ask(port, "/nothing", host="evil.com").status == 403
    assert ask(port, "/ui/", host="evil.com").status == 403
    assert ask(port, "/docs").status == 404


def test_refusals_of_the_page_and_the_status_carry_their_policies_and_say_why(start):
    port = start().port
    for route in ("/ui", "/api/admin/status"):
        for reply in (ask(port, route), ask(port, route, host="evil.com"), ask(port, route, host="@")):
            assert reply.headers["content-security-policy"].startswith("default-src 'none'")
            assert reply.headers["x-content-type-options"] == "nosniff"
    assert '"evil.com"' in ask(port, "/ui", host="evil.com").body.decode()
    assert '"evil.com"' in ask(port, "/api/admin/status", host="evil.com").json["error"]
    refused = ask(port, "/mcp", method="POST", host="evil.com")
    assert refused.json["error"]["message"].startswith("Refused: ")
    assert refused.headers["x-content-type-options"] == "nosniff"


def test_a_refused_header_cannot_write_into_the_log_or_the_answer(start):
    server = start()
    reply = ask(server.port, "/ui", host="a\x1b[31mb" + "x" * 5000)
    assert b"\x1b" not in reply.body
    assert len(reply.body) < 1000
    assert "\x1b" not in server.stderr


def test_a_forwarded_address_makes_nobody_local(start):
    """The peer is who connected: a proxy header neither lets a remote peer in nor locks this machine out."""
    port = start().port
    for name, value in [
        ("X-Forwarded-For", "8.8.8.8"),
        ("X-Forwarded-For", "127.0.0.1"),
        ("X-Real-IP", "8.8.8.8"),
        ("Forwarded", "for=8.8.8.8"),
        ("X-Forwarded-Host", "evil.com"),
    ]:
        assert ask(port, "/ui", headers=((name, value),)).status == 200


def own_address() -> str | None:
    """An address of this machine that is not loopback, or None."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return None
        address = str(probe.getsockname()[0])
    return None if address.startswith(("127.", "0.")) else address


def test_a_peer_from_elsewhere_gets_neither_page_nor_status_whatever_it_says(start):
    address = own_address()
    if address is None:
        pytest.skip("this machine has no address but loopback")
    server = start('allowed_hosts = ["wiki.example", "localhost"]', bind="0.0.0.0:0", options=("--i-know",))
    for route in ("/ui", "/api/admin/status"):
        for headers in (
            (),
            (("X-Forwarded-For", "127.0.0.1"),),
            (("X-Real-IP", "::1"), ("Forwarded", "for=127.0.0.1")),
        ):
            reply = ask(server.port, route, address=address, headers=headers)
            assert reply.status == 403
            assert address in reply.body.decode()
    assert modern_call(server.port, "list_topics", {}, address=address, host="wiki.example").status == 200
    assert ask(server.port, "/healthz", address=address, host="anything").status == 200
    assert "everyone who can reach it can read" in server.stderr


def test_lists_replace_the_defaults(start):
    server = start(
        'allowed_hosts = ["wiki.example", "other.example:8080"]',
        'allowed_origins = ["https://wiki.example", "http://app.example:5173"]',
        "healthz_public = false",
    )
    port = server.port
    assert status(port, "/mcp", host="wiki.example").status == 200
    assert status(port, "/mcp", host="wiki.example:9999").status == 200
    assert status(port, "/mcp", host="other.example:8080").status == 200
    assert status(port, "/mcp", host="other.example").status == 403
    assert status(port, "/mcp", host="localhost").status == 403
    assert ask(port, "/healthz", host="wiki.example").status == 200
    assert ask(port, "/healthz", host="localhost").status == 403
    assert ask(port, "/healthz", host="@").status == 400
    assert ask(port, "/ui", host="localhost").status == 200, "the page stays on this machine's own names"
    assert ask(port, "/ui", host="wiki.example").status == 403
    for origin, expected in [
        ("https://wiki.example", 200),
        ("https://wiki.example:8443", 200),
        ("http://app.example:5173", 200),
        ("http://app.example", 403),
        (f"http://localhost:{port}", 403),
    ]:
        assert ask(port, "/ui", headers=(("Origin", origin),)).status == expected


def test_empty_lists_ask_nothing_and_are_warned_about(start):
    server = start("allowed_hosts = []", "allowed_origins = []")
    assert status(server.port, "/mcp", host="evil.com").status == 200
    assert ask(server.port, "/ui", headers=(("Origin", "https://evil.com"),)).status == 200
    assert ask(server.port, "/ui", host="evil.com").status == 403, "the page still asks for a name of this machine"
    assert "allowed_hosts is empty" in server.stderr
    assert "allowed_origins is empty" in server.stderr


def test_a_loopback_address_that_is_listened_on_is_a_name_of_the_page(start):
    server = start("max_sessions = 7", bind="127.0.0.5:0")
    assert ask(server.port, "/ui", host="127.0.0.5", address="127.0.0.5").status == 200
    assert ask(server.port, "/ui", host="127.0.0.6", address="127.0.0.5").status == 403


def test_refusals_take_no_seat(start):
    server = start("max_sessions = 2")
    for _ in range(10):
        assert initialize(server.port, host="evil.com").status == 403
        assert initialize(server.port, host="@").status == 400
    assert [initialize(server.port).status for _ in range(3)] == [200, 200, 429]


# -- without a server ----------------------------------------------------------------------------------------------


def test_peer_comes_before_host_and_host_before_origin():
    page = policies(HttpSettings(), "127.0.0.1", PORT, ())["/ui"]
    wrong = judge(page, "10.0.0.1", ["@"], ["x"])
    assert wrong is not None
    assert "this machine only" in wrong.reason
    wrong = judge(page, "127.0.0.1", ["evil.com"], ["x"])
    assert wrong is not None
    assert "Host" in wrong.reason
    wrong = judge(page, "127.0.0.1", ["localhost"], ["x"])
    assert wrong is not None
    assert "Origin" in wrong.reason
    assert judge(page, "127.0.0.1", ["localhost"], []) is None
    assert judge(page, "", ["localhost"], []) is not None, "a peer without an address is not local"


def test_a_missing_host_is_malformed():
    refusal = judge(policies(HttpSettings(), "127.0.0.1", PORT, ())["/mcp"], "127.0.0.1", [], [])
    assert refusal is not None
    assert refusal.status == 400
    assert "missing" in refusal.reason


def test_refusals_are_logged_once_a_minute_a_surface(caplog: pytest.LogCaptureFixture):
    timers: list[tuple[float, Callable[[], None]]] = []
    refusals = RefusalLog(later=lambda seconds, call: timers.append((seconds, call)))
    for number in range(5):
        refusals.note("/mcp", f"reason {number}")
    refusals.note("/ui", "another")
    assert [record.message for record in caplog.records] == [
        "/mcp: 1 request refused: reason 0",
        "/ui: 1 request refused: another",
    ]
    assert [seconds for seconds, _ in timers] == [WINDOW_SECONDS, WINDOW_SECONDS]
    timers[0][1]()
    assert caplog.records[-1].message == "/mcp: 4 requests refused in the last minute; the last one: reason 4"
    refusals.note("/mcp", "reason 5")
    assert len(caplog.records) == 3, "the minute after a line is quiet again"
    timers[1][1]()
    refusals.note("/ui", "later")
    assert caplog.records[-1].message == "/ui: 1 request refused: later"


def test_every_refusal_is_a_level_a_person_sees(caplog: pytest.LogCaptureFixture):
    RefusalLog(later=lambda *_: None).note("/mcp", "x")
    assert caplog.records[0].levelno == logging.WARNING
