from __future__ import annotations

import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest
from grooveseek.errors import UsageError
from grooveseek.service.definition import Definition, check_name, refuse_expansion, unit_stem
from grooveseek.service.desktop_entry import render_desktop_entry
from grooveseek.service.launch_agent import render_plist
from grooveseek.service.powershell import encoded, render_registration, render_removal, render_state
from grooveseek.service.systemd_unit import render_command, render_unit

GOLDEN = Path(__file__).parent / "golden"
LINUX = Definition(
    name="groove",
    command=(
        "/opt/my tools/bin/python3",
        "-P",
        "-m",
        "grooveseek",
        "serve",
        "--config",
        '/home/ann/50% "off"/グルーヴ\\/groove.toml',
        "--transport",
        "http",
    ),
)
MAC = Definition(
    name="work",
    command=("/opt/venv/bin/python", "-P", "-m", "grooveseek", "serve", "--config", "/Users/a & <b>/groove.toml"),
    log="/Users/a & <b>/Library/Logs/groove/work.log",
)
WINDOWS = Definition(
    name="groove",
    command=("C:\\Program Files\\O'Neil\\groove-svc.exe", "--config", "C:\\Users\\Ann Lee\\groove\\groove.toml"),
)
TRAY = Definition(name="groove", command=("/opt/my $tools/python", "-m", "grooveseek.tray"), tray=True)
CASES = {
    "groove.service": render_unit(LINUX).encode(),
    "server.plist": render_plist(MAC),
    "server-not-by-itself.plist": render_plist(
        Definition(name="work", command=MAC.command, log=MAC.log, auto_start=False)
    ),
    "tray.plist": render_plist(Definition(name="work", command=MAC.command, tray=True)),
    "register.ps1": render_registration(WINDOWS).encode(),
    "register-not-by-itself.ps1": render_registration(
        Definition(name="groove", command=WINDOWS.command, auto_start=False)
    ).encode(),
    "remove.ps1": render_removal("groove tray").encode(),
    "state.ps1": render_state("groove").encode(),
    "tray.desktop": render_desktop_entry(TRAY).encode(),
}


@pytest.mark.parametrize("name", CASES)
def test_a_rendered_file_is_the_golden_one(name: str):
    assert CASES[name].decode() == (GOLDEN / name).read_text(encoding="utf-8")


def test_a_launch_agent_keeps_its_log_private_and_starts_by_itself_only_when_asked():
    agent = plistlib.loads(CASES["server.plist"])
    assert (agent["Umask"], agent["RunAtLoad"], agent["KeepAlive"]) == (0o077, True, {"SuccessfulExit": False})
    quiet = plistlib.loads(CASES["server-not-by-itself.plist"])
    assert quiet["RunAtLoad"] is False
    assert "KeepAlive" not in quiet  # it would imply RunAtLoad


def test_dollars_are_kept_from_being_variables():
    assert render_command(("/opt/$HOME/python", "${USER}")) == ':"/opt/$HOME/python" "${USER}"'


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
@pytest.mark.parametrize("name", ["a b 50%h $HOME グルーヴ & <x> ;", 'it\'s "b" \\'])
def test_systemd_accepts_the_unit_with_a_program_in_a_hostile_folder(tmp_path: Path, name: str):
    folder = tmp_path / name
    folder.mkdir()
    program = folder / "python"
    program.symlink_to("/bin/true")
    unit = tmp_path / "groove-test.service"
    unit.write_text(render_unit(Definition(name="test", command=(str(program), str(folder)))), encoding="utf-8")
    runtime = tmp_path / "run"
    runtime.mkdir()
    command = ["systemd-analyze", "--user", "verify", str(unit)]
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(runtime)}
    done = subprocess.run(command, capture_output=True, text=True, env=environ)
    assert (done.returncode, done.stderr) == (0, "")
    unit.write_text(unit.read_text(encoding="utf-8").replace("[Service]\n", "[Service]\nExecStart=nowhere\n"))
    assert subprocess.run(command, capture_output=True, env=environ).returncode != 0


def test_the_script_travels_as_utf_16():
    import base64

    assert base64.b64decode(encoded("é'$x\n")).decode("utf-16-le") == "é'$x\n"


@pytest.mark.parametrize("name", ["groove", "a", "work-2", "my.notes", "x_", "0", "a" * 40])
def test_plain_names_are_names(name: str):
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a b",
        "..",
        ".a",
        "a.",
        "-a",
        "a/b",
        "a\\b",
        "A",
        "グ",
        "a%",
        "a'",
        "con",
        "nul.x",
        "lpt1",
        "a" * 41,
        "a\n",
        "²",
    ],
)
def test_names_that_a_folder_a_unit_or_a_task_cannot_have_are_refused(name: str):
    with pytest.raises(UsageError, match="--service-name"):
        check_name(name)


def test_no_service_takes_the_unit_of_another():
    assert [unit_stem(name) for name in ("groove", "dbus", "groove-dbus")] == [
        "groove",
        "groove-dbus",
        "groove-groove-dbus",
    ]


@pytest.mark.parametrize("text", ["a\nb", "a\0", "\x7f", "\udcff"])
def test_what_no_service_file_can_hold_is_refused(text: str):
    with pytest.raises(UsageError, match="cannot hold"):
        Definition(name="groove", command=("/bin/x", text))


def test_a_name_between_percent_signs_is_refused_for_the_task_scheduler():
    refuse_expansion(("C:\\100% sure\\x.exe", "50%"))
    with pytest.raises(UsageError, match="percent signs"):
        refuse_expansion(("C:\\%TEMP%\\x.exe",))
