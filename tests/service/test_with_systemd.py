"""``groove service`` from end to end under a real ``systemd --user``."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from grooveseek.service.probe import ServerStatus, ask_status
from grooveseek.service.processes import stop_server
from tests.support.user_systemd import UserSystemd, why_not

pytestmark = pytest.mark.skipif(why_not() is not None, reason=why_not() or "")
SECONDS = 60.0


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[UserSystemd]:
    home = tmp_path / "home 100% グ"
    home.mkdir()
    (home / "kb").mkdir()
    (home / "kb" / "fog.md").write_text("# Fog\n\nWe wait by the lamp.\n")
    manager = UserSystemd(home)
    try:
        if not manager.is_up():
            pytest.skip("systemd --user does not run on this machine")
        yield manager
    finally:
        manager.close()


@pytest.fixture
def bind() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"127.0.0.1:{free.getsockname()[1]}"


def when_answering(bind: str, *, other_than: int = 0) -> ServerStatus:
    deadline = time.monotonic() + SECONDS
    while True:
        status = ask_status(bind)
        if status is not None and status.pid != other_than:
            return status
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_service_from_its_installation_to_its_purge(systemd: UserSystemd, bind: str):
    config = systemd.home / ".config" / "groove" / "groove" / "groove.toml"
    done = systemd.groove("service", "install", "--kb-path", "kb", "--bind", bind)
    assert (done.returncode, done.stdout) == (0, "")
    assert str(config) in done.stderr
    first = when_answering(bind)
    status = json.loads(systemd.groove("service", "status", "--format", "json").stdout)
    assert (status["installed"], status["auto_start"], status["running"]) == (True, True, True)
    assert (status["server"]["pid"], status["bind"], status["kb_path"]) == (first.pid, bind, str(systemd.home / "kb"))
    assert systemd.run("systemctl", "--user", "is-enabled", "groove.service").stdout == "enabled\n"

    config.write_text("# mine\n" + config.read_text())
    again = systemd.groove("service", "install")
    assert again.returncode == 0
    assert config.read_text().startswith("# mine\n")
    second = when_answering(bind, other_than=first.pid)

    assert stop_server(bind) == second.pid
    deadline = time.monotonic() + SECONDS
    while "groove, started" in (stopped := systemd.groove("service", "status")).stdout:
        assert time.monotonic() < deadline  # its address is free a moment before the process has ended
    assert (stopped.returncode, "groove, stopped" in stopped.stdout) == (1, True)  # ended well, so not started again

    removed = systemd.groove("service", "uninstall", "--purge", "--yes")
    assert removed.returncode == 0
    assert not config.parent.exists()
    assert list((systemd.home / ".config" / "systemd").rglob("groove*")) == []
    assert (systemd.home / "kb" / "fog.md").exists()
    assert systemd.groove("service", "status").returncode == 1


def test_a_server_that_dies_is_started_again(systemd: UserSystemd, bind: str):
    assert systemd.groove("service", "install", "--kb-path", "kb", "--bind", bind).returncode == 0
    first = when_answering(bind)
    systemd.run("kill", "-KILL", str(first.pid))
    assert when_answering(bind, other_than=first.pid).pid != first.pid


def test_the_first_connection_starts_the_server_on_the_socket_systemd_holds(systemd: UserSystemd, bind: str):
    done = systemd.groove("service", "install", "--kb-path", "kb", "--bind", bind, "--no-auto-start")
    assert "systemctl --user start groove.service" in done.stderr
    unit = systemd.home / ".config" / "systemd" / "user" / "groove.socket"
    unit.write_text(f"[Socket]\nListenStream={bind}\n\n[Install]\nWantedBy=sockets.target\n")
    assert systemd.run("systemctl", "--user", "daemon-reload").returncode == 0
    started = systemd.run("systemctl", "--user", "enable", "--now", "groove.socket")
    assert started.returncode == 0, started.stderr
    assert systemd.run("systemctl", "--user", "is-active", "groove.service").stdout == "inactive\n"
    status = when_answering(bind)
    main = systemd.run("systemctl", "--user", "show", "--property=MainPID", "groove.service").stdout
    assert main == f"MainPID={status.pid}\n"
