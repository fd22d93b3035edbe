"""The metadata a PDF or an Office file carries of itself, with what programs write there unasked taken out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentInfo:
    """Title, date (``YYYY-MM-DD`` or RFC 3339) and tags, as far as the file has usable ones."""

    title: str | None = None
    date: str | None = None
    tags: tuple[str, ...] = ()


_JUNK_TITLE = re.compile(
    r"""microsoft\ (word|powerpoint|excel)\b.*      # "Microsoft Word - report.doc", by the print driver
      | (word|excel)\ document | powerpoint(-|\ )pr(e|ä)sentation | pr(e|é)sentation\ powerpoint
      | untitled([-_ ]?\d+)?(\.\w{1,5})? | unbenannt([-_ ]?\d+)? | sans[ ]titre([-_ ]?\d+)? | 無題([-_ ]?\d+)?
      | (document|dokument|presentation|präsentation|book|mappe|slide|title|文書)[-_ ]?\d*
      | \(?(anonymous|unspecified|none|null)\)?
      | [^\s]+\.(docx?|pptx?|xlsx?|odt|odp|ods|rtf|txt|dvi|tex|indd|qxd|pdf|ps|p65|fm)  # a file name, not a title
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ufeff\ufffe\uffff\ud800-\udfff]+")
_PDF_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?\s*(Z|[+-]\d\d'?(?:\d\d)?'?)?")
_W3C_DATE = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?")


def usable_title(raw: str) -> str | None:
    """The title as one line, or ``None`` when it is empty or what a program puts there by itself."""
    title = " ".join(_CONTROLS.sub(" ", raw).split())
    if not title or _JUNK_TITLE.fullmatch(title):
        return None
    return title


def split_keywords(raw: str) -> tuple[str, ...]:
    """Keywords parted by commas, semicolons or lines (also their full-width forms), without repeats."""
    words = (" ".join(_CONTROLS.sub(" ", word).split()) for word in re.split(r"[,;\n\u3001\uff0c\uff1b]", raw))
    return tuple(dict.fromkeys(word for word in words if word))


def w3c_date(raw: str) -> str | None:
    """A W3C date-time (docProps/core.xml): its date, or RFC 3339 when it has a time and an offset."""
    text = raw.strip()
    if not _W3C_DATE.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return _written(moment)


def pdf_date(raw: str) -> str | None:
    """A PDF date string (ISO 32000-1, 7.9.4), ``D:YYYYMMDDHHmmSSOHH'mm'``, with everything but the year optional."""
    match = _PDF_DATE.match(raw.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second, offset = match.groups()
    try:
        if hour is None or offset is None:
            return date(int(year), int(month or 1), int(day or 1)).isoformat()
        zone = "+00:00" if offset == "Z" else _offset(offset)
        written = f"{year}-{month}-{day}T{hour}:{minute}:{second or '00'}{zone}"
        return _written(datetime.fromisoformat(written))
    except ValueError:
        return None


def _offset(raw: str) -> str:
    digits = raw[1:].replace("'", "").ljust(4, "0")
    return f"{raw[0]}{digits[:2]}:{digits[2:4]}"


def _written(moment: datetime) -> str:
    if moment.tzinfo is None:
        return moment.date().isoformat()
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
