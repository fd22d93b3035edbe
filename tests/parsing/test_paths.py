import pytest
from grooveseek.model.document import Frontmatter
from grooveseek.parsing.paths import breadcrumb, title_from_path, with_path_defaults


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("pump-room_notes.md", "pump room notes"),
        ("a/b/2026-03-14.md", "2026 03 14"),
        ("notes.v2.md", "notes.v2"),
        ("部品表.md", "部品表"),
        ("---.md", "---"),
        ("__a--b__.txt", "a b"),
        ("README", "README"),
    ],
)
def test_title_is_the_file_name_with_spaces(path: str, title: str) -> None:
    assert title_from_path(path) == title


@pytest.mark.parametrize(
    ("path", "category", "topic"),
    [
        ("a.md", None, None),
        ("ops/a.md", "ops", None),
        ("ops/pumps/a.md", "ops", "pumps"),
        ("ops/pumps/old/a.md", "ops", "pumps"),
    ],
)
def test_category_and_topic_come_from_the_folders(path: str, category: str | None, topic: str | None) -> None:
    found = with_path_defaults(Frontmatter(), path)
    assert (found.category, found.topic) == (category, topic)


def test_frontmatter_goes_before_the_folders() -> None:
    found = with_path_defaults(Frontmatter(category="own"), "ops/pumps/a.md")
    assert (found.category, found.topic) == ("own", "pumps")


def test_breadcrumb_joins_from_the_outside_in() -> None:
    assert breadcrumb("Handbook", "Pumps", "Seals") == "Handbook > Pumps > Seals"


def test_breadcrumb_drops_empties_and_immediate_repeats_only() -> None:
    assert breadcrumb("Pumps", "Pumps", "", None, "Seals", "Pumps") == "Pumps > Seals > Pumps"


def test_a_long_breadcrumb_loses_its_middle_from_the_outside() -> None:
    crumb = breadcrumb("Title", "a" * 90, "b" * 90, "c" * 90)
    assert crumb == f"Title > {'b' * 90} > {'c' * 90}"


def test_a_long_title_leaves_room_for_the_heading() -> None:
    crumb = breadcrumb("t" * 300, "mid", "Heading")
    assert crumb.endswith("t > Heading")
    assert len(crumb) == 200


def test_a_long_heading_leaves_room_for_the_title() -> None:
    crumb = breadcrumb("Title", "h" * 300)
    assert crumb == "Title > " + "h" * 192


def test_a_title_and_a_heading_that_are_both_long_share() -> None:
    assert breadcrumb("t" * 300, "h" * 300) == "t" * 77 + " > " + "h" * 120
