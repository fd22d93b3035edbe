"""Services under ``systemd --user``; the tray icon comes up by XDG autostart, since not every desktop starts units."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from grooveseek.errors import ServiceError
from grooveseek.service.backend import Run, State, remove_file, require, write_whole
from grooveseek.service.definition import DEFAULT_NAME, Definition, unit_stem
from grooveseek.service.desktop_entry import render_desktop_entry
from grooveseek.service.systemd_unit import render_unit

_MARK = "# Written by groove service install; another install replaces it.\n"
_NO_MANAGER = "Run it from a login session of your own, or once `loginctl enable-linger` has been run."
_AGAIN = "`journalctl --user` has more."
_PROPERTIES = "--property=LoadState,UnitFileState,ActiveState"
_RUNNING = frozenset({"active", "activating", "reloading", "deactivating"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemdBackend:
    """``config_dir`` is ``$XDG_CONFIG_HOME``."""

    config_dir: Path
    run: Run

    def check(self) -> None:
        """Raise unless the user's own systemd answers."""
        self._systemctl("speaking to systemd", "show", "--property=Version", way_out=_NO_MANAGER)

    def install(self, definition: Definition, *, force: bool) -> None:
        """Write the unit, or the tray's autostart entry; see :class:`Backend`."""
        if definition.tray:
            write_whole(self._autostart(definition.name), render_desktop_entry(definition).encode())
            return
        path, text = self._unit_path(definition.name), _MARK + render_unit(definition)
        _refuse_foreign(path, force=force)
        self._verify(path.name, text)
        write_whole(path, text.encode())
        self._systemctl("reading the new unit", "daemon-reload")
        if definition.auto_start:
            self._systemctl("enabling the service", "enable", path.name)
            self._systemctl("starting the service", "restart", path.name)
        else:
            self._systemctl("disabling the service", "disable", path.name)
            self._systemctl("restarting the service", "try-restart", path.name)

    def uninstall(self, name: str) -> bool:
        """Stop and disable the unit, and remove it with the tray's entry."""
        had_tray = self.remove_tray(name)
        path = self._unit_path(name)
        if not path.exists():
            return had_tray
        self._systemctl("stopping the service", "disable", "--now", path.name)
        remove_file(path)
        self._systemctl("forgetting the unit", "daemon-reload")
        self.run(["systemctl", "--user", "reset-failed", path.name])  # fails for a unit that never failed
        return True

    def remove_tray(self, name: str) -> bool:
        """Remove the tray's autostart entry."""
        return remove_file(self._autostart(name))

    def state(self, name: str) -> State:
        """What ``systemctl show`` says."""
        out = self._systemctl("asking for the service", "show", self._unit_path(name).name, _PROPERTIES)
        told = dict(line.partition("=")[::2] for line in out.splitlines())
        return State(
            installed=told.get("LoadState") == "loaded",
            auto_start=told.get("UnitFileState") == "enabled",
            running=told.get("ActiveState") in _RUNNING,
        )

    def start(self, name: str) -> None:
        """``systemctl start``."""
        self._systemctl("starting the service", "start", self._unit_path(name).name)

    def stop(self, name: str) -> None:
        """``systemctl stop``."""
        self._systemctl("stopping the service", "stop", self._unit_path(name).name)

    def names(self) -> set[str]:
        """From the units groove wrote."""
        stems = {path.stem for path in self._units().glob("groove*.service") if _is_ours(path)}
        return {DEFAULT_NAME if stem == DEFAULT_NAME else stem.removeprefix(f"{DEFAULT_NAME}-") for stem in stems}

    def start_command(self, name: str) -> str:
        """For people."""
        return f"systemctl --user start {self._unit_path(name).name}"

    def _systemctl(self, doing: str, *arguments: str, way_out: str = _AGAIN) -> str:
        return require(self.run(["systemctl", "--user", *arguments]), doing, way_out)

    def _verify(self, unit: str, text: str) -> None:
        """Let systemd judge the unit before it is put in place. What it says of other units is not ours."""
        if shutil.which("systemd-analyze") is None:
            return
        with tempfile.TemporaryDirectory(prefix="groove-") as folder:
            draft = Path(folder) / unit
            draft.write_text(text, encoding="utf-8")
            answer = self.run(["systemd-analyze", "--user", "verify", str(draft)])
        if answer.code != 0 and unit in answer.err:
            said = " ".join(answer.err.replace(f"{folder}/", "").split())
            raise ServiceError(f"systemd refuses the unit {unit}: {said}")

    def _units(self) -> Path:
        return self.config_dir / "systemd" / "user"

    def _unit_path(self, name: str) -> Path:
        return self._units() / f"{unit_stem(name)}.service"

    def _autostart(self, name: str) -> Path:
        return self.config_dir / "autostart" / f"{unit_stem(name)}-tray.desktop"


def _refuse_foreign(path: Path, *, force: bool) -> None:
    if path.exists() and not force and not _is_ours(path):
        raise ServiceError(f"{path} was not written by groove. --force replaces it; --service-name takes another name.")


def _is_ours(path: Path) -> bool:
    try:
        return path.read_bytes().startswith(_MARK.encode())
    except OSError:
        return False
