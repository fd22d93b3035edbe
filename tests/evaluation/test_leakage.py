from grooveseek.evaluation.leakage import IndexedField, Leak, quoted_queries

QUERIES = {
    "pump": "how do I reset the pump",
    "valve": "where is the spare valve",
    "short": "pump reset",
    "pump2": "how do I  reset\nthe pump",
    "long": "how do I reset the pump safely",
}


def test_a_document_that_quotes_two_queries_is_reported() -> None:
    fields = [
        IndexedField(path="qa.md", text="Q: how do I reset\n   the pump?"),
        IndexedField(path="qa.md", text="Q: where is the spare valve?"),
        IndexedField(path="one.md", text="people ask where is the spare valve"),
    ]
    assert quoted_queries(fields, QUERIES) == (Leak(path="qa.md", query_ids=("pump", "valve", "pump2")),)


def test_a_query_counts_inside_one_field_only() -> None:
    fields = [
        IndexedField(path="a.md", text="where is the"),
        IndexedField(path="a.md", text="spare valve. how do I reset the pump"),
    ]
    assert quoted_queries(fields, QUERIES) == ()


def test_short_queries_stand_in_any_text_by_chance() -> None:
    fields = [IndexedField(path="a.md", text="pump reset; where is the spare valve")]
    assert quoted_queries(fields, QUERIES) == ()


def test_a_query_inside_a_longer_one_is_not_a_second_quote() -> None:
    fields = [IndexedField(path="a.md", text="how do I reset the pump safely")]
    assert quoted_queries(fields, QUERIES) == ()
    apart = [IndexedField(path="a.md", text="how do I reset the pump safely / how do I reset the pump")]
    assert quoted_queries(apart, QUERIES) == (Leak(path="a.md", query_ids=("pump", "pump2", "long")),)


def test_equal_queries_are_one_quote() -> None:
    fields = [IndexedField(path="a.md", text="how do I reset the pump")]
    assert quoted_queries(fields, QUERIES) == ()


def test_words_joined_to_a_quoted_query_do_not_hide_it() -> None:
    queries = {"one": "reset the spare pump", "two": "再起動の手順を教えてください", "three": "open-valve procedures"}
    fields = [
        IndexedField(path="a.md", text="(reset the spare pump)再起動の手順を教えてください。reopen-valve procedures?")
    ]
    assert quoted_queries(fields, queries) == (Leak(path="a.md", query_ids=("one", "two", "three")),)
