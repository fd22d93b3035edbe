"""``groove service`` with a systemctl that writes down what it is asked, on a PATH of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.support.status_server import StatusServer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="systemd is Linux's")
ROOT = str(Path(__file__).parents[2])

_SYSTEMCTL = """\
#!{python}
import os, sys
from pathlib import Path
here = Path(__file__).parent
with (here / "calls").open("a") as calls:
    calls.write(" ".join(sys.argv[1:]) + chr(10))
if (here / "broken").exists():
    sys.exit("Failed to connect to bus: No medium found")
unit = Path(os.environ["XDG_CONFIG_HOME"], "systemd", "user", sys.argv[3]) if len(sys.argv) > 4 else None
if sys.argv[2] == "show" and unit:
    print("LoadState=" + ("loaded" if unit.exists() else "not-found"))
    print("UnitFileState=enabled" if unit.exists() else "UnitFileState=")
    print("ActiveState=active" if unit.exists() else "ActiveState=inactive")
"""


class Machine:
    """A user with a home, a folder of notes, and that systemctl."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.config, self.kb = folder / "bin", folder / "config", folder / "my notes"
        for made in (self.bin, self.config, self.kb):
            made.mkdir()
        program = self.bin / "systemctl"
        program.write_text(_SYSTEMCTL.format(python=sys.executable))
        program.chmod(0o755)
        self.environ = {"PATH": str(self.bin), "HOME": str(folder), "XDG_CONFIG_HOME": str(self.config)}
        self.folder = folder

    def service(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "grooveseek", "service", *arguments],
            env={**self.environ, "PYTHONPATH": ROOT, **environ},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def toml(self, name: str = "groove") -> Path:
        return self.config / "groove" / name / "groove.toml"

    @property
    def calls(self) -> list[str]:
        path = self.bin / "calls"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def units(self) -> list[str]:
        return sorted(path.name for path in (self.config / "systemd").rglob("*.service"))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_an_installation_writes_settings_of_its_own_and_starts_the_unit(machine: Machine):
    done = machine.service("install", "--kb-path", "my notes", "--bind", "127.0.0.1:3111")
    assert (done.returncode, done.stdout) == (0, "")
    written = tomllib.loads(machine.toml().read_text())
    assert written["kb_path"] == str(machine.kb)
    assert written["transport"] == {"kind": "http", "http": {**written["transport"]["http"], "bind": "127.0.0.1:3111"}}
    assert machine.toml().stat().st_mode & 0o777 == 0o600
    assert machine.toml().parent.stat().st_mode & 0o777 == 0o700
    unit = (machine.config / "systemd" / "user" / "groove.service").read_text()
    assert f'"--config" "{machine.toml()}"' in unit
    assert machine.calls == [
        "--user show --property=Version",
        "--user daemon-reload",
        "--user enable groove.service",
        "--user restart groove.service",
    ]


def test_without_auto_start_nothing_is_started(machine: Machine):
    done = machine.service("install", "--kb-path", "my notes", "--no-auto-start")
    assert machine.calls[2:] == ["--user disable groove.service", "--user try-restart groove.service"]
    assert "systemctl --user start groove.service" in done.stderr


def test_the_config_home_can_be_elsewhere(machine: Machine):
    elsewhere = machine.folder / "else where"
    assert machine.service("install", "--kb-path", "my notes", GROOVE_CONFIG_HOME=str(elsewhere)).returncode == 0
    assert (elsewhere / "groove" / "groove.toml").exists()
    assert not machine.toml().exists()


def test_settings_are_kept_and_flags_that_contradict_them_are_refused(machine: Machine):
    machine.service("install", "--kb-path", "my notes")
    machine.toml().write_text("# mine\n" + machine.toml().read_text())
    (machine.folder / "other").mkdir()
    assert machine.service("install", "--kb-path", "my notes", "--bind", "127.0.0.1:3100").returncode == 0
    for flags in (["--kb-path", "other"], ["--bind", "127.0.0.1:4000"]):
        done = machine.service("install", *flags)
        assert done.returncode == 2
        assert f"{flags[0]} " in done.stderr
        assert "--force" in done.stderr
    assert machine.toml().read_text().startswith("# mine\n")
    forced = machine.service("install", "--kb-path", "other", "--force")
    assert forced.returncode == 0
    assert tomllib.loads(machine.toml().read_text())["kb_path"] == str(machine.folder / "other")
    assert machine.toml().with_name("groove.toml.bak1").read_text().startswith("# mine\n")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "--kb-path"),
        (["--kb-path", "nowhere"], "is not a folder"),
        (["--kb-path", "my notes", "--service-name", "../x"], "--service-name"),
        (["--kb-path", "my notes", "--bind", "0.0.0.0:3100"], "--i-know"),
        (["--kb-path", "my notes", "--bind", "127.0.0.1:0"], "another one at every start"),
        (["--kb-path", "my notes", "--bind", "nonsense"], "--bind nonsense"),
        (["--kb-path", "my notes", "--config", "x"], "Leave --config out"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(machine: Machine, flags: list[str], said: str):
    done = machine.service("install", *flags)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert (machine.calls, machine.units, machine.toml().exists()) == ([], [], False)


def test_a_systemd_that_cannot_be_reached_is_told_before_anything_is_written(machine: Machine):
    (machine.bin / "broken").touch()
    done = machine.service("install", "--kb-path", "my notes")
    assert done.returncode == 2
    assert "Failed to connect to bus" in done.stderr
    assert "enable-linger" in done.stderr
    assert (machine.units, machine.toml().exists()) == ([], False)


def test_two_services_live_side_by_side_and_not_on_one_port(machine: Machine):
    machine.service("install", "--kb-path", "my notes")
    taken = machine.service("install", "--kb-path", "my notes", "--service-name", "work")
    assert taken.returncode == 2
    assert "--bind 127.0.0.1:3101" in taken.stderr
    with StatusServer() as server:
        flags = ["--kb-path", "my notes", "--service-name", "work", "--bind", server.bind]
        assert machine.service("install", *flags).returncode == 0
        assert machine.units == ["groove-work.service", "groove.service"]
        rows = [line.split("\t") for line in machine.service("list").stdout.splitlines()]
        assert [row[0] for row in rows] == ["groove", "work"]
        assert rows[1] == ["work", "answering", server.bind, str(machine.kb)]
        assert machine.service("status", "--service-name", "work").returncode == 0
        listed = json.loads(machine.service("list", "--format", "json").stdout)
        assert listed[1]["server"]["pid"] == 4242
    assert machine.service("status", "--service-name", "work").returncode == 1


def test_an_uninstall_keeps_the_settings_and_a_purge_removes_what_groove_wrote(machine: Machine):
    machine.service("install", "--kb-path", "my notes")
    assert machine.service("uninstall").returncode == 0
    assert (machine.units, machine.toml().exists()) == ([], True)
    assert "--user disable --now groove.service" in machine.calls
    assert machine.service("uninstall").returncode == 1
    asked = machine.service("uninstall", "--purge")
    assert asked.returncode != 0
    assert machine.toml().exists()
    (machine.toml().parent / "mine.txt").touch()
    purged = machine.service("uninstall", "--purge", "--yes")
    assert purged.returncode == 0
    assert "mine.txt" in purged.stderr
    assert [path.name for path in machine.toml().parent.iterdir()] == ["mine.txt"]


def test_settings_that_cannot_be_read_are_told_by_status(machine: Machine):
    machine.service("install", "--kb-path", "my notes")
    machine.toml().write_text("kb_path = 3\n")
    done = machine.service("status")
    assert done.returncode == 1
    assert "groove.toml:1: kb_path" in done.stdout


def test_a_tray_icon_comes_up_at_login_and_goes_with_the_service(machine: Machine):
    stub = machine.folder / "stub"
    stub.mkdir()
    for module in ("pystray", "PIL"):
        (stub / f"{module}.py").touch()
    done = machine.service("install", "--kb-path", "my notes", "--with-tray", PYTHONPATH=f"{ROOT}:{stub}")
    assert done.returncode == 0
    entry = machine.config / "autostart" / "groove-tray.desktop"
    assert f'"-m" "grooveseek.tray" "--service-name" "groove" "--config" "{machine.toml()}"' in entry.read_text()
    machine.service("uninstall")
    assert not entry.exists()
