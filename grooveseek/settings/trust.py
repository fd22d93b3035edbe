"""What a groove.toml that was found, rather than named, may not decide.

Such a file may have come with a folder that somebody else made. It may tune the search of that folder; it may not send
the knowledge base away, open a port to the network, lift a limit that protects this machine, choose where files are
written, or widen what is read to a home directory.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grooveseek.settings.address import is_loopback, split_address
from grooveseek.settings.discovery import ConfigSource
from grooveseek.settings.keys import Key, build, flatten, keys
from grooveseek.settings.loader import Provenance
from grooveseek.settings.sections import Settings

LOCAL_PROVIDERS = frozenset({"local", "fastembed"})
"""The values of `[embedding].provider` that send nothing anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restriction:
    """A key of an untrusted file that did not have its way. ``str()`` is the warning, naming file, line and key.

    ``ignored`` is false when part of the value was kept: the port of ``bind``.
    """

    key: str
    message: str
    ignored: bool = True

    def __str__(self) -> str:
        return self.message


def restrict(
    settings: Settings, provenance: Provenance, source: ConfigSource
) -> tuple[Settings, tuple[Restriction, ...]]:
    """The settings an untrusted file may have, and what was taken out of it. A trusted file keeps everything.

    A key that repeats its default takes nothing for itself, so it is not warned about.
    """
    if source.trusted or source.path is None:
        return settings, ()
    values = flatten(settings)
    restrictions = []
    for name in provenance:
        key = keys()[name]
        verdict = _judge(key, values[name], source.path)
        if verdict is not None:
            values[name], reason = verdict
            message = f"{source.path}:{provenance[name]}: {name} {reason}"
            restrictions.append(Restriction(key=name, message=message, ignored=values[name] == key.default))
    return build(values), tuple(restrictions)


def _judge(key: Key, value: Any, config: Path) -> tuple[Any, str] | None:
    """What stands in for the value, and why; ``None`` when the value may stand."""
    if value == key.default:
        return None
    if key.name == "kb_path":
        reason = _too_wide(value, config.parent)
        return (key.default, f"is ignored: {reason}. --kb-path names the folder all the same.") if reason else None
    if key.name == "transport.http.bind":
        return _judge_bind(value, config)
    if (
        key.trusted
        or (key.size and value is None)
        or (key.name == "embedding.provider" and value not in LOCAL_PROVIDERS)
    ):
        return key.default, f"is ignored, because groove found this file by itself. {_way_out(config)}"
    return None


def _judge_bind(bind: str, config: Path) -> tuple[str, str] | None:
    host, port = split_address(bind)
    if is_loopback(host):
        return None
    reason = f"is kept on 127.0.0.1 instead of {host}, because groove found this file by itself. {_way_out(config)}"
    return f"127.0.0.1:{port}", reason


def _way_out(config: Path) -> str:
    return f"--config {config} trusts it."


def _too_wide(kb_path: Path, config_directory: Path) -> str | None:
    """Why a folder is more than a found file may ask for, symbolic links resolved; ``None`` when it is not."""
    try:
        folder = kb_path.resolve()
    except (OSError, RuntimeError):
        return f"{kb_path} is a loop of links"
    if folder.parent == folder:
        return f"{kb_path} is a whole file system"
    if _is_or_holds(folder, _home()):
        return f"{kb_path} is the home directory or above it"
    if _is_or_holds(folder, config_directory.resolve().parent):
        return f"{kb_path} is above the folder of this file"
    return None


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except (OSError, RuntimeError):
        return None


def _is_or_holds(folder: Path, inner: Path | None) -> bool:
    """Whether ``inner`` is the folder or lies in it, under any spelling the file system takes for the same."""
    return inner is not None and any(_same(folder, directory) for directory in (inner, *inner.parents))


def _same(one: Path, other: Path) -> bool:
    if os.path.normcase(one) == os.path.normcase(other):
        return True
    try:
        return one.samefile(other)
    except OSError:
        return False
