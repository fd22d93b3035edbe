import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from grooveseek.evaluation.outcome import EvalReport
from grooveseek.evaluation.report.html import render_html
from grooveseek.evaluation.verdict import verdict
from tests.support.eval_reports import make_hostile_report, make_report

VOID = {"meta", "circle", "line", "rect", "path", "polyline", "br"}


class Page(HTMLParser):
    """What a browser would see: elements in balance, attributes, and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def having(self, tag: str, kind: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.elements if name == tag and kind in (attrs.get("class") or "").split()]


@pytest.fixture(scope="module")
def report() -> EvalReport:
    return make_report()


def test_the_page_needs_nothing_but_itself(report: EvalReport) -> None:
    html = render_html(report)
    page = Page(html)
    assert page.open == []
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in page.elements}
    assert not re.search(r"https?:|url\(|@import|\bon\w+=", html)
    assert "default-src 'none'" in html


def test_verdict_gate_and_figures_are_there(report: EvalReport) -> None:
    text = Page(render_html(report)).text
    assert report.comparison is not None
    assert verdict(report.comparison) in text
    assert "Gate passed." in text
    assert "30 queries in the means, 1 not." in text


def test_every_changed_query_is_a_bar_sorted_from_worst_to_best(report: EvalReport) -> None:
    page = Page(render_html(report))
    worse, better = page.having("rect", "worse"), page.having("rect", "better")
    assert (len(worse), len(better)) == (6, 9)
    assert max(float(bar["x"] or 0) for bar in worse) < min(float(bar["x"] or 0) for bar in better)
    tallest = [float(bar["height"] or 0) for bar in sorted(worse, key=lambda bar: float(bar["x"] or 0))]
    assert tallest == sorted(tallest, reverse=True)
    assert "15 queries did not change." in page.text


def test_rank_changes_go_from_where_it_was_to_where_it_is(report: EvalReport) -> None:
    page = Page(render_html(report))
    assert "q6: rank 1, now rank 3" in page.text
    assert "q2: not found, now rank 2" in page.text
    assert len(page.having("circle", "to")) == len(page.having("circle", "from")) == 15


def test_history_is_a_line_with_a_dot_a_run(report: EvalReport) -> None:
    page = Page(render_html(report))
    lines = page.having("polyline", "series")
    assert len(lines) == 3
    assert [len((line["points"] or "").split()) for line in lines] == [5, 5, 5]
    assert len(page.having("circle", "dot")) == 18
    assert len(page.having("circle", "hollow")) == 3


def test_the_last_dot_of_the_history_is_this_run(report: EvalReport) -> None:
    assert f"nDCG@10 {report.run.metrics['nDCG@10']:.3f}, 2026-03-04T05:06:07Z" in Page(render_html(report)).text


def test_light_dark_narrow_and_print_are_provided_for(report: EvalReport) -> None:
    html = render_html(report)
    assert "prefers-color-scheme: dark" in html
    assert 'name="viewport"' in html
    assert "overflow-x: auto" in html
    assert not re.search(r"(fill|stroke)=\"", html), "colours belong to the style sheet, which knows light from dark"


def test_any_text_is_shown_as_text() -> None:
    html = render_html(make_hostile_report())
    page = Page(html)
    assert page.open == []
    assert not {"script"} & {tag for tag, _ in page.elements}
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert "<script>alert(1)</script>" in page.text


@pytest.mark.parametrize("count", [1, 2, 300])
def test_few_and_many_queries_both_make_a_page(count: int) -> None:
    assert Page(render_html(make_report(count))).open == []


def test_a_first_run_has_no_changes_and_no_history() -> None:
    page = Page(render_html(make_report(before=False, gate=False)))
    assert page.having("rect", "worse") == page.having("polyline", "series") == []
    assert "History" not in page.text


def test_runs_that_cannot_be_compared_say_so() -> None:
    report = make_report()
    assert report.comparison is not None
    previous = report.comparison.previous
    from grooveseek.evaluation.compare import compare

    other = replace(report.run, fingerprint=replace(report.run.fingerprint, limit=3))
    page = Page(render_html(replace(report, comparison=compare(other, previous))))
    assert "Not compared with the run of 2026-03-01T00:00:00Z: limit is 3, was 10." in page.text
    assert page.having("rect", "worse") == []
