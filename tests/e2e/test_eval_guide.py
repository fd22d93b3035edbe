"""docs/eval.md and examples/github-actions, done as they say, with the bundled model."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from grooveseek.cli.eval import command
from grooveseek.evaluation import findings
from grooveseek.evaluation.measures import standard_measures
from tests.support.eval_bases import write_base
from tests.support.pages import matches, read_page

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "eval.md"
WORKFLOW = ROOT / "examples" / "github-actions" / "retrieval.yml"

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="the workflow's steps are for bash")


class Repository:
    """A checkout with documents in docs/, and commands in it as a person or a runner would give them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        write_base(root / "docs", read_page(GUIDE).files["docs/.groove-eval.yml"])
        programs = root.parent / "bin"
        programs.mkdir()
        script = programs / "groove"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m grooveseek "$@"\n')
        script.chmod(0o755)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GROOVE_", "GITHUB_"))}
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**kept, "PATH": path, "GITHUB_WORKSPACE": str(root), "HOME": str(root.parent)}

    def run(self, command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command],
            cwd=self.root,
            env={**self.environment, **environment},
            capture_output=True,
            encoding="utf-8",
            timeout=300,
        )

    def workflow(self) -> Iterator[tuple[str, subprocess.CompletedProcess[str]]]:
        """Run the workflow's own steps, the installation aside, until one fails."""
        workflow = yaml.safe_load(WORKFLOW.read_text("utf-8"))
        for step in workflow["jobs"]["gate"]["steps"]:
            if "run" not in step or step["name"] == "Install":
                continue
            done = self.run(step["run"], **workflow["env"])
            yield step["name"], done
            if done.returncode:
                return


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository after the guide's own commands, in which a gate stands."""
    root = tmp_path_factory.mktemp("guide") / "repository"
    root.mkdir()
    repository = Repository(root)
    (root / "q.tsv").write_text("1\tsaffron cake\n")
    (root / "qrels.txt").write_text("1 0 bees 1\n")
    for session in read_page(GUIDE).sessions:
        for shown in session:
            done = repository.run(" ".join(f"'{part}'" for part in shown.argv))
            assert done.returncode == 0, (shown.argv, done.stderr)
            assert matches(done.stdout, shown.output or done.stdout), done.stdout
    return repository


def test_the_guide_leaves_a_baseline_to_commit(repository: Repository) -> None:
    baseline = json.loads((repository.root / "retrieval-baseline.json").read_text("utf-8"))
    assert baseline["run"]["averaged"] == 3
    assert baseline["run"]["fingerprint"]["model"]["name"] == "all-minilm-l6-v2"


def test_the_workflow_passes_where_nothing_changed(repository: Repository) -> None:
    done = dict(repository.workflow())
    assert {name: step.returncode for name, step in done.items()} == {
        "Index": 0,
        "Check the golden set": 0,
        "Measure": 0,
    }
    assert (repository.root / "retrieval.html").read_text("utf-8").startswith("<!doctype html>")
    assert ET.parse(repository.root / "retrieval.xml").getroot().tag == "testsuites"
    assert all(line.startswith("::") for line in done["Measure"].stdout.splitlines())


def test_the_workflow_says_when_the_golden_file_was_edited(repository: Repository) -> None:
    golden = repository.root / "docs" / ".groove-eval.yml"
    before = golden.read_text("utf-8")
    golden.write_text(before + "  - query: tea on board\n    expected:\n      - path: my notes/tea & cake.md\n")
    try:
        done = dict(repository.workflow())["Measure"]
    finally:
        golden.write_text(before)
    assert done.returncode == 2
    assert "golden is" in done.stdout
    assert "--save-baseline" in done.stdout


def test_the_workflow_stops_at_a_golden_file_that_names_what_is_not_there(repository: Repository) -> None:
    golden = repository.root / "docs" / ".groove-eval.yml"
    before = golden.read_text("utf-8")
    golden.write_text(before.replace("weather/fog.md", "weather/frog.md"))
    try:
        done = dict(repository.workflow())
    finally:
        golden.write_text(before)
    assert list(done) == ["Index", "Check the golden set"]
    assert done["Check the golden set"].returncode == 1
    assert "Did you mean weather/fog.md?" in done["Check the golden set"].stdout


def test_a_pull_request_that_loses_answers_fails_with_annotations(repository: Repository, tmp_path: Path) -> None:
    """Enough queries for the significance gate, and a change that empties the documents they are about."""
    root = tmp_path / "repository"
    shutil.copytree(repository.root, root)
    other = Repository.__new__(Repository)
    other.root, other.environment = root, {**repository.environment, "GITHUB_WORKSPACE": str(root)}
    subjects = {
        "weather/fog.md": ["fog", "lamp buoy", "horn", "haze", "mate"],
        "weather/wind.md": ["thirty knots", "ramp lashed", "small ferry in port"],
        "cargo/horses.md": ["horse box", "groom", "open deck"],
        "cargo/bees.md": ["hives", "entrance closed", "away from the engine"],
    }
    entries = [
        f"  - {{query: {query}, expected: [{{path: {path}}}]}}\n" for path, qs in subjects.items() for query in qs
    ]
    (root / "docs" / ".groove-eval.yml").write_text("queries:\n" + "".join(entries))
    save = "groove index --kb-path docs --quiet && groove eval --kb-path docs --no-history --save-baseline "
    assert other.run(save + "retrieval-baseline.json").returncode == 0
    for path in subjects:
        (root / "docs" / path).write_text("# Moved\n\nThis page has moved to the intranet, ask the office for it.\n")
    done = dict(other.workflow())["Measure"]
    assert done.returncode == 1
    first = done.stdout.splitlines()[0]
    assert first.startswith("::error file=docs/.groove-eval.yml,title=Retrieval gate::")
    worse = [line for line in done.stdout.splitlines() if "title=Query got worse" in line]
    assert len(worse) > 6
    assert re.match(r"::error file=docs/\.groove-eval\.yml,line=\d+,", worse[0])
    suite = ET.parse(root / "retrieval.xml").getroot().find("testsuite")
    assert suite is not None
    assert int(suite.get("failures") or 0) > 6


def test_the_page_has_every_flag_check_and_measure() -> None:
    page = GUIDE.read_text("utf-8")
    explained_elsewhere = {"--config", "--kb-path", "--no-color", "--model", "--mmr-lambda", "--mmr-same-doc-penalty"}
    flags = {flag for option in command.params for flag in option.opts} - explained_elsewhere
    assert {flag for flag in flags if not re.search(rf"(?<![\w-]){flag}(?![\w-])", page)} == set()
    checks = set(re.findall(r'check="([a-z-]+)"', inspect.getsource(findings)))
    assert {check for check in checks if f"`{check}`" not in page} == set()
    measures = {re.sub(r"@\d+$", "@k", measure.name) for measure in standard_measures((1,))}
    assert {name for name in measures if f"| `{name}` |" not in page} == set()


def test_the_workflow_is_one_that_github_takes() -> None:
    workflow: dict[Any, Any] = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    assert set(workflow) == {"name", True, "permissions", "env", "jobs"}, "YAML 1.1 reads the key `on` as true"
    assert workflow["permissions"] == {"contents": "read"}
    for step in workflow["jobs"]["gate"]["steps"]:
        assert ("run" in step) is not ("uses" in step)
        assert re.fullmatch(r"actions/[a-z-]+@v\d+", step.get("uses", "actions/x@v1"))


def test_the_python_example_runs(repository: Repository) -> None:
    block = GUIDE.read_text("utf-8").split("## From Python\n\n")[1]
    code = "\n".join(line.removeprefix("    ") for line in block.splitlines())
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=repository.root, capture_output=True, encoding="utf-8", timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert re.match(r"[01]\.\d+ \[", done.stdout)
