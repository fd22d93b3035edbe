"""Small pieces of text every report format shares."""

from __future__ import annotations

import math
import re

from grooveseek.evaluation.outcome import ExpectedOutcome, Finding, Miss, QueryReport

# control characters, and the marks that reorder text: a query or a path must not steer the terminal it is shown on
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> str:
    """The text on one line, free of anything a terminal or an XML reader would act on."""
    return _UNPRINTABLE.sub("\ufffd", " ".join(text.split()))


def number(value: float, digits: int = 3) -> str:
    """A measure's value; a dash when it is undefined."""
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def signed(value: float, digits: int = 3) -> str:
    """A difference with its sign; ``0`` when rounding leaves nothing, a dash when it is undefined."""
    if math.isnan(value):
        return "–"
    text = f"{value:+.{digits}f}"
    return "0" if float(text) == 0 else text


def p_value(p: float) -> str:
    """A p-value to three places."""
    if math.isnan(p):
        return "–"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def where(entry: ExpectedOutcome) -> str:
    """An expected entry and what became of it: ``ops/pump.md > Reset: rank 14, below k``."""
    name = entry.path if entry.heading is None else f"{entry.path} > {entry.heading}"
    return f"{printable(name)}: {_outcome(entry)}"


def _outcome(entry: ExpectedOutcome) -> str:
    match entry.miss:
        case Miss.NOT_INDEXED:
            return "not in the index"
        case Miss.IN_NO_POOL:
            return "indexed, but among no leg's candidates"
        case Miss.BELOW_K:
            return f"rank {entry.rank}, below k"
        case None:
            return f"rank {entry.rank}"


def misses(query: QueryReport) -> str:
    """Why each of a query's relevant entries that was not found was not."""
    return "; ".join(where(entry) for entry in query.expected if entry.relevance > 0 and entry.miss is not None)


def finding_line(finding: Finding) -> str:
    """A finding on one line, with the queries it concerns."""
    quoted = ", ".join(
        entry.query_id if entry.rank_in_top_k is None else f"{entry.query_id} (rank {entry.rank_in_top_k})"
        for entry in finding.quoted
    )
    return printable(f"{finding.check}: {finding.message}" + (f" Quoted: {quoted}." if quoted else ""))


def plural(count: int, one: str, many: str) -> str:
    """A count with its noun."""
    return f"{count} {one if count == 1 else many}"
