"""Services as tasks of the Windows Task Scheduler, through PowerShell's own cmdlets; no elevation."""

from __future__ import annotations

from dataclasses import dataclass

from grooveseek.service.backend import Run, State, require
from grooveseek.service.definition import Definition, refuse_expansion
from grooveseek.service.powershell import (
    TASK_PATH,
    encoded,
    render_registration,
    render_removal,
    render_state,
    render_verb,
    task_name,
)

_WAYS_OUT = "The Task Scheduler's own window (taskschd.msc) shows the tasks in the folder groove."


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSchedulerBackend:
    """A server is the task ``\\groove\\NAME``, a tray icon ``\\groove\\NAME tray``."""

    run: Run

    def check(self) -> None:
        """Raise unless PowerShell has the cmdlets."""
        self._script("speaking to the Task Scheduler", "Get-Command Register-ScheduledTask | Out-Null\n")

    def install(self, definition: Definition, *, force: bool) -> None:
        """Register the task in place of an earlier one, and start it if it starts by itself."""
        refuse_expansion(definition.command)
        task = task_name(definition.name, tray=definition.tray)
        was_running = self._state(task).running
        if was_running:
            self._script("stopping the task", render_verb("Stop", task))
        self._script("registering the task", render_registration(definition))
        if definition.auto_start or was_running:
            self._script("starting the task", render_verb("Start", task))

    def uninstall(self, name: str) -> bool:
        """Stop and remove both tasks."""
        had_tray = self.remove_tray(name)
        return self._remove(task_name(name)) or had_tray

    def remove_tray(self, name: str) -> bool:
        """Stop and remove the tray's task."""
        return self._remove(task_name(name, tray=True))

    def state(self, name: str) -> State:
        """What ``Get-ScheduledTask`` says."""
        return self._state(task_name(name))

    def start(self, name: str) -> None:
        """``Start-ScheduledTask``; a task that runs ignores it."""
        self._script("starting the task", render_verb("Start", task_name(name)))

    def stop(self, name: str) -> None:
        """``Stop-ScheduledTask``."""
        self._script("stopping the task", render_verb("Stop", task_name(name)))

    def names(self) -> set[str]:
        """None: no file tells, and the folders of the config home do."""
        return set()

    def start_command(self, name: str) -> str:
        """For people."""
        return f"Start-ScheduledTask -TaskPath {TASK_PATH} -TaskName {name}"

    def _remove(self, task: str) -> bool:
        if not self._state(task).installed:
            return False
        self._script("removing the task", render_removal(task))
        return True

    def _state(self, task: str) -> State:
        out = self._script("asking for the task", render_state(task))
        told = dict(word.partition("=")[::2] for word in out.split())
        return State(
            installed=told.get("installed") == "True",
            auto_start=told.get("auto_start") == "True",
            running=told.get("running") == "True",
        )

    def _script(self, doing: str, script: str) -> str:
        flags = ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-OutputFormat", "Text"]
        return require(self.run(["powershell.exe", *flags, "-EncodedCommand", encoded(script)]), doing, _WAYS_OUT)
