"""Installing, removing and looking at services: the config home, the backend, and what lies in between."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grooveseek.errors import ConfigError, MissingExtra, ServiceError, UsageError
from grooveseek.service.backend import Backend, remove_file, write_whole
from grooveseek.service.definition import Definition, check_name, refuse_unwritable
from grooveseek.service.launch import this_server, this_tray
from grooveseek.service.probe import ServerStatus, ask_status
from grooveseek.settings.address import is_loopback, split_address
from grooveseek.settings.discovery import FILE_NAME, config_home
from grooveseek.settings.loader import load_settings, read_config
from grooveseek.settings.sections import Settings
from grooveseek.settings.template import render_template

LOG_NAME = "groove.log"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What ``groove service install`` was asked for; ``None`` is what was not given.

    ``kb_path`` is absolute, links resolved. ``expose``: an address that other machines reach is meant.
    """

    name: str
    kb_path: Path | None = None
    bind: str | None = None
    auto_start: bool = True
    force: bool = False
    with_tray: bool = False
    expose: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """What came of it. ``kept``: the settings were there already and are untouched; ``backup``: where they went."""

    config: Path
    bind: str
    kept: bool
    backup: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceStatus:
    """One service. ``server`` is what answers at its address; ``problem`` what is wrong with its settings."""

    name: str
    config: Path
    configured: bool
    installed: bool
    auto_start: bool
    running: bool
    bind: str | None
    kb_path: Path | None
    server: ServerStatus | None
    problem: str | None


def config_path(name: str, environ: Mapping[str, str]) -> Path:
    """The service's groove.toml in the config home. Raises UsageError for a name that is none."""
    return config_home(environ) / check_name(name) / FILE_NAME


def address_in(config: Path) -> str:
    """Where the server of these settings listens. Raises ConfigError when they cannot be read."""
    return load_settings(read_config(config), config)[0].transport.http.bind


def install(wish: Wish, backend: Backend, environ: Mapping[str, str]) -> Installed:
    """Write the settings, unless they are there, then define the service and start it.

    Everything that can be refused is refused before anything is written. Raises UsageError, ConfigError, ServiceError,
    and MissingExtra for a tray icon that cannot be shown.
    """
    path = config_path(wish.name, environ)
    definitions = _definitions(wish, path)
    keep = path.exists() and not wish.force
    bind = _kept_bind(wish, path) if keep else _new_bind(wish, path.parent.parent)
    text = None if keep else _new_settings(wish, bind, environ)
    backend.check()
    backup = None
    if text is not None:
        backup = _set_aside(path)
        _make_private(path.parent)
        write_whole(path, text.encode())
    for definition in definitions:
        backend.install(definition, force=wish.force)
    return Installed(config=path, bind=bind, kept=keep, backup=backup)


def uninstall(name: str, backend: Backend, environ: Mapping[str, str], *, purge: bool) -> tuple[bool, list[Path]]:
    """Remove the service; with ``purge`` the files groove wrote for it too. The notes and their index stay.

    Whether there was a service, and what was left in its folder.
    """
    path = config_path(name, environ)
    removed = backend.uninstall(name)
    return removed, _purge(path) if purge else []


def status_of(
    name: str,
    backend: Backend,
    environ: Mapping[str, str],
    *,
    ask: Callable[[str], ServerStatus | None] = ask_status,
) -> ServiceStatus:
    """How a service stands, by its files, its service manager and its own answer."""
    path = config_path(name, environ)
    settings, problem = _settings_of(path)
    state = backend.state(name)
    bind = settings.transport.http.bind if settings is not None else None
    return ServiceStatus(
        name=name,
        config=path,
        configured=path.exists(),
        installed=state.installed,
        auto_start=state.auto_start,
        running=state.running,
        bind=bind,
        kb_path=settings.kb_path if settings is not None else None,
        server=ask(bind) if bind is not None else None,
        problem=problem,
    )


def service_names(backend: Backend, environ: Mapping[str, str]) -> list[str]:
    """Every service with a folder in the config home or a definition, in the order of their names."""
    return sorted({*_configured(config_home(environ)), *filter(_is_name, backend.names())})


def _definitions(wish: Wish, path: Path) -> list[Definition]:
    refuse_unwritable(path)
    server = Definition(
        name=wish.name, command=this_server(str(path)), log=_log_path(wish.name), auto_start=wish.auto_start
    )
    if not wish.with_tray:
        return [server]
    require_tray()
    return [server, Definition(name=wish.name, command=this_tray(wish.name, str(path)), tray=True)]


def require_tray() -> None:
    """Raise MissingExtra unless the tray icon's library is installed."""
    from importlib.util import find_spec

    if find_spec("pystray") is None or find_spec("PIL") is None:
        raise MissingExtra("The tray icon", "tray")


def _log_path(name: str) -> str | None:
    """launchd keeps no journal. On Windows the launcher writes its own log."""
    return str(Path.home() / "Library" / "Logs" / "groove" / f"{name}.log") if sys.platform == "darwin" else None


def _kept_bind(wish: Wish, path: Path) -> str:
    """The address in settings that stay. Raises UsageError when the flags say something else than they do."""
    settings, _ = load_settings(read_config(path), path)
    way_out = f"Change it in {path}, or let --force write the file anew (the old one is kept beside it)"
    if wish.kb_path is not None and (settings.kb_path is None or settings.kb_path.resolve() != wish.kb_path):
        raise UsageError(f"--kb-path {wish.kb_path} is not the kb_path of the service's settings. {way_out}.")
    bind = settings.transport.http.bind
    if wish.bind is not None and wish.bind != bind:
        raise UsageError(f"--bind {wish.bind} is not the address of the service's settings, {bind}. {way_out}.")
    _refuse_any_port(bind)
    return bind


def _new_bind(wish: Wish, home: Path) -> str:
    bind = wish.bind or Settings().transport.http.bind
    try:
        host, port = split_address(bind)
    except ValueError as error:
        raise UsageError(f"--bind {bind} {error}.") from error
    _refuse_any_port(bind)
    if not is_loopback(host) and not wish.expose:
        raise UsageError(
            f"--bind {bind} lets other machines in, and nobody is asked who they are. Add --i-know if that is meant."
        )
    for other in _configured(home):
        settings, _ = _settings_of(home / other / FILE_NAME)
        if other != wish.name and settings is not None and split_address(settings.transport.http.bind)[1] == port:
            raise UsageError(
                f"Port {port} is the service {other}'s. Name another one, such as --bind {host}:{port + 1}."
            )
    return bind


def _refuse_any_port(bind: str) -> None:
    if split_address(bind)[1] == 0:
        raise UsageError(f"The address {bind} would be another one at every start. Name a port, such as 3100.")


def _new_settings(wish: Wish, bind: str, environ: Mapping[str, str]) -> str:
    if wish.kb_path is None:
        raise UsageError("A new service needs to know its folder. Name it with --kb-path.")
    if not wish.kb_path.is_dir():
        raise UsageError(f"--kb-path {wish.kb_path} is not a folder. Name the folder that holds your notes.")
    values = {"kb_path": wish.kb_path, "transport.kind": "http", "transport.http.bind": bind}
    if environ.get("FASTEMBED_CACHE_DIR"):  # the service will not see this variable
        values["fastembed_cache_dir"] = environ["FASTEMBED_CACHE_DIR"]
    try:
        return render_template(values)
    except ValueError as error:
        raise UsageError(f"--kb-path cannot be written into a groove.toml: {error}.") from error


def _settings_of(path: Path) -> tuple[Settings | None, str | None]:
    """The settings, or why there are none."""
    if not path.exists():
        return None, f"{path} does not exist. groove service install writes it."
    try:
        return load_settings(read_config(path), path)[0], None
    except ConfigError as error:
        return None, str(error)


def _configured(home: Path) -> list[str]:
    try:
        return sorted(entry.parent.name for entry in home.glob(f"*/{FILE_NAME}") if _is_name(entry.parent.name))
    except OSError:
        return []


def _is_name(name: str) -> bool:
    try:
        return bool(check_name(name))
    except UsageError:
        return False


def _set_aside(path: Path) -> Path | None:
    """Keep the old settings beside the new ones, under a name that is free."""
    if not path.exists():
        return None
    number = 1
    while (backup := path.with_name(f"{path.name}.bak{number}")).exists():
        number += 1
    try:
        write_whole(backup, path.read_bytes())
    except OSError as error:
        raise ServiceError(f"{path} cannot be read: {error.strerror or error}. Nothing was changed.") from error
    return backup


def _make_private(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ServiceError(f"{folder} cannot be made: {error.strerror or error}. Make the folder writable.") from error


def _purge(path: Path) -> list[Path]:
    """Remove what groove wrote; the folder too, unless something else is in it. What is left."""
    folder = path.parent
    if not folder.is_dir():
        return []
    for entry in [path, *folder.glob(f"{FILE_NAME}.bak*"), *folder.glob(f"{LOG_NAME}*")]:
        remove_file(entry)
    left = sorted(folder.iterdir())
    if not left:
        folder.rmdir()
    return left
