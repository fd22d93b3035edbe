"""What a service manager does for groove, and which one this system has."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from grooveseek.errors import ServiceError
from grooveseek.service.definition import Definition

SECONDS = 60
"""How long one command of a service manager may take; PowerShell's first start can need half of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What the service manager says of a service. ``auto_start``: at login. ``running``: its process exists."""

    installed: bool
    auto_start: bool = False
    running: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


Run = Callable[[Sequence[str]], Answer]


class Backend(Protocol):
    """A service manager of the user's own session. No method needs root; each raises ServiceError."""

    def check(self) -> None:
        """Raise unless the service manager can be spoken to."""

    def install(self, definition: Definition, *, force: bool) -> None:
        """Define the service and, when it starts by itself, start it now (again, if it runs)."""

    def uninstall(self, name: str) -> bool:
        """End the server and its tray icon and remove both; false when neither was there."""

    def remove_tray(self, name: str) -> bool:
        """End the tray icon's autostart; false when there was none."""

    def state(self, name: str) -> State:
        """How the server stands."""

    def start(self, name: str) -> None:
        """Start the server; one that runs is left alone."""

    def stop(self, name: str) -> None:
        """Have the service manager end the server; one that does not run is left alone."""

    def names(self) -> set[str]:
        """The services that are defined, as far as files tell."""

    def start_command(self, name: str) -> str:
        """What a person types to start it."""


def backend_for(platform: str, environ: Mapping[str, str], home: Path) -> Backend:
    """The backend of ``sys.platform``. Raises ServiceError for a system groove knows no service manager of."""
    if platform == "linux":
        from grooveseek.service.systemd import SystemdBackend

        return SystemdBackend(config_dir=_xdg_config(environ, home), run=run_command)
    if platform == "darwin":
        from grooveseek.service.launchd import LaunchdBackend

        return LaunchdBackend(agents=home / "Library" / "LaunchAgents", user=_user_id(), run=run_command)
    if platform == "win32":
        from grooveseek.service.task_scheduler import TaskSchedulerBackend

        return TaskSchedulerBackend(run=run_command)
    raise ServiceError(
        f"groove knows no service manager of {platform}. Start `groove serve --transport http` yourself."
    )


def this_backend() -> Backend:
    """The backend of the system this runs on."""
    return backend_for(sys.platform, os.environ, Path.home())


def run_command(command: Sequence[str]) -> Answer:
    """Run a program to its end, without a window. Raises ServiceError when it cannot be started or does not end."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
            encoding="utf-8",
            errors="replace",
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except FileNotFoundError:
        raise ServiceError(f"{command[0]} is not on this system, and groove needs it to manage services.") from None
    except OSError as error:
        raise ServiceError(f"{command[0]} cannot be started: {error.strerror or error}.") from error
    except subprocess.TimeoutExpired:
        raise ServiceError(f"{' '.join(command[:4])} did not end within {SECONDS} seconds. Try again.") from None
    return Answer(done.returncode, done.stdout, done.stderr)


def require(answer: Answer, doing: str, way_out: str) -> str:
    """What the command printed. Raises ServiceError with its own words when it failed."""
    if answer.code != 0:
        said = " ".join((answer.err or answer.out).split())[:500] or f"exit code {answer.code}"
        raise ServiceError(f"{doing} failed: {said.rstrip('.')}. {way_out}")
    return answer.out


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that appears whole or not at all, readable by its owner alone. Raises ServiceError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ServiceError(f"{path} cannot be written: {error.strerror or error}. Make the folder writable.") from error


def remove_file(path: Path) -> bool:
    """Remove a file; false when it was not there. Raises ServiceError."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise ServiceError(f"{path} cannot be removed: {error.strerror or error}. Remove it yourself.") from error
    return True


def _xdg_config(environ: Mapping[str, str], home: Path) -> Path:
    """A relative value counts as unset (XDG Base Directory Specification)."""
    given = environ.get("XDG_CONFIG_HOME", "")
    return Path(given) if Path(given).is_absolute() else home / ".config"


def _user_id() -> int:
    if sys.platform == "win32":
        return 0
    else:
        return os.getuid()
