"""The project's own gate: its golden sets against its committed baselines, and the gate against broken builds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from eval.broken_builds import BROKEN, ROOT, SETS, broken, settings_of
from grooveseek.app import KnowledgeBase
from grooveseek.evaluation.conclusion import Records
from grooveseek.evaluation.evaluate import EvalRequest
from grooveseek.evaluation.gate import GateDecision, GateMode, GateRule, decide
from grooveseek.evaluation.outcome import EvalReport

BASELINES = ROOT / "eval" / "baselines"
RULES = [GateRule(mode=mode) for mode in GateMode]


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, KnowledgeBase]]:
    """The golden sets, indexed once with the bundled model."""
    work = tmp_path_factory.mktemp("own-gate")
    opened = {name: KnowledgeBase(settings_of(name, work / f"{name}.db")) for name in SETS}
    for kb in opened.values():
        kb.index()
    yield opened
    for kb in opened.values():
        kb.close()


def judged(kb: KnowledgeBase, name: str) -> tuple[EvalReport, list[GateDecision]]:
    """A report on a golden set, and what each rule says of it against the committed baseline. Nothing is written."""
    report = kb.evaluate(EvalRequest(records=Records(baseline=BASELINES / f"{name}.json"))).report
    comparison = report.comparison
    assert comparison is not None
    assert comparison.compatible, f"{comparison.differences}: run eval/save_baselines.py and commit what it writes"
    return report, [decide(comparison, rule, baseline_named=True) for rule in RULES]


def below_floor(report: EvalReport, name: str) -> list[str]:
    """The measures whose mean is below what eval/baselines/README.md says is the least."""
    return [measure for measure, floor in floors(name).items() if report.run.metrics[measure] < floor]


def floors(name: str) -> dict[str, float]:
    """The least a golden set's means may be: the table of eval/baselines/README.md."""
    text = (BASELINES / "README.md").read_text("utf-8").split("## Floors")[1]
    rows = re.findall(r"^\| (\w+) \| (\S+) \| ([0-9.]+) \|", text, re.MULTILINE)
    return {measure: float(floor) for golden, measure, floor in rows if golden == name}


@pytest.mark.parametrize("name", SETS)
def test_retrieval_is_no_worse_than_the_baseline(bases: dict[str, KnowledgeBase], name: str) -> None:
    report, decisions = judged(bases[name], name)
    assert [decision.reasons for decision in decisions if not decision.passed] == []
    assert [finding.message for finding in report.findings] == []
    assert floors(name)
    assert below_floor(report, name) == []


@pytest.mark.parametrize("name", ["handbook", "code"])  # the workshop's twelve answers are too few to judge legs by
def test_the_legs_together_are_better_than_each_alone(bases: dict[str, KnowledgeBase], name: str) -> None:
    report, _ = judged(bases[name], name)
    means = {leg: figures[report.primary].value for leg, figures in report.legs.items()}
    assert max(means, key=lambda leg: means[leg]) == "fusion", means


CLOSED_ON = {
    "vector leg silent": ("handbook", "code"),
    "full-text leg silent": ("handbook", "code"),
    "word table silent": ("handbook",),
    "alpha 0.3 instead of 0.8": ("handbook", "code"),
    "queries embedded back to front": ("code",),
    "quality rule reversed": ("code",),
    "quality rule off": ("workshop",),
    "best candidate lost": ("code",),
}
"""Where the gate is tried on a broken build; eval/broken_builds.py has the figures of all on each."""

ABOVE_THE_FLOORS = {("full-text leg silent", "code")}
"""Only the comparison with the baseline sees these."""


@pytest.mark.parametrize(("build", "name"), [(build, name) for build, names in CLOSED_ON.items() for name in names])
def test_the_gate_closes_on_a_broken_build(bases: dict[str, KnowledgeBase], build: str, name: str) -> None:
    with broken(bases[name], build) as kb:
        report, decisions = judged(kb, name)
    assert 1 in {decision.exit_code for decision in decisions}
    assert below_floor(report, name) or (build, name) in ABOVE_THE_FLOORS


def test_every_broken_build_is_tried_or_known_to_be_out_of_reach() -> None:
    readme = (BASELINES / "README.md").read_text("utf-8")
    for build in BROKEN:
        assert build in CLOSED_ON or f"`{build}`" in readme, build


def test_another_setting_is_not_measured_as_if_nothing_were_changed(bases: dict[str, KnowledgeBase]) -> None:
    settings = bases["code"].settings
    fusion = replace(settings.search.fusion, alpha=0.3)
    changed = replace(settings, search=replace(settings.search, fusion=fusion))
    request = EvalRequest(records=Records(baseline=BASELINES / "code.json"), rule=RULES[0])
    with KnowledgeBase(changed, embedder=bases["code"].embedder) as kb:
        gate = kb.evaluate(request).report.gate
    assert gate is not None
    assert gate.exit_code == 2
    assert "fusion.alpha is 0.3, was 0.8" in gate.reasons[0]
