import pytest
from grooveseek.evaluation.identifiers import decode, encode, is_column
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("path", "column"),
    [
        ("plain/path.md", "plain/path.md"),
        ("my notes/b.md", "my%20notes/b.md"),
        ("100%.md", "100%25.md"),
        ("a#1.md", "a%231.md"),
        ("日本\u3000語.md", "日本%E3%80%80語.md"),
        ("tab\t.md", "tab%09.md"),
    ],
)
def test_white_space_and_the_escape_itself_are_percent_encoded(path: str, column: str) -> None:
    assert encode(path) == column
    assert decode(column) == path


@pytest.mark.parametrize("text", ["100%.md", "a%zz", "%41.md", "%ff.md", "x%2f", "%FF"])
def test_what_was_never_encoded_is_left_alone(text: str) -> None:
    assert decode(text) == text


@given(st.text(alphabet=st.characters(), min_size=1))
def test_any_name_makes_a_column_and_comes_back(text: str) -> None:
    column = encode(text)
    assert is_column(column)
    assert "#" not in column
    assert decode(column) == text


def test_an_empty_name_is_no_column() -> None:
    assert not is_column("")
    assert not is_column("a b")
