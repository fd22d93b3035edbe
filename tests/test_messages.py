from __future__ import annotations

import re
from pathlib import Path

import grooveseek.errors
from grooveseek.errors import GrooveError

ROOT = Path(__file__).parents[1]


def sections() -> dict[str, str]:
    parts = re.split(r"(?m)^## (.+)\n", (ROOT / "docs" / "messages.md").read_text(encoding="utf-8"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def slugs_in_the_source() -> list[str]:
    """As written down, since which subclasses exist depends on what has been imported."""
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "grooveseek").rglob("*.py")]
    return [
        slug for text in sources for slug in re.findall(r'(?m)^    slug(?:: ClassVar\[str\])? = "([a-z-]+)"$', text)
    ]


def error_classes() -> list[type[GrooveError]]:
    members = vars(grooveseek.errors).values()
    return [member for member in members if isinstance(member, type) and issubclass(member, GrooveError)]


def test_every_error_has_an_entry_and_every_entry_an_error():
    assert {error.slug for error in error_classes()} <= set(slugs_in_the_source())
    assert set(slugs_in_the_source()) == set(sections())


def test_no_two_errors_share_a_slug():
    assert len(slugs_in_the_source()) == len(set(slugs_in_the_source()))


def test_an_entry_says_more_than_its_name():
    assert [slug for slug, text in sections().items() if len(text.strip()) < 60] == []


def test_an_exit_code_other_than_two_is_told():
    unusual = [error for error in error_classes() if error.exit_code != 2]
    assert len(unusual) == 2
    for error in unusual:
        assert f"Exit code {error.exit_code}." in sections()[error.slug]
