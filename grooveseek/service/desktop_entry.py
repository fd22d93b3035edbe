"""An XDG autostart entry: how a tray icon comes up with a Linux desktop (Desktop Entry Specification 1.5)."""

from __future__ import annotations

from grooveseek.service.definition import Definition

_ENTRY = """\
[Desktop Entry]
Type=Application
Version=1.5
Name={name}
Exec={command}
Terminal=false
NoDisplay=true
"""


def render_desktop_entry(definition: Definition) -> str:
    """The ``.desktop`` file."""
    command = " ".join(quote(argument) for argument in definition.command)
    return _ENTRY.format(name=_string(definition.title), command=_string(command))


def quote(argument: str) -> str:
    """An argument of ``Exec`` in double quotes, before the escaping that every string of the file gets."""
    for character in '\\"`$':  # the backslash first
        argument = argument.replace(character, f"\\{character}")
    return '"' + argument.replace("%", "%%") + '"'


def _string(text: str) -> str:
    return text.replace("\\", "\\\\")
