"""The HTML report of a real evaluation, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.evaluation.conclusion import Records
from grooveseek.evaluation.evaluate import EvalRequest
from grooveseek.evaluation.gate import GateRule
from grooveseek.evaluation.report.html import render_html
from grooveseek.retrieval import pipeline
from grooveseek.retrieval.legs import NO_LEG
from grooveseek.settings.sections import Settings
from tests.support.browser import Browser
from tests.support.eval_bases import write_base


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a report with a history, a comparison and a gate."""
    folder = tmp_path_factory.mktemp("page")
    request = EvalRequest(records=Records(history=folder / "history.json"), rule=GateRule())
    with KnowledgeBase(Settings(kb_path=write_base(folder / "kb")), embedder=FakeEmbedder()) as kb:
        kb.index()
        with mock.patch.object(pipeline, "fulltext_leg", return_value=NO_LEG):
            kb.evaluate(request)
        report = kb.evaluate(request).report
    file: Path = folder / "report.html"
    file.write_text(render_html(report), encoding="utf-8")
    return file.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1100])
def test_it_opens_offline_and_fits(page: str, browser: Browser, tmp_path: Path, scheme: str, width: int) -> None:
    browser.color_scheme(scheme)
    browser.screenshot(tmp_path / "before.png", width=width)
    browser.open(page)
    browser.screenshot(tmp_path / "page.png", width=width)
    assert set(browser.requested()) == {page}
    assert browser.complaints() == []
    root = "document.documentElement"
    assert browser.evaluate(f"{root}.scrollWidth <= {root}.clientWidth"), "wide parts scroll by themselves"
    dark = browser.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g)[0] < 128")
    assert dark is (scheme == "dark")


def test_plots_and_tables_show_something(page: str, browser: Browser, tmp_path: Path) -> None:
    browser.screenshot(tmp_path / "before.png", width=1100)
    browser.open(page)
    count = "Array.from(document.querySelectorAll('{}')).filter(e => e.getBoundingClientRect().width > 0).length"
    assert browser.evaluate(count.format("svg")) == 3
    assert browser.evaluate(count.format("svg rect.better")) == 2
    assert browser.evaluate(count.format("svg circle")) > 6
    text = browser.evaluate("document.body.innerText")
    assert "Gate passed." in text
    assert "What each leg does alone" in text
    rows = browser.evaluate("document.querySelectorAll('table')[0].rows.length")
    assert rows == 15
