import pytest
from grooveseek.parsing.code.tags import is_above_kind, keep_definitions


def words(query: str) -> list[str]:
    return query.replace("(", " ( ").replace(")", " ) ").replace("[", " [ ").replace("]", " ] ").split()


def kept(query: str) -> list[str]:
    return words(keep_definitions(query))


def test_references_are_left_out() -> None:
    query = "(call f: (id) @name) @reference.call (fn n: (id) @name) @definition.function (id) @local"
    assert kept(query) == words("(fn n: (id) @name) @definition.function")


def test_patterns_of_any_beginning_are_told_apart() -> None:
    query = '"if" @keyword [(a) (b)] @definition.type _ @any (c) @definition.class'
    assert kept(query) == words("[(a) (b)] @definition.type (c) @definition.class")


def test_gathering_of_docs_is_taken_out_with_its_directives() -> None:
    query = """
    ( ; a comment with ) and "
      (comment)* @doc
      .
      (fn name: (id) @name) @definition.function
      (#strip! @doc "^[)\\\\s]+")
      (#not-eq? @name "a)b;")
    )
    ([(line) (block)]+ @doc (cls) @definition.class)
    """
    expected = '((fn name: (id) @name) @definition.function (#groove-not-eq? @name "a)b;")) ((cls) @definition.class)'
    assert kept(query) == words(expected)


def test_grooves_own_captures_count_too() -> None:
    query = "(impl) @scope (ns) @scope.file (d) @declares (s) @below (x) @receiver"
    assert kept(query) == words("(impl) @scope (ns) @scope.file (d) @declares (s) @below")


@pytest.mark.parametrize("query", ["(a @definition.x", "(a)) @definition.x", "[(a)) @definition.x", "(a]"])
def test_brackets_that_do_not_match_are_an_error(query: str) -> None:
    with pytest.raises(ValueError, match="close"):
        keep_definitions(query)


@pytest.mark.parametrize("kind", ["comment", "line_comment", "block_comment", "attribute_item", "decorator"])
def test_comments_attributes_and_decorators_may_stand_above(kind: str) -> None:
    assert is_above_kind(kind)


@pytest.mark.parametrize("kind", ["function_item", "inner_attribute_item", "string", "attribute"])
def test_other_kinds_may_not(kind: str) -> None:
    assert not is_above_kind(kind)
