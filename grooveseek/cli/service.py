"""``groove service``: keep a server running in the background, from login on."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from grooveseek.cli.options import Invocation, common_options, working_directory
from grooveseek.cli.output import say, write, write_json
from grooveseek.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from grooveseek.service.manage import Installed, ServiceStatus


def _name_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--service-name", default="groove", show_default=True, metavar="NAME", help="Which service.")(
        function
    )


def _format_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")(function)


@click.group()
def command() -> None:
    """Keep a server running in the background.

    For the user who runs it: a unit of systemd --user, a LaunchAgent, or a task of the Task Scheduler. It never needs
    root, and has its settings in a file of its own.
    """


@command.command()
@common_options
@_name_option
@click.option("--bind", metavar="ADDR:PORT", help="Where it listens; default 127.0.0.1:3100.")
@click.option(
    "--i-know", is_flag=True, help="Allow an address that other machines reach. Nobody is asked who they are."
)
@click.option("--no-auto-start", is_flag=True, help="Define it, but start it neither now nor at login.")
@click.option("--force", is_flag=True, help="Write the settings anew; the old ones are kept beside them.")
@click.option("--with-tray", is_flag=True, help="Show a tray icon at login too.")
def install(
    invocation: Invocation,
    service_name: str,
    bind: str | None,
    i_know: bool,
    no_auto_start: bool,
    force: bool,
    with_tray: bool,
) -> None:
    """Define the service, and start it now and at every login.

    Installing again brings the service up to date and keeps its settings.
    """
    from grooveseek.service.backend import this_backend
    from grooveseek.service.manage import Wish
    from grooveseek.service.manage import install as run

    _refuse_config(invocation)
    wish = Wish(
        name=service_name,
        kb_path=_folder(invocation.kb_path),
        bind=bind,
        auto_start=not no_auto_start,
        force=force,
        with_tray=with_tray,
        expose=i_know,
    )
    backend = this_backend()
    for line in report_installed(wish.name, run(wish, backend, os.environ)):
        say(line)
    if no_auto_start:
        say(f"It does not start by itself. {backend.start_command(service_name)} starts it.")


@command.command()
@common_options
@_name_option
@click.option("--purge", is_flag=True, help="Remove its settings and log too. Notes and index stay.")
@click.option("--yes", is_flag=True, help="Do not ask before a purge.")
def uninstall(invocation: Invocation, service_name: str, purge: bool, yes: bool) -> int:
    """Stop the service and remove it.

    Its settings stay, unless --purge is given.
    """
    from grooveseek.service.backend import this_backend
    from grooveseek.service.manage import config_path
    from grooveseek.service.manage import uninstall as run

    _refuse_config(invocation)
    folder = config_path(service_name, os.environ).parent
    if purge and not yes and not click.confirm(f"Remove the settings in {folder}?", err=True):
        say("groove: nothing was removed.")
        return 1
    removed, left = run(service_name, this_backend(), os.environ, purge=purge)
    say(
        f"groove: removed the service {service_name}."
        if removed
        else f"groove: no service {service_name} was installed."
    )
    if left:
        say(f"Left in {folder}, not written by groove: {', '.join(path.name for path in left)}")
    return 0 if removed or purge else 1


@command.command()
@common_options
@_name_option
@_format_option
def status(invocation: Invocation, service_name: str, form: str) -> int:
    """Show whether the service is installed and its server answers.

    Exit code 0 when it answers, 1 when it does not.
    """
    from grooveseek.service.backend import this_backend
    from grooveseek.service.manage import status_of

    _refuse_config(invocation)
    found = status_of(service_name, this_backend(), os.environ)
    if form == "json":
        write_json(status_as_json(found))
    else:
        write(render_status(found))
    return 0 if found.server is not None else 1


@command.command(name="list")
@common_options
@_format_option
def list_services(invocation: Invocation, form: str) -> None:
    """List the services of this user, one a line."""
    from grooveseek.service.backend import this_backend
    from grooveseek.service.manage import service_names, status_of

    _refuse_config(invocation)
    backend = this_backend()
    found = [status_of(name, backend, os.environ) for name in service_names(backend, os.environ)]
    if form == "json":
        write_json([status_as_json(service) for service in found])
    elif found:
        write("\n".join(render_line(service) for service in found))
    else:
        say("groove: there are no services. groove service install makes one.")


def report_installed(name: str, installed: Installed) -> list[str]:
    """What a person should know after an installation."""
    lines = [f"groove: the service {name} is installed; its settings are {installed.config}."]
    if installed.kept:
        lines.append("The settings were there already, and are as they were.")
    if installed.backup is not None:
        lines.append(f"The old settings are now {installed.backup}.")
    lines.append(f"MCP clients find it at http://{installed.bind}/mcp, a browser at http://{installed.bind}/ui.")
    return lines


def status_as_json(status: ServiceStatus) -> dict[str, Any]:
    """The status as data; ``server`` is null when nothing answers."""
    from dataclasses import asdict

    return {**asdict(status), "config": status.config, "kb_path": status.kb_path}


def render_status(status: ServiceStatus) -> str:
    """The status for a person."""
    server = status.server
    rows = [
        ("service", f"{status.name}, {_condition(status)}"),
        ("settings", str(status.config) if status.configured else f"{status.config} (missing)"),
        ("folder", str(status.kb_path or "")),
        ("address", f"http://{status.bind}" if status.bind else ""),
        ("starts at login", "yes" if status.auto_start else "no"),
        (
            "server",
            f"groove {server.version}, process {server.pid}, up {_duration(server.uptime)}" if server else "silent",
        ),
        ("index", _index(status)),
        ("problem", status.problem or ""),
    ]
    return "\n".join(f"{label + ':':<17}{value}" for label, value in rows if value)


def render_line(status: ServiceStatus) -> str:
    """One service of the list: name, condition, address and folder, tabs between."""
    return "\t".join([status.name, _condition(status), status.bind or "-", str(status.kb_path or "-")])


def _condition(status: ServiceStatus) -> str:
    if not status.installed:
        return "not installed"
    if status.server is not None:
        return "answering" if status.running else "stopped, but another groove answers there"
    return "started, not answering" if status.running else "stopped"


def _index(status: ServiceStatus) -> str:
    if status.server is None:
        return ""
    busy = ", being brought up to date" if status.server.indexing else ""
    return f"{status.server.documents} documents, {status.server.chunks} chunks{busy}"


def _duration(seconds: int) -> str:
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    return f"{days} d" if days else f"{hours} h" if hours else f"{minutes} min" if minutes else f"{seconds} s"


def _refuse_config(invocation: Invocation) -> None:
    if invocation.config is not None:
        raise UsageError(
            "A service has its settings in a file of its own. Leave --config out, and name --service-name."
        )


def _folder(kb_path: Path | None) -> Path | None:
    if kb_path is None:
        return None
    try:
        return (working_directory() / kb_path.expanduser()).resolve()
    except RuntimeError:
        raise UsageError(f"--kb-path {kb_path}: starts with a home directory that is not known.") from None
