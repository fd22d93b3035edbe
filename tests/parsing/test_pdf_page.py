import pytest
from grooveseek.parsing.pdf_page import tidy


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("trans-\nformation", "transformation"),
        ("trans-\r\nformation", "transformation"),
        ("trans\ufffeformation", "transformation"),
        ("trans\x02\nformation", "transformation"),
        ("Trans-\nFormation", "Trans-\nFormation"),
        ("pre-\n2020", "pre-\n2020"),
        ("2019\ufffe2020", "2019-2020"),
        ("Über-\nänderung", "Über-\nänderung"),
        ("well-known", "well-known"),
        ("a -\nb", "a -\nb"),
        ("in\u00adspec\u00ad\ntion", "inspection"),
        ("\ufb01 \ufb02 \ufb00 \ufb03 \ufb04", "fi fl ff ffi ffl"),
        ("\uf0b7 item\n\uf0a7 other", "item\nother"),
        ("line \t\nnext", "line\nnext"),
        ("\n\ntext\n", "text"),
        ("", ""),
    ],
)
def test_raw_text_is_put_right(raw: str, text: str) -> None:
    assert tidy(raw) == text


def test_east_asian_lines_that_run_on_are_joined_and_others_not() -> None:
    lines = "見張りの老\n人は帳面に\n一隻ずつ。\n見出し\n本文は続く\n"
    assert tidy(lines) == "見張りの老人は帳面に一隻ずつ。\n見出し\n本文は続く"


def test_lines_of_mixed_scripts_are_joined_between_wide_characters_only() -> None:
    assert tidy("港の番号は42\n番の船です") == "港の番号は42\n番の船です"
