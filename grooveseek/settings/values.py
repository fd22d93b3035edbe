"""One value against its key: the type, the range, the choices, and the form it is kept in."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from grooveseek.settings.address import split_address
from grooveseek.settings.keys import Key, Kind
from grooveseek.settings.model_names import names_directory

LEG_WEIGHTS = ("search.fusion.vector_weight", "search.fusion.fts_weight")

_UNITS = {
    "": 1, "b": 1,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
    "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
}  # fmt: skip
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)\s*", re.ASCII | re.IGNORECASE)
_LARGEST_SIZE = 2**63 - 1  # what SQLite's integers hold

_T = TypeVar("_T")
_Number = TypeVar("_Number", int, float)


class SettingValueError(ValueError):
    """A value its key cannot have. The text continues the key's name: ``must be ...``.

    ``element`` is the 0-based position in a list, when one element is to blame.
    """

    def __init__(self, problem: str, element: int | None = None) -> None:
        super().__init__(problem)
        self.element = element


def check_value(key: Key, value: object, base: Path) -> Any:
    """The value as :class:`Settings` keeps it. Raises SettingValueError.

    ``base`` is the absolute directory that relative paths start from. A whole number is accepted for a key of
    fractions, never ``true`` or ``false`` for a number.
    """
    if key.size and isinstance(value, str):
        value = _parse_size(value)
        return value if value is None else _in_range(key, value)
    return _CHECKS[key.kind](key, value, base)


def check_together(values: Mapping[str, Any]) -> None:
    """What no key can tell on its own. Raises SettingValueError, whose text is a whole sentence."""
    if all(values[name] == 0 for name in LEG_WEIGHTS):
        raise SettingValueError(f"{' and '.join(LEG_WEIGHTS)} cannot both be 0: nothing would be left to rank by.")


def size_text(size: int | None) -> str | int:
    """A byte count the way a person would write it in groove.toml: ``"50 MiB"``, ``"unlimited"``, or the number."""
    if size is None:
        return "unlimited"
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        factor = _UNITS[unit.lower()]
        if size and size % factor == 0:
            return f"{size // factor} {unit}"
    return size


def describe(value: object) -> str:
    """A value as a message names it, kept short."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, Path)):
        text = str(value)
        return f"the text {text if len(text) <= 60 else text[:57] + '...'!r}"
    if isinstance(value, (int, float)):
        return str(value) if isinstance(value, float) or abs(value) < 10**18 else "so large a number"
    if isinstance(value, (list, tuple)):
        return "a list"
    return "a table" if isinstance(value, Mapping) else "a date or time"


def number_text(number: float) -> str:
    """A bound of a range, without an exponent and without a fraction that is not there."""
    return str(int(number)) if float(number).is_integer() else str(number)


def _check_bool(key: Key, value: object, base: Path) -> bool:
    if not isinstance(value, bool):
        raise SettingValueError(f"must be true or false, not {describe(value)}")
    return value


def _check_int(key: Key, value: object, base: Path) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        wanted = 'a size such as "10 MiB", a number of bytes or "unlimited"' if key.size else "a whole number"
        raise SettingValueError(f"must be {wanted}, not {describe(value)}")
    return _in_range(key, value)


def _check_float(key: Key, value: object, base: Path) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise SettingValueError(f"must be a number, not {describe(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise SettingValueError(f"must be a finite number, not {describe(value)}")
    return _in_range(key, number)


def _check_text(key: Key, value: object, base: Path) -> str:
    if not isinstance(value, str):
        raise SettingValueError(f"must be a text, not {describe(value)}")
    if key.choices and value not in key.choices:
        raise SettingValueError(f"must be {_alternatives(key.choices)}, not {describe(value)}")
    if key.default != "":
        _refuse_blank(value)
    _refuse_nul(value)
    if key.form == "address":
        _check_address(value)
    elif key.form == "name-or-directory" and names_directory(value, base):
        return str(_to_path(value, base))
    return value


def _check_path(key: Key, value: object, base: Path) -> Path:
    if not isinstance(value, (str, Path)):
        raise SettingValueError(f"must be a path, not {describe(value)}")
    text = str(value)
    if isinstance(value, str):
        _refuse_blank(text)
    _refuse_nul(text)
    if key.form == "absolute" and not (text.startswith("~") or Path(text).is_absolute()):
        raise SettingValueError(f"must be an absolute path, not {describe(text)}")
    return _to_path(text, base)


def _check_texts(key: Key, value: object, base: Path) -> tuple[str, ...]:
    def check(element: object) -> str:
        if not isinstance(element, str):
            raise SettingValueError(f"must hold texts only, not {describe(element)}")
        _refuse_blank(element)
        _refuse_nul(element)
        return element

    return tuple(_each(key, value, check, 'a list of texts, such as ["a", "b"]'))


def _check_ints(key: Key, value: object, base: Path) -> tuple[int, ...]:
    def check(element: object) -> int:
        if isinstance(element, bool) or not isinstance(element, int):
            raise SettingValueError(f"must hold whole numbers only, not {describe(element)}")
        return _in_range(key, element)

    return tuple(_each(key, value, check, "a list of whole numbers, such as [1, 5, 10]"))


_CHECKS: Mapping[Kind, Callable[[Key, object, Path], Any]] = {
    Kind.BOOL: _check_bool,
    Kind.INT: _check_int,
    Kind.FLOAT: _check_float,
    Kind.TEXT: _check_text,
    Kind.PATH: _check_path,
    Kind.TEXTS: _check_texts,
    Kind.INTS: _check_ints,
}


def _each(key: Key, value: object, check: Callable[[object], _T], wanted: str) -> list[_T]:
    if not isinstance(value, (list, tuple)):
        raise SettingValueError(f"must be {wanted}, not {describe(value)}")
    if key.nonempty and not value:
        raise SettingValueError("must have at least one element")
    checked = []
    for position, element in enumerate(value):
        try:
            checked.append(check(element))
        except SettingValueError as error:
            raise SettingValueError(str(error), position) from None
    return checked


def _in_range(key: Key, number: _Number) -> _Number:
    maximum = _LARGEST_SIZE if key.size else key.maximum
    if key.minimum is not None and number < key.minimum:
        raise SettingValueError(f"must be at least {number_text(key.minimum)}, not {describe(number)}")
    if maximum is not None and number > maximum:
        raise SettingValueError(f"must be at most {number_text(maximum)}, not {describe(number)}")
    return number


def _parse_size(text: str) -> int | None:
    if text.strip().lower() == "unlimited":
        return None
    match = _SIZE.fullmatch(text)
    factor = _UNITS.get(match[2].lower()) if match else None
    if match is None or factor is None:
        raise SettingValueError(
            f'must be a size such as "10 MiB", a number of bytes or "unlimited", not {describe(text)}'
        )
    number = match[1]
    return int(number) * factor if number.isdigit() else int(float(number) * factor)


def _check_address(text: str) -> None:
    try:
        split_address(text)
    except ValueError as error:
        raise SettingValueError(str(error)) from None


def _to_path(text: str, base: Path) -> Path:
    try:
        return base / Path(text).expanduser()
    except RuntimeError:
        raise SettingValueError(f"starts with a home directory that is not known: {describe(text)}") from None


def _refuse_blank(text: str) -> None:
    if not text.strip():
        raise SettingValueError("must not be empty" if text == "" else "must not be blank")


def _refuse_nul(text: str) -> None:
    if "\0" in text:
        raise SettingValueError("must not hold a NUL character")


def _alternatives(choices: tuple[str, ...]) -> str:
    quoted = [f'"{choice}"' for choice in choices]
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]
