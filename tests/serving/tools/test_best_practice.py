from __future__ import annotations

from dataclasses import replace

import pytest
from grooveseek.serving.tools.best_practice import h2_sections
from grooveseek.settings.sections import BestPracticeSettings
from tests.conftest import write_files
from tests.serving.conftest import PYTHON


@pytest.fixture
def served(open_kb, settings, serve):
    templates = ("none/{target}.md", "best/{target}.md", "best/{target}/index.md")
    settings = replace(settings, best_practice=BestPracticeSettings(path_templates=templates))
    return serve(open_kb(files={"best/python.md": PYTHON, "best/rust/index.md": "# Rust\n"}, settings=settings))


def test_it_is_off_until_templates_say_where_to_look(open_kb, settings, serve, tool):
    served = serve(open_kb(settings=settings))
    assert "not configured" in tool("get_best_practice", target="python", on=served)


@pytest.mark.parametrize(("target", "path"), [("python", "best/python.md"), ("rust", "best/rust/index.md")])
def test_the_first_file_that_exists_wins(tool, target, path):
    assert tool("get_best_practice", target=target)["path"] == path


def test_one_section_ends_where_the_next_of_its_level_begins(tool):
    answer = tool("get_best_practice", target="python", category="errors")
    assert answer["text"] == "## Errors\n\nRaise early.\n\n### Detail\n\nMore on that.\n\n"
    assert (answer["start_line"], answer["end_line"]) == (5, 12)
    assert tool("get_best_practice", target="python", category="Tests")["text"] == "## Tests\n\nWrite them.\n"


def test_a_section_that_is_not_there_names_those_that_are(tool):
    assert "Its sections are: Errors, Tests" in tool("get_best_practice", target="python", category="Detail")
    assert "It has no such sections" in tool("get_best_practice", target="rust", category="x")


@pytest.mark.parametrize("target", ["perl", "../secret", "/etc/passwd", "a\\b", "x" * 200, "\0", ".."])
def test_not_found_says_how_many_places_were_tried_and_not_which(tool, kb, target):
    write_files(kb.root.parent, {"secret.md": "secret"})
    message = tool("get_best_practice", target=target)
    assert "none of 3 places has a file" in message
    assert "best/" not in message.replace(target, "")


def test_an_empty_target_is_refused(tool):
    assert tool("get_best_practice", target="") == "target is empty"


def test_headings_in_fences_and_front_matter_are_none():
    text = (
        "---\ntitle: |\n  ## not\n---\n\n```\n## fenced\n```\n\nTwo\n---\n\ntext\n\n## Three ##\n\n# Top\n\n## `Four`\n"
    )
    assert list(h2_sections(text)) == [("Two", 10, 14), ("Three", 15, 16), ("Four", 19, 19)]
