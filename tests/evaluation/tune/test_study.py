"""Whole studies on small knowledge bases: what is recommended, what is said, what is refused."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.errors import GoldenError, UsageError
from grooveseek.evaluation.tune.grid import Choice, Family
from grooveseek.evaluation.tune.report.html import render_html
from grooveseek.evaluation.tune.report.json import render_json, study_values
from grooveseek.evaluation.tune.report.text import render_text
from grooveseek.evaluation.tune.report.verdict import snippet, verdict
from grooveseek.evaluation.tune.request import TuneRequest
from grooveseek.evaluation.tune.study import Study
from grooveseek.settings.sections import FusionSettings, Settings

OpenKb = Callable[..., KnowledgeBase]
SUBJECTS = ("pump", "valve", "lamp", "horn", "rope", "tide", "deck", "salt", "crew", "mast", "sail", "hull")


def ledger() -> dict[str, str]:
    """Each subject has one note that says it in its heading, once, and others that repeat it in their text: only a
    heavy heading puts the right one first."""
    notes: dict[str, str] = {}
    for subject in SUBJECTS:
        filler = " ".join(f"{subject}{number} word" for number in range(20))
        notes[f"right/{subject}.md"] = f"# About the {subject} here\n\n{filler}\n"
        for copy in range(6):
            notes[f"wrong/{subject}{copy}.md"] = f"# Log\n\nThe {subject} again, {subject} and {subject} {copy}.\n"
    return notes


def golden(subjects: tuple[str, ...] = SUBJECTS) -> str:
    return json.dumps({"queries": [{"query": s, "expected": [{"path": f"right/{s}.md"}]} for s in subjects]})


def tuned(kb: KnowledgeBase, text: str, **request: Any) -> Study:
    (kb.root / ".groove-eval.yml").write_text(text, encoding="utf-8")
    kb.index()
    return kb.tune(TuneRequest(**request))


def configured(**fusion: Any) -> Settings:
    settings = Settings()
    return replace(settings, search=replace(settings.search, fusion=FusionSettings(**fusion)))


@pytest.fixture
def kb(open_kb: OpenKb) -> KnowledgeBase:
    return open_kb(files=ledger(), settings=configured(method="rrf"))


def test_an_edge_that_is_there_is_found_and_the_snippet_sets_it(kb: KnowledgeBase) -> None:
    study = tuned(kb, golden())
    assert study.recommended is not None
    text = render_text(study)
    assert snippet(study.recommended) in text
    assert "Nothing was changed" in text
    assert "groove eval" in text
    fusion = tomllib.loads(snippet(study.recommended))["search"]["fusion"]
    assert FusionSettings(**fusion) == study.recommended.fusion
    assert study.means["nDCG@5"][study.found.refit] > study.means["nDCG@5"][study.grid.default]


def test_what_is_recommended_is_kept_when_it_is_configured_already(kb: KnowledgeBase, open_kb: OpenKb) -> None:
    found = tuned(kb, golden()).recommended
    assert found is not None
    again = open_kb(
        root=kb.root, settings=replace(kb.settings, search=replace(kb.settings.search, fusion=found.fusion))
    )
    study = again.tune()
    assert study.recommended is None
    assert verdict(study).startswith("Keep what is configured")


def test_with_convex_configured_rrf_must_beat_it_too(open_kb: OpenKb) -> None:
    kb = open_kb(files=ledger())
    study = tuned(kb, golden())
    assert [criterion.name for criterion in study.decision.criteria][-1] == "configured"
    assert "Configured now: convex, alpha 0.8" in render_text(study)
    assert "--family convex" in render_text(study)


def test_equal_settings_leave_the_default(kb: KnowledgeBase) -> None:
    study = tuned(kb, '{"queries": [{"query": "pump", "expected": [{"path": "gone.md"}]}]}')
    assert study.refit is study.default
    assert "Keep the defaults" in render_text(study)
    assert set(study.means["nDCG@5"]) == {0.0}


@pytest.mark.parametrize("count", [1, 2])
def test_one_or_two_queries_settle_nothing(kb: KnowledgeBase, count: int) -> None:
    study = tuned(kb, golden(SUBJECTS[:count]))
    assert study.recommended is None
    assert study.effective == count
    text = render_text(study)
    assert "Keep the defaults" in text
    assert "nan" not in text.lower()
    json.loads(render_json(study))


def test_no_query_with_two_candidates_is_refused_with_the_reason(kb: KnowledgeBase) -> None:
    text = '{"queries": [{"query": "zebra", "expected": [{"path": "right/pump.md"}]}]}'
    with pytest.raises(GoldenError, match=r"no query has 2 full-text candidates.*1 of 1 have none"):
        tuned(kb, text)


def test_a_set_without_answers_is_refused(kb: KnowledgeBase) -> None:
    text = '{"queries": [{"query": "pump", "expected": [], "answerable": false}]}'
    with pytest.raises(GoldenError, match="nothing to tune by"):
        tuned(kb, text)


def test_few_queries_get_a_warning_and_unanswerable_ones_a_note(kb: KnowledgeBase) -> None:
    entries = json.loads(golden())
    entries["queries"].append({"query": "none", "expected": [], "answerable": False})
    study = tuned(kb, json.dumps(entries))
    assert "fewer than 50" in study.warnings[0]
    assert "1 query expects nothing" in study.notes[0]
    assert len(study.queries) == len(SUBJECTS)


def test_a_reranker_never_runs_and_is_spoken_of(open_kb: OpenKb) -> None:
    kb = open_kb(files=ledger(), settings=replace(configured(method="rrf"), reranker="bge-base"))
    study = tuned(kb, golden())
    assert any("bge-base did not run" in note for note in study.notes)


def test_without_context_the_axis_is_skipped_and_said_so(open_kb: OpenKb) -> None:
    settings = Settings()
    kb = open_kb(files=ledger(), settings=replace(settings, contextual=replace(settings.contextual, enabled=False)))
    study = tuned(kb, golden())
    assert len(study.grid.conditions) == 96
    assert "context weight was not varied" in render_text(study)


def test_all_families_are_compared_with_the_product_default(kb: KnowledgeBase) -> None:
    study = tuned(kb, golden(), choice=Choice.ALL)
    assert [family.family for family in study.families] == list(Family)
    assert study.default.fusion == FusionSettings()
    assert "convex combination" in render_text(study)
    page = render_html(study)
    assert page.count("<svg") >= 3  # rrf, rrf with legs weighted, convex; one more where the default is in none of them
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")


def test_leg_weights_belong_to_rrf(kb: KnowledgeBase) -> None:
    with pytest.raises(UsageError, match="--legs"):
        tuned(kb, golden(), choice=Choice.CONVEX, legs=True)


def test_json_holds_every_condition_with_every_measure(kb: KnowledgeBase) -> None:
    values = study_values(tuned(kb, golden()))
    assert len(values["sweep"]) == values["conditions"]
    assert set(values["sweep"][0]["metrics"]) == {"nDCG@5", "R@1", "R@5", "R@10", "RR"}
    assert sum(entry["folds"] for entry in values["selections"]) == values["queries"]


def test_the_heat_map_marks_the_default_and_the_best(kb: KnowledgeBase) -> None:
    page = render_html(tuned(kb, golden()))
    assert page.count('class="heat"') % 24 == 0  # 6 rrf_k by 4 heading weights
    assert page.count('class="heat-best"') >= 1
    assert page.count('class="heat-default"') == 1
    assert "nDCG@5 by rrf_k" in page


def test_nothing_is_written(kb: KnowledgeBase) -> None:
    tuned(kb, golden())
    before = {path: path.stat().st_mtime_ns for path in Path(kb.root).rglob("*")}
    kb.tune()
    assert {path: path.stat().st_mtime_ns for path in Path(kb.root).rglob("*")} == before


def test_the_order_of_many_queries_shows_nowhere(kb: KnowledgeBase) -> None:
    """Beyond 12 queries the selection test draws its signs, which go by place."""
    entries = json.loads(golden())["queries"]
    entries += [{"query": f"{e['query']} again", "expected": e["expected"]} for e in entries]
    study = tuned(kb, json.dumps({"queries": entries}))
    assert len(study.queries) == 24
    again = tuned(kb, json.dumps({"queries": entries[::-1]}))
    assert render_json(study) == render_json(again)
