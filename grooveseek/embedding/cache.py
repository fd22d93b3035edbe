"""Where downloaded models are kept."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

from grooveseek.errors import ConfigError

VARIABLE = "FASTEMBED_CACHE_DIR"


def resolve_cache_dir(configured: Path | None, environ: Mapping[str, str]) -> Path:
    """The folder for downloaded models, always absolute: a cache must not depend on where groove was started.

    First FASTEMBED_CACHE_DIR, where empty counts as unset; then the setting; then ``fastembed`` in the operating
    system's cache folder. Raises ConfigError for a relative one of the first two, and when there is none at all.
    """
    if named := environ.get(VARIABLE):
        return _absolute(Path(named), VARIABLE)
    if configured is not None:
        return _absolute(configured, "fastembed_cache_dir")
    base = os_cache_dir(environ, sys.platform)
    if base is None:
        raise ConfigError(f"no folder for downloaded models: set {VARIABLE} or fastembed_cache_dir to an absolute path")
    return Path(base) / "fastembed"


def check_cache_dir(configured: Path | None, environ: Mapping[str, str]) -> None:
    """Raise ConfigError for a relative FASTEMBED_CACHE_DIR or setting, also when the model at hand needs no cache."""
    if environ.get(VARIABLE) or configured is not None:
        resolve_cache_dir(configured, environ)


def os_cache_dir(environ: Mapping[str, str], platform: str) -> PurePath | None:
    """The user's cache folder on this platform (``sys.platform``), None when the environment names no absolute one.

    Linux and the BSDs by the XDG base directory specification, which has relative values ignored.
    """
    if platform == "win32":
        profile = PureWindowsPath(environ.get("USERPROFILE", ""), "AppData", "Local")
        return _first_absolute(PureWindowsPath(environ.get("LOCALAPPDATA", "")), profile)
    home = PurePosixPath(environ.get("HOME", ""))
    if platform == "darwin":
        return _first_absolute(home / "Library" / "Caches")
    return _first_absolute(PurePosixPath(environ.get("XDG_CACHE_HOME", "")), home / ".cache")


def _first_absolute(*paths: PurePath) -> PurePath | None:
    return next((path for path in paths if path.is_absolute()), None)


def _absolute(path: Path, key: str) -> Path:
    if not path.is_absolute():
        raise ConfigError(f'{key} is "{path}", which is relative: write an absolute path')
    return path
