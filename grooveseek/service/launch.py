"""The launch lines of the server and of the tray icon."""

from __future__ import annotations

import ntpath
import os
import sys
from collections.abc import Callable

from grooveseek.errors import ServiceError


def server_command(config: str, platform: str, executable: str, exists: Callable[[str], bool]) -> tuple[str, ...]:
    """How the server is started. ``executable`` is the running Python, ``exists`` tells whether a program is there.

    ``-P`` keeps the directory that the service starts in from being imported from. On Windows it is the launcher
    without a window, which adds ``serve --transport http`` itself. Raises ServiceError when Python does not know where
    it is.
    """
    if platform == "win32":
        return (*_windowless("groove-svc.exe", "grooveseek.cli.launcher", executable, exists), "--config", config)
    return (*_module("grooveseek", executable), "serve", "--config", config, "--transport", "http")


def tray_command(
    name: str, config: str, platform: str, executable: str, exists: Callable[[str], bool]
) -> tuple[str, ...]:
    """How the tray icon is started."""
    if platform == "win32":
        start = _windowless("groove-tray.exe", "grooveseek.tray", executable, exists)
    else:
        start = _module("grooveseek.tray", executable)
    return (*start, "--service-name", name, "--config", config)


def this_server(config: str) -> tuple[str, ...]:
    """The server's launch line on this system, with this Python."""
    return server_command(config, sys.platform, sys.executable, os.path.isfile)


def this_tray(name: str, config: str) -> tuple[str, ...]:
    """The tray icon's launch line on this system, with this Python."""
    return tray_command(name, config, sys.platform, sys.executable, os.path.isfile)


def _module(module: str, executable: str) -> tuple[str, ...]:
    if not executable:
        raise ServiceError("Python does not say where it is installed, so no service can start it.")
    return (executable, "-P", "-m", module)


def _windowless(script: str, module: str, executable: str, exists: Callable[[str], bool]) -> tuple[str, ...]:
    """The installed gui script beside Python, or in ``Scripts`` below it; else pythonw.exe, which has no window."""
    folder = ntpath.dirname(executable)
    for candidate in (ntpath.join(folder, script), ntpath.join(folder, "Scripts", script)):
        if exists(candidate):
            return (candidate,)
    return _module(module, executable and ntpath.join(folder, "pythonw.exe"))
