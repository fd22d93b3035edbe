"""What a background service is: its name, its launch line and where its files lie. Plain values, no I/O."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

from grooveseek.errors import UsageError

DEFAULT_NAME = "groove"

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_.-]{0,38}[a-z0-9_-])?", re.ASCII)
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.ASCII | re.IGNORECASE)
_EXPANDED = re.compile(r"%[^%]+%")


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """One program that the system keeps running for its user.

    ``command`` is the argument list, the program's absolute path first. ``log`` is the file that stderr goes to, or
    ``None`` where the system keeps a journal or the program writes its own. ``auto_start``: started at every login.
    ``tray``: the icon rather than the server, which is not started again when its user ends it.
    """

    name: str
    command: tuple[str, ...]
    log: str | None = None
    auto_start: bool = True
    tray: bool = False

    def __post_init__(self) -> None:
        for text in (self.name, *self.command, self.log or ""):
            refuse_unwritable(text)

    @property
    def title(self) -> str:
        """What a person reads in a list of services. It never ends with the name, which could end with a backslash."""
        return f"groove {'tray icon' if self.tray else 'search server'} ({self.name})"


def check_name(name: str) -> str:
    """The name of a service, which becomes a folder, a unit and a task. Raises UsageError.

    No capitals, since Windows and macOS would take two names that differ in nothing else for one.

    1 to 40 small ASCII letters, digits and ``_ . -``, beginning with a letter or a digit, not ending with a dot; none
    of the names that Windows keeps for devices.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"--service-name {name!r} is no name for a service. Use 1 to 40 small letters (a-z), digits, -, _ and "
            "dots, with a letter or a digit first and no dot last."
        )
    if _DEVICES.fullmatch(name):
        raise UsageError(f"--service-name {name!r} is a device on Windows. Choose another name.")
    return name


def unit_stem(name: str) -> str:
    """``groove`` for the default service, ``groove-NAME`` for another, so that no unit of the system is overridden."""
    return DEFAULT_NAME if name == DEFAULT_NAME else f"{DEFAULT_NAME}-{name}"


def refuse_unwritable(text: str | PurePath) -> None:
    """Refuse what no service file can hold: control characters, and names that are not Unicode. Raises UsageError."""
    for character in str(text):
        if ord(character) < 32 or ord(character) == 127 or 0xD800 <= ord(character) <= 0xDFFF:
            raise UsageError(
                f"{str(text)!r} holds {character!r}, which a service's files cannot hold. Rename the folder, or use "
                "another one."
            )


def refuse_expansion(command: tuple[str, ...]) -> None:
    """Refuse what Task Scheduler would replace, since it knows no way to quote it. Raises UsageError."""
    for argument in command:
        if _EXPANDED.search(argument):
            raise UsageError(
                f"{argument!r} has a name between percent signs, which Task Scheduler takes for a variable. Rename the "
                "folder, or use another one."
            )
