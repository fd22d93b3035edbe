"""Walking a knowledge base: every file that will be indexed, and every one that looks as if it would but will not."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from grooveseek.errors import KnowledgeBaseError
from grooveseek.knowledge_base.addressing import printable, why_not_addressable
from grooveseek.knowledge_base.exclusion import ExclusionRules
from grooveseek.knowledge_base.safe_read import is_junction, os_reason, why_refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file to index. ``path`` is relative to the root with ``/``, ``size`` in bytes."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Declined:
    """A file with a registered extension, or a folder, that will not be indexed.

    ``reason`` is a clause about it ("it is a symbolic link"). ``path`` is as in :class:`Found`, except that characters
    which no terminal or JSON file takes are escaped. ``unreadable`` means the operating system would not say what is
    there, so nothing was learnt about this path or any below it; otherwise it is there and is refused.
    """

    path: str
    reason: str
    unreadable: bool = False


class _Entry(Protocol):
    """What the walk asks of an :class:`os.DirEntry`, and of a path that was named instead of listed."""

    @property
    def name(self) -> str: ...

    @property
    def path(self) -> str: ...

    def is_dir(self, *, follow_symlinks: bool) -> bool: ...

    def stat(self, *, follow_symlinks: bool) -> os.stat_result: ...


@dataclass(frozen=True, slots=True)
class _Named:
    """A path that was named. Links are not followed, whatever is asked."""

    path: str

    @property
    def name(self) -> str:
        return os.path.basename(self.path)  # noqa: PTH119 - a text, as os.DirEntry gives it

    def is_dir(self, *, follow_symlinks: bool) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(self.path).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:
        return os.lstat(self.path)


class _Item(NamedTuple):
    """Something in a folder that is worth a look. ``entry`` is None for a verdict that was reached already."""

    key: str
    rel: str
    entry: _Entry | None
    is_dir: bool = False
    fault: str = ""


def walk(root: Path, rules: ExclusionRules, extensions: frozenset[str]) -> Iterator[Found | Declined]:
    """Every file under ``root`` whose extension (lower-case, without the dot) is registered and which no rule excludes.

    In order of path by code point, which is the order of its UTF-8 bytes and does not depend on the file system. No
    link is entered or looked through, so the walk ends and stays inside. What disappears meanwhile is left out.
    Raises KnowledgeBaseError when the root itself cannot be listed, or is gone or another folder at the end: a share
    that drops out must not look like a folder whose files were deleted.
    """
    try:
        before = _identity(root)
        waiting = _contents(str(root), "", rules, extensions)
    except OSError as error:
        raise KnowledgeBaseError(_root_fault(root, error)) from error
    yield from _verdicts(waiting, rules, extensions)
    _check_same(root, before)


def walk_at(
    root: Path, paths: Iterable[str], rules: ExclusionRules, extensions: frozenset[str]
) -> Iterator[Found | Declined]:
    """What :func:`walk` would give of ``paths`` and of what lies below them, without looking anywhere else.

    A path is a file's, a folder's, or one where nothing is any more. Raises as :func:`walk` does.
    """
    try:
        before = _identity(root)
    except OSError as error:
        raise KnowledgeBaseError(_root_fault(root, error)) from error
    wanted = sorted(set(paths))
    alike = Counter(map(_folded, wanted))
    for rel in outermost(wanted):
        waiting = _named(root, rel, rules, extensions, by_listing=alike[_folded(rel)] > 1)
        yield from _verdicts(waiting, rules, extensions)
    _check_same(root, before)


def outermost(paths: Iterable[str]) -> list[str]:
    """Those of ``paths`` that no other of them is a folder above of, in order."""
    known = set(paths)
    return sorted(rel for rel in known if not any(above in known for above in _above(rel)))


def check_root(path: Path) -> Path:
    """Resolve the knowledge base's folder, links in it included.

    Raises KnowledgeBaseError, naming the path and the way out, when it is missing, not a folder or not readable.
    """
    try:
        root = path.resolve(strict=True)
        with os.scandir(root):
            return root
    except (OSError, RuntimeError, ValueError) as error:  # Python before 3.13 reports a link loop as RuntimeError
        raise KnowledgeBaseError(_root_fault(path, error)) from error


def extension_of(name: str) -> str:
    """The extension a parser is chosen by: lower-case, without the dot; empty for ``README`` and for ``.md``."""
    stem, _, extension = name.rpartition(".")
    return extension.lower() if stem else ""


def _verdicts(waiting: list[_Item], rules: ExclusionRules, extensions: frozenset[str]) -> Iterator[Found | Declined]:
    """Work off a stack of items, folders opened as they come up."""
    while waiting:
        item = waiting.pop()
        if item.is_dir and item.entry is not None:
            waiting += _folder(item.rel, item.entry, rules, extensions)
            continue
        verdict = _verdict(item)
        if verdict is not None:
            yield verdict


def _named(root: Path, rel: str, rules: ExclusionRules, extensions: frozenset[str], *, by_listing: bool) -> list[_Item]:
    """The item at one path, if it can be reached through real folders that no rule excludes.

    ``by_listing``: another path that differs in case or composition only is looked at too, and the file system may
    answer for both where it holds one. Then what the folders list is what counts.
    """
    folders = _above(rel)
    if folders and rules.is_excluded(folders[-1], is_dir=True):
        return []
    for folder in folders:
        try:
            if not _is_real_folder(_Named(str(root / folder))):
                return []
        except OSError as error:
            return [_fault(folder, _unseen(error))]
    if by_listing and not all(_is_listed(root, part) for part in (*folders, rel)):
        return []
    item = _item(rel, _Named(str(root / rel)), rules, extensions)
    return [] if item is None else [item]


def _above(rel: str) -> list[str]:
    """The folders a path lies in, outermost first."""
    parts = rel.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts))]


def _folded(rel: str) -> str:
    return unicodedata.normalize("NFC", rel).casefold()


def _is_listed(root: Path, rel: str) -> bool:
    folder, _, name = rel.rpartition("/")
    try:
        return any(entry.name == name for entry in (root / folder).iterdir())
    except OSError:
        return False


def _root_fault(path: Path, error: Exception) -> str:
    shown = printable(str(path))
    if isinstance(error, FileNotFoundError):
        return (
            f"The knowledge base {shown} does not exist. Create the folder, or name another with --kb-path or kb_path."
        )
    if isinstance(error, NotADirectoryError):
        return f"The knowledge base {shown} is not a folder. Name a folder with --kb-path or kb_path."
    if isinstance(error, PermissionError):
        return (
            f"The knowledge base {shown} cannot be read: {os_reason(error)}. Give this user read access to the folder."
        )
    reason = os_reason(error) if isinstance(error, OSError) else str(error)
    return f"The knowledge base {shown} cannot be opened: {reason}. Name another folder with --kb-path or kb_path."


def _identity(root: Path) -> tuple[int, int]:
    status = root.stat()
    return status.st_dev, status.st_ino


def _check_same(root: Path, before: tuple[int, int]) -> None:
    try:
        after = _identity(root)
    except OSError as error:
        raise KnowledgeBaseError(_root_fault(root, error)) from error
    if after != before:
        raise KnowledgeBaseError(
            f"The knowledge base {printable(str(root))} was replaced by another folder while it was read. Try again."
        )


def _folder(rel: str, entry: _Entry, rules: ExclusionRules, extensions: frozenset[str]) -> list[_Item]:
    try:
        return _contents(entry.path, f"{rel}/", rules, extensions)
    except (FileNotFoundError, NotADirectoryError):  # removed, or replaced, since it was listed
        return []
    except OSError as error:
        return [_fault(rel, f"the folder cannot be read: {os_reason(error)}")]


def _contents(folder: str, prefix: str, rules: ExclusionRules, extensions: frozenset[str]) -> list[_Item]:
    """What is worth a look in one folder, last path first: the list is a stack."""
    items: dict[str, _Item] = {}  # by key: a folder that changes while it is listed can name an entry twice
    with os.scandir(folder) as entries:
        for entry in entries:
            item = _item(prefix + entry.name, entry, rules, extensions)
            if item is not None:
                items[item.key] = item
    return [items[key] for key in sorted(items, reverse=True)]


def _item(rel: str, entry: _Entry, rules: ExclusionRules, extensions: frozenset[str]) -> _Item | None:
    wanted = extension_of(entry.name) in extensions
    try:
        is_dir = _is_real_folder(entry)
    except OSError as error:  # a file system whose listings do not say what an entry is, and no right to ask
        return None if rules.excludes_entry(rel, is_dir=True) else _fault(rel, _unseen(error))
    if not (is_dir or wanted) or rules.excludes_entry(rel, is_dir):
        return None
    # A folder's files sort as "name/...", so after "name.md" and "name-2": the keys give the order of whole paths.
    return _Item(f"{rel}/" if is_dir else rel, rel, entry, is_dir)


def _fault(rel: str, reason: str) -> _Item:
    return _Item(key=rel, rel=rel, entry=None, fault=reason)


def _unseen(error: OSError) -> str:
    return f"it cannot be looked at: {os_reason(error)}"


def _is_real_folder(entry: _Entry) -> bool:
    """Whether this is a folder and no link to one; a Windows junction is a link. No extra call on POSIX."""
    if not entry.is_dir(follow_symlinks=False):
        return False
    return os.name != "nt" or not is_junction(entry.stat(follow_symlinks=False))


def _verdict(item: _Item) -> Found | Declined | None:
    if item.entry is None:
        return Declined(path=printable(item.rel), reason=item.fault, unreadable=True)
    reason = why_not_addressable(item.rel)
    if reason is None:
        try:
            status = _status(item.entry)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return Declined(path=item.rel, reason=_unseen(error), unreadable=True)
        reason = why_refused(status)
        if reason is None:
            return Found(path=item.rel, size=status.st_size, mtime_ns=status.st_mtime_ns)
    return Declined(path=printable(item.rel), reason=reason)


def _status(entry: _Entry) -> os.stat_result:
    """One stat of the entry itself. What a Windows listing carries has no link count, so there the file is asked."""
    return os.lstat(entry.path) if os.name == "nt" else entry.stat(follow_symlinks=False)
