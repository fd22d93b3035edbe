"""The examples of docs/validate.md, docs/graph.md and docs/doctor.md, run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from grooveseek.cli.validate import command as validate
from grooveseek.doctor.examine import CHECKS
from grooveseek.doctor.servability import Withheld
from grooveseek.graph.request import RANGES, GraphRequest
from grooveseek.validation.check import Constraint
from grooveseek.validation.schema import _CONSTRAINTS
from tests.support.pages import matches, read_page

DOCS = Path(__file__).parents[2] / "docs"
SOURCES = Path(__file__).parents[2] / "grooveseek" / "doctor"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "codes"), [("validate.md", [1]), ("graph.md", [0, 0, 0]), ("doctor.md", [0, 1])])
def test_the_sessions_of_a_page_print_what_it_says(groove, name: str, codes: list[int]):
    shown = read_page(DOCS / name)
    assert shown.files
    for path, content in shown.files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(content, encoding="utf-8")
    commands = [command for session in shown.sessions for command in session]
    assert len(commands) == len(codes)
    for command, code in zip(commands, codes, strict=True):
        answer = groove(*command.argv[1:])
        assert matches(steady(answer.out), steady(command.output)), answer.out
        assert answer.code == code


def steady(text: str) -> str:
    """Cosines without their second decimal: the same model rounds a little differently on another processor."""
    return re.sub(r"(0\.\d)\d", r"\1", text)


def test_the_doctor_page_has_every_check_and_no_other():
    source = "".join(path.read_text(encoding="utf-8") for path in SOURCES.glob("*.py"))
    said = set(re.findall(r'(?:about|_error|_refusal)\(\s*"([a-z-]+)"', source))
    said |= set(re.findall(r'"(orphan-[a-z]+)"', source)) | {f"withheld-{reason}" for reason in Withheld}
    rows = [line for line in page("doctor.md").splitlines() if line.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`([a-z-]+)`", row.split("|")[1])} == said
    assert f"{len(CHECKS)} checks made" in page("doctor.md")


def test_the_severities_of_the_doctor_page_are_those_of_the_code():
    source = "".join(path.read_text(encoding="utf-8") for path in SOURCES.glob("*.py"))
    for check, severity in re.findall(r'about\(\s*"([a-z-]+)",\s*(?:Severity\.)?(ERROR|WARNING|NOTE|warning)', source):
        row = next(line for line in page("doctor.md").splitlines() if line.startswith("|") and f"`{check}`" in line)
        assert row.split("|")[2].strip() == severity.lower(), check


def test_the_graph_page_has_the_defaults_and_ranges_of_the_code():
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| (\d+) to (\d+) \|$", page("graph.md"), re.MULTILINE)
    assert {name: (float(low), float(high)) for name, _, low, high in rows} == RANGES
    for name, default, _, _ in rows:
        assert getattr(GraphRequest(start="x"), name) == float(default)


def test_the_validate_page_has_every_rule_flag_and_special_violation():
    text = page("validate.md")
    for name in (*_CONSTRAINTS, *(option for parameter in validate.params for option in parameter.opts)):
        assert f"`{name}" in text or name in ("--config", "--kb-path", "--no-color"), name
    for constraint in (Constraint.DUPLICATE_KEY, Constraint.FRONTMATTER_UNPARSED):
        assert f"`{constraint.value}`" in text
