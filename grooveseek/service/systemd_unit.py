"""A systemd user unit as text (systemd.service(5), systemd.syntax(7))."""

from __future__ import annotations

from grooveseek.service.definition import Definition

_BY_SHELL = ("/bin/sh", "-c", 'exec "$@"', "sh")
_UNIT = """\
[Unit]
Description={description}

[Service]
Type=exec
ExecStart={command}
Restart=on-failure
RestartSec=5
TimeoutStopSec=10
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
"""


def render_unit(definition: Definition) -> str:
    """The unit file. What is started at login is decided by enabling the unit, not by its text."""
    return _UNIT.format(description=_specifiers(definition.title), command=render_command(definition.command))


def render_command(command: tuple[str, ...]) -> str:
    """``ExecStart=``: every argument in double quotes; a ``:`` in front keeps dollars from being taken for variables.

    Doubling the dollars would do for arguments, but not for the program's path (systemd.service(5), Command lines).
    systemd takes no program whose own path has quotes or backslashes, however they are written; a shell takes it.
    """
    if any(character in command[0] for character in "\"'\\"):
        command = (*_BY_SHELL, *command)
    prefix = ":" if any("$" in argument for argument in command) else ""
    return prefix + " ".join(quote(argument) for argument in command)


def quote(argument: str) -> str:
    """One argument in double quotes, with backslashes, quotes and specifiers escaped."""
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_specifiers(escaped)}"'


def _specifiers(text: str) -> str:
    return text.replace("%", "%%")
