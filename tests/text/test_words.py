from __future__ import annotations

import pytest
from grooveseek.text.words import spell, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In fog, we wait.", ["in", "fog", "we", "wait"]),
        ("C++ snake_case e-mail", ["c", "snake", "case", "e", "mail"]),
        ("倉庫係", ["倉", "倉庫", "庫", "庫係", "係"]),
        ("倉", ["倉"]),
        ("Excel表を見る", ["excel", "表", "表を", "を", "を見", "見", "見る", "る"]),
        ("サーバー", ["サ", "サー", "ー", "ーバ", "バ", "バー", "ー"]),
        ("ﾊﾞｰ", ["バ", "バー", "ー"]),
        ("점검 기록", ["점", "점검", "검", "기", "기록", "록"]),
        ("ที่นี่", ["ที่", "ที่นี่", "นี่"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("x\u030cy", ["x\u030cy"]),
        ("か\u309aき", ["か\u309a", "か\u309aき", "き"]),
        ("葛\U000e0100城", ["葛", "葛城", "城"]),
        ("❤\ufe0f ©", []),
        ("\u0301abc", ["abc"]),
        ("naïve Café", ["naïve", "café"]),
        ("A1 42nd", ["a1", "42nd"]),
        ("", []),
        ("!?…", []),
    ],
)
def test_words(text: str, expected: list[str]):
    assert list(words(text)) == expected
    assert spell(text) == " ".join(expected)
