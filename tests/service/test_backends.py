"""The commands that each service manager is given, and what is made of its answers."""

from __future__ import annotations

import base64
import plistlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from grooveseek.errors import ServiceError, UsageError
from grooveseek.service.backend import Answer, State, backend_for, run_command
from grooveseek.service.definition import Definition
from grooveseek.service.launch import server_command, tray_command
from grooveseek.service.launchd import LaunchdBackend
from grooveseek.service.systemd import SystemdBackend
from grooveseek.service.task_scheduler import TaskSchedulerBackend

OK = Answer(0, "", "")
COMMAND = ("/opt/venv/bin/python", "-P", "-m", "grooveseek", "serve", "--config", "/c/groove.toml")


class Recorder:
    """Answers every command by ``reply``, and keeps them."""

    def __init__(self, reply: Callable[[str], Answer] = lambda _: OK) -> None:
        self.commands: list[str] = []
        self.reply = reply

    def __call__(self, command: Sequence[str]) -> Answer:
        text = " ".join(command)
        self.commands.append(text)
        return self.reply(text)


# -- launchd -------------------------------------------------------------------------------------------------------


class Launchd:
    """launchctl as far as groove goes: agents are loaded and let go, the latter after some questions."""

    def __init__(self, lingering: int = 0) -> None:
        self.loaded: set[str] = set()
        self.leaving: dict[str, int] = {}
        self.lingering = lingering

    def __call__(self, command: str) -> Answer:
        _, verb, *arguments = command.split(" ", 3)
        name = arguments[0].rpartition("/")[2]
        if verb == "bootstrap":
            stem = Path(arguments[1]).stem
            if stem in self.leaving:
                return Answer(5, "", "Bootstrap failed: 5: Input/output error")
            self.loaded.add(stem)
        elif verb == "bootout":
            self.loaded.discard(name)
            self.leaving[name] = self.lingering
        elif verb == "print" and name != "501":
            if self.leaving.get(name, 0) > 0:
                self.leaving[name] -= 1
                return Answer(0, "state = exiting", "")
            self.leaving.pop(name, None)
            return Answer(0, "\tstate = running\n", "") if name in self.loaded else Answer(113, "", "Could not find")
        return OK


def launchd(tmp_path: Path, lingering: int = 0) -> tuple[LaunchdBackend, Recorder]:
    run = Recorder(Launchd(lingering))
    return LaunchdBackend(agents=tmp_path / "Agents", user=501, run=run, sleep=lambda _: None), run


def test_launchd_loads_an_agent_and_lets_go_of_it(tmp_path: Path):
    backend, run = launchd(tmp_path)
    log = str(tmp_path / "Logs" / "groove" / "work.log")
    backend.check()
    backend.install(Definition(name="work", command=COMMAND, log=log), force=False)
    path = tmp_path / "Agents" / "grooveseek.server.work.plist"
    assert plistlib.loads(path.read_bytes())["ProgramArguments"] == list(COMMAND)
    assert Path(log).parent.is_dir()
    assert backend.state("work") == State(installed=True, auto_start=True, running=True)
    assert backend.names() == {"work"}
    backend.start("work")
    backend.stop("work")
    assert backend.uninstall("work")
    assert not path.exists()
    assert not backend.uninstall("work")
    assert [command for command in run.commands if " print " not in command] == [
        f"launchctl bootstrap gui/501 {path}",
        "launchctl kickstart gui/501/grooveseek.server.work",
        "launchctl kill SIGTERM gui/501/grooveseek.server.work",
        "launchctl bootout gui/501/grooveseek.server.work",
    ]


def test_launchd_is_given_time_to_let_go_before_an_agent_is_loaded_again(tmp_path: Path):
    backend, run = launchd(tmp_path, lingering=7)
    for auto_start in (True, False):
        backend.install(Definition(name="work", command=COMMAND, auto_start=auto_start), force=False)
    assert sum("bootstrap" in command for command in run.commands) == 2
    assert backend.state("work") == State(installed=True, auto_start=False, running=True)


def test_an_agent_that_launchd_does_not_let_go_of_is_told(tmp_path: Path):
    backend, _ = launchd(tmp_path, lingering=1000)
    backend.install(Definition(name="work", command=COMMAND), force=False)
    with pytest.raises(ServiceError, match="still holds the agent"):
        backend.uninstall("work")


def test_the_tray_is_an_agent_of_its_own(tmp_path: Path):
    backend, _ = launchd(tmp_path)
    backend.install(Definition(name="work", command=COMMAND, tray=True), force=False)
    assert backend.names() == set()
    assert [path.name for path in (tmp_path / "Agents").iterdir()] == ["grooveseek.tray.work.plist"]
    assert backend.uninstall("work")
    assert list((tmp_path / "Agents").iterdir()) == []


# -- Task Scheduler ------------------------------------------------------------------------------------------------


def script(command: str) -> str:
    assert command.startswith("powershell.exe -NoProfile -NonInteractive ")
    return base64.b64decode(command.rpartition(" ")[2]).decode("utf-16-le")


class Tasks:
    """PowerShell as far as groove goes: scripts are told apart by their cmdlet."""

    def __init__(self) -> None:
        self.tasks: dict[str, bool] = {}
        self.did: list[str] = []

    def __call__(self, command: str) -> Answer:
        text = script(command)
        name = next(iter(n for n in ("work tray", "work") if f"'{n}'" in text), "")
        did = next(v for v in ("Register-", "Unregister-", "Start-", "Stop-", "Write", "Get-Command") if f"{v}" in text)
        if "Unregister-" in text:
            did = "Unregister-"
            del self.tasks[name]
        elif did == "Register-" and "Get-Command" not in text:
            self.tasks[name] = False
        elif did in ("Start-", "Stop-"):
            self.tasks[name] = did == "Start-"
        if "Console]::Out.Write" in text:
            state = self.tasks.get(name)
            return Answer(0, f"installed={state is not None} auto_start=True running={state is True}", "")
        self.did.append(f"{did} {name}")
        return OK


def test_tasks_are_registered_started_and_removed():
    tasks = Tasks()
    backend = TaskSchedulerBackend(run=Recorder(tasks))
    command = server_command("C:\\x y\\groove.toml", "win32", "C:\\v\\python.exe", lambda _: False)
    assert command[0] == "C:\\v\\pythonw.exe"
    backend.install(Definition(name="work", command=command), force=False)
    backend.install(Definition(name="work", command=command, tray=True), force=False)
    assert backend.state("work") == State(installed=True, auto_start=True, running=True)
    backend.install(Definition(name="work", command=command, auto_start=False), force=False)
    assert tasks.did[4:] == ["Stop- work", "Register- work", "Start- work"]  # one that runs is restarted
    assert backend.uninstall("work")
    assert (tasks.tasks, backend.uninstall("work")) == ({}, False)


def test_a_task_that_is_not_to_start_by_itself_is_not_started():
    tasks = Tasks()
    TaskSchedulerBackend(run=Recorder(tasks)).install(
        Definition(name="work", command=("C:\\x.exe", "--config", "y"), auto_start=False), force=False
    )
    assert tasks.did == ["Register- work"]


def test_a_path_that_the_task_scheduler_would_change_is_refused_before_anything_is_done():
    run = Recorder()
    with pytest.raises(UsageError, match="percent"):
        TaskSchedulerBackend(run=run).install(Definition(name="a", command=("C:\\%TEMP%\\x.exe",)), force=False)
    assert run.commands == []


def test_what_powershell_says_is_passed_on():
    backend = TaskSchedulerBackend(run=lambda _: Answer(1, "", "Access is\r\n denied."))
    with pytest.raises(ServiceError, match=r"registering|asking for the task failed: Access is denied\. "):
        backend.state("work")


# -- launch lines --------------------------------------------------------------------------------------------------


def test_windows_prefers_the_installed_program_without_a_window():
    beside = server_command("c", "win32", "C:\\v\\Scripts\\python.exe", {"C:\\v\\Scripts\\groove-svc.exe"}.__contains__)
    below = tray_command("n", "c", "win32", "C:\\Py\\python.exe", {"C:\\Py\\Scripts\\groove-tray.exe"}.__contains__)
    assert beside == ("C:\\v\\Scripts\\groove-svc.exe", "--config", "c")
    assert below == ("C:\\Py\\Scripts\\groove-tray.exe", "--service-name", "n", "--config", "c")


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_a_python_that_does_not_know_where_it_is_is_refused(platform: str):
    with pytest.raises(ServiceError, match="where it is installed"):
        server_command("c", platform, "", lambda _: False)


# -- choosing, and systemd -----------------------------------------------------------------------------------------


def test_each_system_has_its_backend(tmp_path: Path):
    assert isinstance(backend_for("linux", {}, tmp_path), SystemdBackend)
    assert isinstance(backend_for("darwin", {}, tmp_path), LaunchdBackend)
    assert isinstance(backend_for("win32", {}, tmp_path), TaskSchedulerBackend)
    with pytest.raises(ServiceError, match="freebsd14"):
        backend_for("freebsd14", {}, tmp_path)


@pytest.mark.parametrize(("given", "used"), [("", ".config"), ("relative", ".config"), ("/elsewhere", "/elsewhere")])
def test_units_lie_where_xdg_says(tmp_path: Path, given: str, used: str):
    backend = backend_for("linux", {"XDG_CONFIG_HOME": given}, tmp_path)
    assert isinstance(backend, SystemdBackend)
    assert backend.config_dir == tmp_path / used


def test_a_unit_somebody_else_wrote_is_replaced_only_by_force(tmp_path: Path):
    backend = SystemdBackend(config_dir=tmp_path, run=Recorder())
    unit = tmp_path / "systemd" / "user" / "groove.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\nExecStart=/mine\n")
    definition = Definition(name="groove", command=COMMAND)
    with pytest.raises(ServiceError, match="not written by groove"):
        backend.install(definition, force=False)
    assert "/mine" in unit.read_text()
    assert backend.names() == set()
    backend.install(definition, force=True)
    backend.install(definition, force=False)
    assert "/mine" not in unit.read_text()
    assert backend.names() == {"groove"}


def test_a_unit_that_systemd_refuses_is_not_put_in_place(tmp_path: Path):
    refusal = Answer(1, "", "/tmp/x/groove.service:6: Unknown section")
    run = Recorder(lambda command: refusal if "verify" in command else OK)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shutil.which", lambda _: "/usr/bin/systemd-analyze")
        with pytest.raises(ServiceError, match=r"systemd refuses the unit groove\.service"):
            SystemdBackend(config_dir=tmp_path, run=run).install(
                Definition(name="groove", command=COMMAND), force=False
            )
    assert list(tmp_path.rglob("*.service")) == []


def test_a_program_that_is_not_there_and_one_that_fails_are_told():
    with pytest.raises(ServiceError, match="no-such-manager is not on this system"):
        run_command(["no-such-manager", "x"])
    done = run_command([sys.executable, "-c", "import sys; sys.stderr.write('é'); sys.exit(3)"])
    assert done.code == 3
