import pytest
from grooveseek.parsing.headings import heading_text

LINKS = {"references": {"D": {"href": "http://d", "title": ""}}}


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Plain", "Plain"),
        ("**Bold** and *it* ~~old~~", "Bold and it old"),
        ("The `a_b[0]` call", "The a_b[0] call"),
        ("[Docs](http://x 'title') and [more][d]", "Docs and more"),
        ("<http://x.org>", "http://x.org"),
        ("![alt *text*](x.png) after", "alt text after"),
        ("a <!-- gone --> b", "a b"),
        ("H<sub>2</sub>O<br>now <a name='x'></a>", "H2O now"),
        ("Vec<T> and Map<K, V>", "Vec<T> and Map<K, V>"),
        ("A &amp; B \\* C", "A & B * C"),
        ("two\nlines  \nmore", "two lines more"),
        ("[[page|shown]] [[page]] ![[image.png]]", "shown page image.png"),
        ("`[[ -f x ]]` test", "[[ -f x ]] test"),
        ("\\[\\[a|b\\]\\]", "[[a|b]]"),
        ("#tag %%note%% ==x==", "#tag %%note%% ==x=="),
        ("", ""),
        ("![](x.png)", ""),
        ("nul \ufffd", "nul \ufffd"),
    ],
)
def test_markup_is_reduced_to_what_is_seen(source: str, text: str) -> None:
    assert heading_text(source, LINKS) == text


def test_a_heading_of_any_length_is_cut() -> None:
    assert heading_text("word " * 300, {}) == ("word " * 100).strip()
    assert len(heading_text("[" * 50_000, {})) == 500
