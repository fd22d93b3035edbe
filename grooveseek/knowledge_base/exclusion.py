"""What is out of bounds for indexing: one object that the walk, validate, the watcher and doctor all ask.

Three layers, any of which excludes: folder names that never hold documents, the folder names in ``exclude_dirs``, and
``.grooveignore`` in the root of the knowledge base. The bound is on indexing, not on access: a caller that names an
excluded file still gets it.
"""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grooveseek.errors import FileSkipped
from grooveseek.knowledge_base.addressing import printable
from grooveseek.knowledge_base.ignore_patterns import Pattern, PatternError, PatternList, parse_pattern
from grooveseek.knowledge_base.safe_read import read_start

IGNORE_FILE = ".grooveignore"
MAX_IGNORE_BYTES = 64 * 1024
MAX_IGNORE_PATTERNS = 1000
ALWAYS_EXCLUDED = (".git", ".svn", "node_modules")
"""Never walked, whatever ``exclude_dirs`` says: a list there replaces the default, and these would swamp any index."""

_SHOWN_LINES = 20  # warnings about single lines; a file of another kind by that name has thousands
_SHOWN_CHARS = 60
_OTHER_ENCODINGS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # what PowerShell's > writes


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusionRules:
    """The rules of one knowledge base, as they stood when they were loaded.

    ``warnings`` are sentences for the user about parts of the rules that do not hold.
    """

    folder_names: frozenset[str]
    patterns: PatternList
    warnings: tuple[str, ...] = ()

    @classmethod
    def load(cls, root: Path, exclude_dirs: Sequence[str]) -> ExclusionRules:
        """Read the rules. Never raises for what ``.grooveignore`` holds or cannot give: that becomes a warning."""
        warnings: list[str] = []
        names = {_name_key(name) for name in (*ALWAYS_EXCLUDED, *_base_names(exclude_dirs, warnings))}
        patterns = _parse(_read_lines(root / IGNORE_FILE, warnings), warnings)
        return cls(folder_names=frozenset(names), patterns=PatternList(patterns), warnings=tuple(warnings))

    def is_excluded(self, rel: str, is_dir: bool) -> bool:
        """Whether ``rel`` (relative to the root, ``/`` between parts) or any folder above it is excluded.

        Every ancestor is asked first, as a folder, so a file below an excluded folder cannot be brought back. The root
        itself (the empty string) is never excluded.
        """
        at = rel.find("/")
        while at >= 0:
            if self.excludes_entry(rel[:at], is_dir=True):
                return True
            at = rel.find("/", at + 1)
        return bool(rel) and self.excludes_entry(rel, is_dir)

    def excludes_entry(self, rel: str, is_dir: bool) -> bool:
        """Whether ``rel`` itself is excluded, when no folder above it is: the question of a walk that prunes."""
        if is_dir and _name_key(rel.rpartition("/")[2]) in self.folder_names:
            return True
        return self.patterns.excludes(rel, is_dir)


def _name_key(name: str) -> str:
    """Equal for names that differ in case or in composition only."""
    return (
        name.lower() if name.isascii() else unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    )


def _base_names(exclude_dirs: Sequence[str], warnings: list[str]) -> list[str]:
    names = [name.rstrip("/") for name in exclude_dirs]
    warnings += [
        f'exclude_dirs: "{printable(name)}" is not the name of a folder and excludes nothing;'
        f" write paths into {IGNORE_FILE} instead"
        for name in names
        if not name or "/" in name or name in (".", "..")
    ]
    return names


def _read_lines(path: Path, warnings: list[str]) -> list[bytes]:
    """The lines of the ignore file, without its BOM and line ends; none, with a warning, when it cannot be read."""
    try:
        data = read_start(path, count=MAX_IGNORE_BYTES + 1)
    except FileNotFoundError:
        return []
    except FileSkipped as error:
        warnings.append(f"{IGNORE_FILE} is not used: {error}")
        return []
    if data.startswith(_OTHER_ENCODINGS):
        warnings.append(f"{IGNORE_FILE} is not used: it is UTF-16 text; save it as UTF-8")
        return []
    if len(data) > MAX_IGNORE_BYTES:
        warnings.append(
            f"{IGNORE_FILE} is longer than {MAX_IGNORE_BYTES // 1024} KiB; the lines beyond that are not used"
        )
        data = data[: data.rfind(b"\n", 0, MAX_IGNORE_BYTES) + 1]
    return [line.removesuffix(b"\r") for line in data.removeprefix(codecs.BOM_UTF8).split(b"\n")]


def _parse(lines: Sequence[bytes], warnings: list[str]) -> list[Pattern]:
    """The patterns that hold. A line that does not is named in ``warnings``, and the others stand."""
    patterns: list[Pattern] = []
    faults: list[str] = []
    for number, line in enumerate(lines, start=1):
        if len(patterns) + len(faults) == MAX_IGNORE_PATTERNS and _is_pattern(line):
            warnings.append(
                f"{IGNORE_FILE} has more than {MAX_IGNORE_PATTERNS} patterns; those from line {number} on are not used"
            )
            break
        try:
            pattern = parse_pattern(_text(line))
        except PatternError as error:
            faults.append(f'{IGNORE_FILE} line {number}: "{_shown(line)}" is not used: {error}')
            continue
        if pattern:
            patterns.append(pattern)
    warnings += faults[:_SHOWN_LINES]
    if len(faults) > _SHOWN_LINES:
        warnings.append(f"{IGNORE_FILE}: {len(faults) - _SHOWN_LINES} more lines are not used for such reasons")
    return patterns


def _is_pattern(line: bytes) -> bool:
    return bool(line.strip(b" ")) and not line.startswith(b"#")


def _text(line: bytes) -> str:
    """Decode one line; raises PatternError for what cannot be part of any name."""
    if b"\0" in line:
        raise PatternError("it contains a NUL character")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        raise PatternError("it is not valid UTF-8") from None


def _shown(line: bytes) -> str:
    text = printable(line.decode("utf-8", errors="replace"))
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + "…"
