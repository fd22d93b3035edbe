import pytest
from grooveseek.model.document import QualityProfile
from grooveseek.parsing.quality import is_boilerplate, score

TEXT = QualityProfile.TEXT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x" * 80, 1.0),
        ("x" * 79, 0.7),
        ("x" * 30, 0.7),
        ("x" * 29, 0.1),
        ("", 0.1),
        ("TBD", 0.0),
        ("x" * 15 + "\n" + "y" * 13, 0.4),
        ("x" * 15 + "\n" + "y" * 14, 1.0),
        ("x" * 15 + "\r" + "y" * 20, 1.0),
        ("\n\n" + "x" * 40 + "\n", 0.7),
        ("Coming\nsoon", 0.0),
        ("倉庫の部品を数えた。", 0.1),
    ],
)
def test_prose_is_scored_by_length_lines_and_placeholders(text: str, expected: float) -> None:
    assert score(text, TEXT) == expected


@pytest.mark.parametrize("profile", [QualityProfile.BINARY, QualityProfile.DEFINITION])
def test_only_a_placeholder_lowers_the_other_profiles(profile: QualityProfile) -> None:
    assert score("fn f() {}", profile) == 1.0
    assert score("TODO", profile) == 0.5


@pytest.mark.parametrize(
    "text",
    [
        "TBD",
        "tbd.",
        "**TODO**",
        "- WIP",
        "N/A",
        "n.a.",
        "（未定）",
        "準備中。",
        "詳細は後述",
        "Coming soon…",
        "> coming  SOON",
        "ＴＢＤ",
    ],
)
def test_placeholders_are_known_whatever_surrounds_them(text: str) -> None:
    assert is_boilerplate(text)


@pytest.mark.parametrize("text", ["TODO: order seals", "The date is TBD", "未定の部品を数える", "", "---", "nation"])
def test_a_text_that_says_more_is_no_placeholder(text: str) -> None:
    assert not is_boilerplate(text)
