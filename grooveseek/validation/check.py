"""One document's frontmatter against a schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from grooveseek.model.document import FieldValue, Frontmatter, FrontmatterStatus, Opaque
from grooveseek.parsing.frontmatter import Matter
from grooveseek.validation.schema import FieldRule, Schema

_QUOTED_CHARS = 60


class Constraint(StrEnum):
    """What a document can violate. The names are part of the JSON report."""

    REQUIRED = "required"
    TYPE = "type"
    PATTERN = "pattern"
    ENUM = "enum"
    MIN_LENGTH = "min_length"
    MAX_LENGTH = "max_length"
    ALLOW_EMPTY = "allow_empty"
    UNDECLARED_FIELD = "undeclared_field"
    DUPLICATE_KEY = "duplicate_key"
    FRONTMATTER_UNPARSED = "frontmatter_unparsed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """``line`` is the 1-based line of the offending key, 1 where there is none. ``message`` is a clause about it."""

    path: str
    line: int
    field: str | None
    constraint: Constraint
    message: str


_Fault = tuple[Constraint, str]


def check_document(path: str, matter: Matter, schema: Schema, *, strict: bool = False) -> tuple[Violation, ...]:
    """Everything wrong with one document's frontmatter, by line.

    ``strict`` refuses undeclared keys whatever the schema says of them. Frontmatter that could not be read is one
    violation, and is not held against the schema; a key given twice is one whatever the schema says.
    """
    front = matter.frontmatter
    if front.status is FrontmatterStatus.UNPARSED:
        return (_unparsed(path, matter),)
    found = [_repeated(path, key, line) for key, line in matter.repeats]
    if strict or not schema.allow_unknown_fields:
        found += [_undeclared(path, key, line) for key, line in front.key_lines.items() if key not in schema.fields]
    for name, rule in schema.fields.items():
        line = front.key_lines.get(name, 1)
        found += [
            Violation(path=path, line=line, field=name, constraint=constraint, message=message)
            for constraint, message in _faults(rule, written(front, name), is_there=name in front.key_lines)
        ]
    return tuple(sorted(found, key=lambda violation: violation.line))


def written(front: Frontmatter, name: str) -> FieldValue | None:
    """What a document says under a key; ``None`` when it has no such key, or nothing is written there."""
    if name == "tags":
        if front.tags_unparseable:
            return Opaque.VALUE
        return front.tags if "tags" in front.key_lines else None
    own: dict[str, str | None] = {
        "title": front.title,
        "date": front.date,
        "topic": front.topic,
        "depth": front.depth,
        "category": front.category,
    }
    value: FieldValue | None = own.get(name)
    if value is None:
        value = front.extra.get(name)
    return None if value == "" else value


def _faults(rule: FieldRule, value: FieldValue | None, *, is_there: bool) -> Iterator[_Fault]:
    """What a rule holds against a value. ``is_there``: the key is written, if only with nothing behind it."""
    if value is None:
        if rule.required:
            yield Constraint.REQUIRED, "is required and has no value" if is_there else "is required and missing"
        elif is_there and not rule.allow_empty:
            yield Constraint.ALLOW_EMPTY, "must not be empty"
    elif isinstance(value, Opaque):
        if _asks_for_more_than_presence(rule):
            yield Constraint.TYPE, f"must be {_wanted(rule)}, and is neither a text nor a list of texts"
    elif not rule.allow_empty and _is_empty(value):
        yield Constraint.ALLOW_EMPTY, "must not be empty"
    elif rule.type is not None and (rule.type == "array") != isinstance(value, tuple):
        yield Constraint.TYPE, f"must be {_wanted(rule)}, and is {_kind(value)}"
    else:
        yield from _value_faults(rule, value)


def _value_faults(rule: FieldRule, value: str | tuple[str, ...]) -> Iterator[_Fault]:
    """The constraints on a value of the right shape. Of a list, each element that fails is named."""
    for element in (value,) if isinstance(value, str) else value:
        if rule.pattern is not None and rule.pattern.search(element) is None:
            yield (
                Constraint.PATTERN,
                f"is {_quoted(element)}, which the pattern {rule.pattern.pattern!r} does not match",
            )
        if rule.enum is not None and element not in rule.enum:
            yield Constraint.ENUM, f"is {_quoted(element)}; allowed are: {', '.join(map(_quoted, rule.enum))}"
    length = len(value)
    unit = "characters" if isinstance(value, str) else "elements"
    if rule.min_length is not None and length < rule.min_length:
        yield Constraint.MIN_LENGTH, f"has {length} {unit}; at least {rule.min_length} are asked for"
    if rule.max_length is not None and length > rule.max_length:
        yield Constraint.MAX_LENGTH, f"has {length} {unit}; at most {rule.max_length} are allowed"


def _asks_for_more_than_presence(rule: FieldRule) -> bool:
    return any(limit is not None for limit in (rule.type, rule.pattern, rule.enum, rule.min_length, rule.max_length))


def _is_empty(value: str | tuple[str, ...]) -> bool:
    return not (value.strip() if isinstance(value, str) else value)


def _wanted(rule: FieldRule) -> str:
    return {"string": "a text", "array": "a list of texts", None: "a text or a list of texts"}[rule.type]


def _kind(value: str | tuple[str, ...]) -> str:
    return "a text" if isinstance(value, str) else "a list"


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _QUOTED_CHARS else text[: _QUOTED_CHARS - 1] + "…")


def _unparsed(path: str, matter: Matter) -> Violation:
    notice = matter.notices[0]
    return Violation(
        path=path,
        line=notice.line or 1,
        field=None,
        constraint=Constraint.FRONTMATTER_UNPARSED,
        message=notice.message,
    )


def _repeated(path: str, key: str, line: int) -> Violation:
    return Violation(
        path=path,
        line=line,
        field=key,
        constraint=Constraint.DUPLICATE_KEY,
        message="is given twice; the last value counts",
    )


def _undeclared(path: str, key: str, line: int) -> Violation:
    return Violation(
        path=path,
        line=line,
        field=key,
        constraint=Constraint.UNDECLARED_FIELD,
        message="is not a field of the schema",
    )
