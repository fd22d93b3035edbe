"""The report as JUnit XML: one test case a query, so that any CI server shows which ones are found.

Elements and attributes are those of the schema that Jenkins' xUnit plugin validates against, the strictest in use. A
case fails when its query got worse than in the previous run or found none of its answers, is an error when its search
did not run, and is skipped when it is not answerable, since there is nothing to find.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

from grooveseek.evaluation.compare import QueryDelta
from grooveseek.evaluation.outcome import EvalReport, QueryReport
from grooveseek.evaluation.report.plain import misses, number, printable
from grooveseek.evaluation.verdict import verdict


def render_junit(report: EvalReport) -> str:
    """A ``testsuites`` document."""
    golden = printable(report.golden)
    suite = ET.Element("testsuite", name="groove eval", timestamp=printable(report.run.time), file=golden)
    properties = ET.SubElement(suite, "properties")
    for name, value in report.run.metrics.items():
        ET.SubElement(properties, "property", name=name, value=number(value, 6))
    regressed = {delta.query_id: delta for delta in report.comparison.regressed} if report.comparison else {}
    for query in report.queries:
        _case(suite, report, query, regressed.get(query.id))
    for kind, attribute in (
        ("testcase", "tests"),
        ("failure", "failures"),
        ("error", "errors"),
        ("skipped", "skipped"),
    ):
        suite.set(attribute, str(sum(1 for _ in suite.iter(kind))))
    if report.comparison is not None:
        ET.SubElement(suite, "system-out").text = printable(verdict(report.comparison))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _case(suite: ET.Element, report: EvalReport, query: QueryReport, delta: QueryDelta | None) -> None:
    case = ET.SubElement(suite, "testcase", classname=printable(report.golden), name=printable(query.id))
    if query.failed is not None:
        ET.SubElement(case, "error", type="failed", message=printable(query.failed))
    elif delta is not None and report.comparison is not None:
        name = report.comparison.primary
        said = f"{name} fell from {number(delta.previous[name])} to {number(delta.current[name])}"
        ET.SubElement(case, "failure", type="regressed", message=said).text = _asked(report, query)
    elif query.missed:
        ET.SubElement(case, "failure", type="missed", message=misses(query)).text = _asked(report, query)
    elif not query.answerable:
        ET.SubElement(case, "skipped", message="not answerable: nothing to find")
    elif not query.metrics:
        ET.SubElement(case, "skipped", message="nothing to measure: every entry is stale")
    if query.metrics:
        scores = " ".join(f"{name}={number(value)}" for name, value in query.metrics.items())
        ET.SubElement(case, "system-out").text = scores


def _asked(report: EvalReport, query: QueryReport) -> str:
    """The query and where it stands: a case has no attribute for a line that every reader takes."""
    place = report.golden if query.line is None else f"{report.golden}:{query.line}"
    return printable(f"{place}: {query.query}")
