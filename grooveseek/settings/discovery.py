"""Which groove.toml applies, and whether it is trusted."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from grooveseek.errors import ConfigError

FILE_NAME = "groove.toml"
_GIT_LEVELS = 20  # the working directory and up to 19 above it
_ENTRY_POINTS = frozenset({"groove", "groove-svc", "groove-tray"})


class Origin(StrEnum):
    """How the file was come by."""

    NAMED = "named"
    WORKING_DIRECTORY = "working-directory"
    GIT_ANCESTOR = "git-ancestor"
    SERVICE = "service"
    ENTRY_POINT = "entry-point"
    NONE = "none"


_WORDS = {
    Origin.NAMED: "named by --config",
    Origin.WORKING_DIRECTORY: "found in the working directory",
    Origin.GIT_ANCESTOR: "found at the root of the git repository",
    Origin.SERVICE: "a service's own",
    Origin.ENTRY_POINT: "found beside the groove program",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigSource:
    """The file in force. ``path`` is absolute, or ``None`` when there is none and the defaults hold.

    ``trusted`` is false for a file that came with the folder groove was started in, which somebody else may have
    written.
    """

    path: Path | None
    origin: Origin
    trusted: bool

    def describe(self) -> str:
        """One line for the log: the path, how it was come by, and whether it is trusted."""
        if self.path is None:
            return f"no {FILE_NAME}, the defaults"
        return f"{self.path} ({_WORDS[self.origin]}, {'trusted' if self.trusted else 'not trusted'})"


def discover(
    explicit: Path | None, cwd: Path, entry_point_dir: Path | None, environ: Mapping[str, str]
) -> ConfigSource:
    """The first groove.toml of: ``--config``, the working directory, the git repository's root, the program's folder.

    The root of the repository is the nearest of the working directory and the 19 directories above it that holds
    ``.git``. A file found in a service's folder of the config home is trusted, like one that is named. Raises
    ConfigError when ``explicit`` (``~`` is expanded) is missing or a directory.
    """
    if explicit is not None:
        return ConfigSource(path=_named(explicit, cwd), origin=Origin.NAMED, trusted=True)
    for directory, origin in _places(cwd, entry_point_dir):
        path = directory / FILE_NAME
        if os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises where a directory may not be searched
            return _found(path, origin, environ)
    return ConfigSource(path=None, origin=Origin.NONE, trusted=True)


def entry_point_directory(argv0: str) -> Path | None:
    """Where the installed ``groove`` program lies, links resolved; ``None`` when another program is running.

    A bare name is not looked up in the working directory, since the file there need not be the program.
    """
    program = Path(argv0)
    if program.name == argv0 or program.stem not in _ENTRY_POINTS:
        return None
    try:
        return program.resolve().parent
    except (OSError, RuntimeError):  # a loop of links
        return None


def config_home(environ: Mapping[str, str]) -> Path:
    """The folder that holds one folder a service, each with its groove.toml. ``GROOVE_CONFIG_HOME`` overrides it."""
    override = environ.get("GROOVE_CONFIG_HOME")
    if override:
        return Path(override).absolute()
    from platformdirs import user_config_path

    return user_config_path("groove", appauthor=False)


def _named(explicit: Path, cwd: Path) -> Path:
    try:
        path = cwd / explicit.expanduser()
    except RuntimeError:
        raise ConfigError(f"{explicit}: starts with a home directory that is not known.") from None
    if os.path.isdir(path):  # noqa: PTH112 - as with isfile
        raise ConfigError(f"{path}: is a directory. --config takes the file itself, {path / FILE_NAME} perhaps.")
    if not os.path.exists(path):  # noqa: PTH110 - as with isfile
        raise ConfigError(f"{path}: there is no such file. groove config init PATH writes one.")
    return path


def _places(cwd: Path, entry_point_dir: Path | None) -> list[tuple[Path, Origin]]:
    places = [(cwd, Origin.WORKING_DIRECTORY)]
    repository = _repository(cwd)
    if repository is not None:
        places.append((repository, Origin.GIT_ANCESTOR))
    if entry_point_dir is not None:
        places.append((entry_point_dir, Origin.ENTRY_POINT))
    return places


def _repository(cwd: Path) -> Path | None:
    """``.git`` is a folder, or a file in worktrees and submodules."""
    for directory in [cwd, *cwd.parents][:_GIT_LEVELS]:
        if os.path.exists(directory / ".git"):  # noqa: PTH110 - as with isfile
            return directory
    return None


def _found(path: Path, origin: Origin, environ: Mapping[str, str]) -> ConfigSource:
    if origin is not Origin.ENTRY_POINT and _is_service_file(path, environ):
        origin = Origin.SERVICE
    return ConfigSource(path=path, origin=origin, trusted=origin in (Origin.ENTRY_POINT, Origin.SERVICE))


def _is_service_file(path: Path, environ: Mapping[str, str]) -> bool:
    """Whether it is ``<config home>/<service>/groove.toml``."""
    home = path.parent.parent
    if not environ.get("GROOVE_CONFIG_HOME") and home.name != "groove":
        return False  # spares every other start-up the import below
    return home == config_home(environ)
