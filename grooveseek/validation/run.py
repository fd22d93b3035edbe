"""Every document of a knowledge base against its schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grooveseek.errors import FileSkipped
from grooveseek.knowledge_base.exclusion import ExclusionRules
from grooveseek.knowledge_base.safe_read import read_checked
from grooveseek.knowledge_base.walk import Declined, Found, walk
from grooveseek.parsing.frontmatter import read_frontmatter
from grooveseek.parsing.source import Source
from grooveseek.validation.check import Violation, check_document
from grooveseek.validation.schema import Schema

EXTENSIONS = frozenset({"md", "markdown"})
"""The Markdown parser's, named here because importing it costs more than all the checking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchecked:
    """A document that could not be read, so that nothing is known of its frontmatter."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a validation found, by path and line. ``documents`` were checked; ``stopped`` says that there may be more.

    ``warnings`` are about the exclusion rules.
    """

    schema: Path
    documents: int
    violations: tuple[Violation, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()
    stopped: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether every document could be checked and is as the schema wants it."""
        return not self.violations and not self.unchecked


def validate(
    root: Path,
    schema: Schema,
    rules: ExclusionRules,
    *,
    max_bytes: int | None,
    strict: bool = False,
    fail_fast: bool = False,
) -> Report:
    """Check every Markdown file that an indexing run would see; other formats have no frontmatter to check.

    ``max_bytes`` is the size over which such a run reads no text file. ``fail_fast`` stops after the first document
    with a violation.
    """
    violations: list[Violation] = []
    unchecked: list[Unchecked] = []
    documents = 0
    for path, found in _documents(root, schema, rules, max_bytes=max_bytes, strict=strict):
        if isinstance(found, str):
            unchecked.append(Unchecked(path=path, reason=found))
            continue
        documents += 1
        violations += found
        if fail_fast and violations:
            break
    return Report(
        schema=schema.source,
        documents=documents,
        violations=tuple(violations),
        unchecked=tuple(unchecked),
        stopped=fail_fast and bool(violations),
        warnings=rules.warnings,
    )


def _documents(
    root: Path, schema: Schema, rules: ExclusionRules, *, max_bytes: int | None, strict: bool
) -> Iterator[tuple[str, tuple[Violation, ...] | str]]:
    """Each document with its violations, or with the reason why it could not be read."""
    for entry in walk(root, rules, EXTENSIONS):
        if isinstance(entry, Declined):
            if entry.unreadable:
                yield entry.path, entry.reason
            continue
        try:
            yield entry.path, _check(root, entry, schema, max_bytes=max_bytes, strict=strict)
        except FileNotFoundError:
            continue  # gone since it was listed
        except FileSkipped as error:
            yield entry.path, str(error)


def _check(root: Path, found: Found, schema: Schema, *, max_bytes: int | None, strict: bool) -> tuple[Violation, ...]:
    read = read_checked(root / found.path, max_bytes=max_bytes, setting="[index] max_raw_text_size")
    matter = read_frontmatter(Source.decode(read.data))
    return check_document(found.path, matter, schema, strict=strict)
