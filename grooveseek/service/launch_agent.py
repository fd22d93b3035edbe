"""A macOS LaunchAgent as a property list (launchd.plist(5))."""

from __future__ import annotations

import plistlib
from typing import Any

from grooveseek.service.definition import Definition

LABEL_PREFIX = "grooveseek."


def label(definition_name: str, *, tray: bool = False) -> str:
    """The name launchd knows the agent by, and the stem of its file."""
    return f"{LABEL_PREFIX}{'tray.' if tray else 'server.'}{definition_name}"


def render_plist(definition: Definition) -> bytes:
    """The property list, in XML.

    ``KeepAlive`` with ``SuccessfulExit`` implies ``RunAtLoad``, so an agent that is not to start by itself has neither.
    A tray icon is not started again once its user has quit it.
    """
    entries: dict[str, Any] = {
        "Label": label(definition.name, tray=definition.tray),
        "ProgramArguments": list(definition.command),
        "RunAtLoad": definition.auto_start,
        "ProcessType": "Interactive" if definition.tray else "Background",
        "Umask": 0o077,
    }
    if definition.auto_start and not definition.tray:
        entries["KeepAlive"] = {"SuccessfulExit": False}
        entries["ThrottleInterval"] = 10
    if definition.log is not None:
        entries["StandardErrorPath"] = definition.log
        entries["StandardOutPath"] = definition.log
    return plistlib.dumps(entries, sort_keys=False)
