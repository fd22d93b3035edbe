"""Services as LaunchAgents, which launchd runs in the user's own session."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grooveseek.errors import ServiceError
from grooveseek.service.backend import Answer, Run, State, remove_file, require, write_whole
from grooveseek.service.definition import Definition
from grooveseek.service.launch_agent import label, render_plist

_WAYS_OUT = "Run it from a session at the screen of this Mac, not over ssh."
_PATIENCE = 50  # tenths of a second for launchd to let go of an agent


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchdBackend:
    """``agents`` is ``~/Library/LaunchAgents``, ``user`` the numeric user id of the session."""

    agents: Path
    user: int
    run: Run
    sleep: Callable[[float], None] = time.sleep

    def check(self) -> None:
        """Raise unless the user has a graphical session, where agents live."""
        require(self.run(["launchctl", "print", self._domain]), "speaking to launchd", _WAYS_OUT)

    def install(self, definition: Definition, *, force: bool) -> None:
        """Write the property list and load it, in place of an earlier one."""
        name = label(definition.name, tray=definition.tray)
        if definition.log is not None:
            _make_folder(Path(definition.log).parent)
        self._unload(name)
        path = self._path(name)
        write_whole(path, render_plist(definition))
        require(self.run(["launchctl", "bootstrap", self._domain, str(path)]), f"loading the agent {name}", _WAYS_OUT)

    def uninstall(self, name: str) -> bool:
        """Unload and remove both agents."""
        had_tray = self.remove_tray(name)
        return self._remove(label(name)) or had_tray

    def remove_tray(self, name: str) -> bool:
        """Unload and remove the tray's agent."""
        return self._remove(label(name, tray=True))

    def state(self, name: str) -> State:
        """``launchctl print`` for what runs, the property list for what starts at login."""
        answer = self._print(label(name))
        path = self._path(label(name))
        return State(
            installed=path.exists(),
            auto_start=_runs_at_load(path),
            running=answer.code == 0 and "state = running" in answer.out,
        )

    def start(self, name: str) -> None:
        """``launchctl kickstart``."""
        require(self.run(["launchctl", "kickstart", self._target(label(name))]), "starting the agent", _WAYS_OUT)

    def stop(self, name: str) -> None:
        """SIGTERM, after which groove exits with 0 and is not started again."""
        if self.state(name).running:
            target = self._target(label(name))
            require(self.run(["launchctl", "kill", "SIGTERM", target]), "stopping the agent", _WAYS_OUT)

    def names(self) -> set[str]:
        """From the property lists."""
        prefix = label("")
        return {path.stem.removeprefix(prefix) for path in self.agents.glob(f"{prefix}*.plist")}

    def start_command(self, name: str) -> str:
        """For people."""
        return f"launchctl kickstart {self._target(label(name))}"

    @property
    def _domain(self) -> str:
        return f"gui/{self.user}"

    def _target(self, name: str) -> str:
        return f"{self._domain}/{name}"

    def _path(self, name: str) -> Path:
        return self.agents / f"{name}.plist"

    def _print(self, name: str) -> Answer:
        return self.run(["launchctl", "print", self._target(name)])

    def _remove(self, name: str) -> bool:
        if not self._path(name).exists():
            return False
        self._unload(name)
        return remove_file(self._path(name))

    def _unload(self, name: str) -> None:
        """``bootout`` returns before launchd has let go, and a ``bootstrap`` in between is refused."""
        if self._print(name).code != 0:
            return
        self.run(["launchctl", "bootout", self._target(name)])
        for _ in range(_PATIENCE):
            if self._print(name).code != 0:
                return
            self.sleep(0.1)
        raise ServiceError(f"launchd still holds the agent {name} after 5 seconds. Try again.")


def _runs_at_load(path: Path) -> bool:
    import plistlib

    try:
        return plistlib.loads(path.read_bytes()).get("RunAtLoad") is True
    except (OSError, ValueError, plistlib.InvalidFileException):
        return False


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ServiceError(f"{folder} cannot be made: {error.strerror or error}. Make it yourself.") from error
