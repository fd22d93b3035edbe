"""Spreadsheet numbers as a person sees them: number format codes (ISO/IEC 29500-1, 18.8.30 and 18.8.31) applied.

Month and day names are English and separators those of the code (``.`` and ``,``), whatever the reader's locale. Dates
in formats that depend on the locale, or count years by an era, are written as ISO 8601. What no code covers is written
in full: an integer is never shortened to ``1.2E+11``, because part numbers are looked up by all their digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache

from grooveseek.parsing.serial_date import format_date, format_iso, is_date_code

GENERAL = "General"
_LONGEST_CODE = 255  # Excel's own limit
_LOCALE_DATES = (14, 22, *range(27, 37), *range(50, 59))
BUILT_IN: dict[int, str] = {
    **dict.fromkeys(_LOCALE_DATES, "[iso]"),
    **dict(enumerate(("0", "0.00", "#,##0", "#,##0.00"), start=1)),
    **dict(enumerate(("0%", "0.00%", "0.00E+00", "# ?/?", "# ??/??"), start=9)),
    **dict(enumerate(("d-mmm-yy", "d-mmm", "mmm-yy", "h:mm AM/PM", "h:mm:ss AM/PM", "h:mm", "h:mm:ss"), start=15)),
    **dict(enumerate(("#,##0;(#,##0)", "#,##0;(#,##0)", "#,##0.00;(#,##0.00)", "#,##0.00;(#,##0.00)"), start=37)),
    **dict(enumerate(("#,##0;(#,##0);-", "$#,##0;($#,##0);-"), start=41)),
    **dict(enumerate(("#,##0.00;(#,##0.00);-", "$#,##0.00;($#,##0.00);-"), start=43)),
    **dict(enumerate(("mm:ss", "[h]:mm:ss", "mm:ss.0", "##0.0E+0", "@"), start=45)),
}
"""Format codes by number. ``[iso]`` stands for those whose look depends on the reader's locale."""

_TOKEN = re.compile(
    r"""(?P<literal>"[^"]*"? | \\. | _. | \*.)   # quoted, escaped, a space as wide as, a fill of
      | (?P<bracket>\[[^\]]*\])
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_GENERAL = re.compile("general", re.IGNORECASE)
_CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)\]")
_NUMBER = re.compile(r"[0#?.,]*[0#?][0#?.,]*(?:[Ee][+-][0#?]+)?")
_FRACTION = re.compile(r"(?:([0#?]+)\s+)?([0#?]+)\s*/\s*([0#?]+|\d+)")
_TESTS = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "<>": lambda a, b: a != b,
    "=": lambda a, b: a == b,
}


@dataclass(frozen=True, slots=True)
class _Part:
    """One section of a code. ``code`` keeps literals marked by NULs, so that no rule takes them for placeholders."""

    code: str
    literals: tuple[str, ...]
    condition: tuple[str, float] | None
    raw: str


def format_number(value: float, code: str, *, from_1904: bool = False) -> str:
    """The number, or date serial, as the format code shows it. Never raises; a code that makes no sense is General."""
    if not math.isfinite(value):
        return str(value)
    if len(code) > _LONGEST_CODE:
        return general(value)
    parts = _parts(code)
    part, magnitude = _section_for(value, parts)
    try:
        if part.raw == "[iso]":
            return format_iso(value, from_1904=from_1904)
        if is_date_code(part.raw):
            return format_date(value, part.raw, from_1904=from_1904)
        if not part.code.strip() and not part.literals:
            return "" if len(parts) > 1 else general(value)
        return _filled(part, magnitude)
    except (ValueError, ArithmeticError):
        return general(value)


def general(value: float) -> str:
    """The number in full: integers with all their digits, others to 11 significant ones, as General shows them."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    text = f"{value:.11g}"
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}E{exponent}" if mark else text


@lru_cache(maxsize=1024)
def _parts(code: str) -> tuple[_Part, ...]:
    sections: list[list[str]] = [[]]
    for match in _TOKEN.finditer(code):
        if match["other"] == ";":
            sections.append([])
        else:
            sections[-1].append(match[0])
    return tuple(_part("".join(tokens)) for tokens in sections)


def _part(raw: str) -> _Part:
    literals: list[str] = []
    kept: list[str] = []
    for match in _TOKEN.finditer(raw):
        literal = _literal_of(match)
        if literal is None:
            kept.append(match[0])
        elif literal:
            kept.append("\0")
            literals.append(literal)
    condition = _CONDITION.search(raw)
    return _Part("".join(kept), tuple(literals), (condition[1], float(condition[2])) if condition else None, raw)


def _literal_of(match: re.Match[str]) -> str | None:
    """The text a token shows as it is; empty when it shows nothing; ``None`` when it is a placeholder."""
    text = match[0]
    if match["literal"]:
        return {'"': text[1:].removesuffix('"'), "\\": text[1:], "_": " ", "*": ""}[text[0]]
    if match["bracket"]:
        return text[2:-1].split("-", 1)[0] if text.startswith("[$") else ""
    return None if text in "0123456789#?.,%/Ee+-@" or text.isspace() else text


def _section_for(value: float, parts: Sequence[_Part]) -> tuple[_Part, float]:
    """The section that applies, and the number it shows: without its sign where the section stands for negatives."""
    for part in parts[:3]:
        if part.condition is not None and _TESTS[part.condition[0]](value, part.condition[1]):
            return part, value
    if any(part.condition for part in parts[:2]):
        return next((part for part in parts[:3] if part.condition is None), parts[0]), value
    if value < 0 and len(parts) > 1:
        return parts[1], -value
    if value == 0 and len(parts) > 2:
        return parts[2], value
    return parts[0], value


def _filled(part: _Part, value: float) -> str:
    code = part.code
    around = _GENERAL.split(part.raw, maxsplit=1)
    if len(around) == 2:
        return general(value).join(_plain(side) for side in around).strip()
    if part.raw.strip() in ("", "@"):
        return general(value)
    percent = code.count("%")
    number = Decimal(repr(value)).scaleb(2 * percent)
    fraction = _FRACTION.search(code)
    runs = list(_NUMBER.finditer(code))
    if not fraction and len(runs) > 1 and not set(code) & set(".,Ee"):
        return _spread(part, number)
    match = fraction or (runs[0] if runs else None)
    if match is None:
        return _with_literals(code, part.literals).strip()
    shown = _as_fraction(abs(number), fraction) if fraction else _as_digits(abs(number), match[0])
    sign = "-" if number < 0 and any(digit in shown for digit in "123456789") else ""
    return sign + _with_literals(code[: match.start()] + "\1" + code[match.end() :], part.literals).strip().replace(
        "\1", shown
    )


def _plain(code: str) -> str:
    return "".join(_literal_of(match) or "" for match in _TOKEN.finditer(code))


def _spread(part: _Part, number: Decimal) -> str:
    """Digits laid over placeholders with text between them, from the right, as in ``(000) 000-0000``."""
    digits = list(str(abs(number).quantize(Decimal(1), rounding=ROUND_HALF_UP)).lstrip("0"))
    code = part.code
    first = min(code.find(character) for character in "0#?" if character in code)
    shown: list[str] = []
    for position in range(len(code) - 1, -1, -1):
        character = code[position]
        if character not in "0#?":
            shown.append(character)
        elif position == first and digits:
            shown += [*digits[::-1]]
        elif digits:
            shown.append(digits.pop())
        elif character == "0":
            shown.append("0")
    return ("-" if number < 0 else "") + _with_literals("".join(reversed(shown)), part.literals).strip()


def _with_literals(code: str, literals: Sequence[str]) -> str:
    waiting = iter(literals)
    return "".join(next(waiting, "") if character == "\0" else character for character in code)


def _as_fraction(number: Decimal, match: re.Match[str]) -> str:
    whole_code, _, bottom = match.groups()
    exact = Fraction(number)
    if bottom.isdigit() and int(bottom) > 0:
        near = Fraction(round(exact * int(bottom)), 1)
        top, below = int(near), int(bottom)
    else:
        simple = exact.limit_denominator(10 ** len(bottom) - 1)
        top, below = simple.numerator, simple.denominator
    if whole_code is None:
        return f"{top}/{below}"
    whole, rest = divmod(top, below)
    return f"{whole} {rest}/{below}" if rest and whole else f"{rest}/{below}" if rest else str(whole)


def _as_digits(number: Decimal, code: str) -> str:
    mantissa, mark, exponent_code = re.split(r"([Ee])", code, maxsplit=1) if re.search("[Ee]", code) else (code, "", "")
    if mark:
        return _scientific(number, mantissa, exponent_code)
    whole_code, _, decimals_code = mantissa.partition(".")
    bare = whole_code.rstrip(",")
    thousands = len(whole_code) - len(bare) if "." in mantissa or whole_code.endswith(",") else 0
    thousands += len(decimals_code) - len(decimals_code.rstrip(","))
    return _fixed(number.scaleb(-3 * thousands), bare, decimals_code.replace(",", ""))


def _fixed(number: Decimal, whole_code: str, decimals_code: str) -> str:
    places = len(decimals_code)
    rounded = str(number.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP))
    whole, _, decimals = rounded.partition(".")
    whole = whole.lstrip("0").rjust(whole_code.replace(",", "").count("0"), "0")
    if "," in whole_code:
        whole = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", whole)
    needed = len(decimals_code.rstrip("#?"))
    decimals = decimals[:needed] + decimals[needed:].rstrip("0")
    return f"{whole}.{decimals}" if decimals else whole


def _scientific(number: Decimal, mantissa_code: str, exponent_code: str) -> str:
    whole_code, _, decimals_code = mantissa_code.partition(".")
    step = max(1, len(whole_code))
    exponent = math.floor(number.adjusted() / step) * step if number else 0
    mantissa = _fixed(number.scaleb(-exponent), whole_code, decimals_code)
    sign = "-" if exponent < 0 else "+" if exponent_code.startswith("+") else ""
    return f"{mantissa}E{sign}{str(abs(exponent)).rjust(exponent_code.count('0'), '0')}"
