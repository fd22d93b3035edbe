"""PowerShell scripts for the Task Scheduler, and the two quotings they need."""

from __future__ import annotations

import base64
from subprocess import list2cmdline

from grooveseek.service.definition import Definition

TASK_PATH = "\\groove\\"

_QUOTES = "'\u2018\u2019\u201a\u201b"
"""PowerShell takes the typographic single quotes for the plain one."""

_PRELUDE = """\
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
"""
_REGISTER = """\
$user = [System.Security.Principal.WindowsIdentity]::GetCurrent().Name
$task = @{{
    TaskPath = {path}
    TaskName = {name}
    Description = {title}
    Action = New-ScheduledTaskAction -Execute {program} -Argument {arguments}
    Principal = New-ScheduledTaskPrincipal -UserId $user -LogonType Interactive -RunLevel Limited
    Settings = New-ScheduledTaskSettingsSet -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries `
        -ExecutionTimeLimit ([TimeSpan]::Zero) -MultipleInstances IgnoreNew `
        -RestartCount 3 -RestartInterval (New-TimeSpan -Minutes 1)
}}
{trigger}Register-ScheduledTask @task -Force | Out-Null
"""
_AT_LOGON = "$task.Trigger = New-ScheduledTaskTrigger -AtLogOn -User $user\n"
_FIND = "$task = Get-ScheduledTask -TaskPath {path} -TaskName {name} -ErrorAction SilentlyContinue\n"
_UNREGISTER = """\
if ($task) {
    $task | Stop-ScheduledTask
    $task | Unregister-ScheduledTask -Confirm:$false
}
"""
_STATE = """\
if ($task) {
    $trigger = [bool]@($task.Triggers | Where-Object { $_ })
    $running = [string]$task.State -eq 'Running'
    [Console]::Out.Write("installed=True auto_start=$trigger running=$running")
} else {
    [Console]::Out.Write('installed=False auto_start=False running=False')
}
"""


def quote(text: str) -> str:
    """A single-quoted string, in which only quotes count, and a doubled one stands for itself (about_Quoting_Rules)."""
    return "'" + "".join(character * 2 if character in _QUOTES else character for character in text) + "'"


def render_registration(definition: Definition) -> str:
    """The script that registers the task, or replaces it. It runs at its user's logon, without elevation."""
    program, *arguments = definition.command
    return _PRELUDE + _REGISTER.format(
        path=quote(TASK_PATH),
        name=quote(task_name(definition.name, tray=definition.tray)),
        title=quote(definition.title),
        program=quote(program),
        arguments=quote(list2cmdline(arguments)),
        trigger=_AT_LOGON if definition.auto_start else "",
    )


def render_removal(task: str) -> str:
    """The script that stops the task and removes it; one that is not there is no error."""
    return _PRELUDE + _find(task) + _UNREGISTER


def render_state(task: str) -> str:
    """The script that writes ``installed=True auto_start=True running=False``."""
    return _PRELUDE + _find(task) + _STATE


def render_verb(verb: str, task: str) -> str:
    """``Start-ScheduledTask`` or ``Stop-ScheduledTask``."""
    return f"{_PRELUDE}{verb}-ScheduledTask -TaskPath {quote(TASK_PATH)} -TaskName {quote(task)}\n"


def task_name(name: str, *, tray: bool = False) -> str:
    """The task's name in its folder. A blank is in no service's name, so the two kinds never meet."""
    return f"{name} tray" if tray else name


def encoded(script: str) -> str:
    """The script as ``-EncodedCommand`` takes it: no quoting of the command line can touch it."""
    return base64.b64encode(script.encode("utf-16-le")).decode("ascii")


def _find(task: str) -> str:
    return _FIND.format(path=quote(TASK_PATH), name=quote(task))
