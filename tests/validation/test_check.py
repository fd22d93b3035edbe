"""Every constraint on every shape of value, and the line each violation points at."""

from __future__ import annotations

from pathlib import Path

import pytest
from grooveseek.parsing.frontmatter import read_frontmatter
from grooveseek.parsing.source import Source
from grooveseek.validation.check import Violation, check_document
from grooveseek.validation.schema import parse_schema


def check(rules: str, text: str, *, strict: bool = False) -> tuple[Violation, ...]:
    schema = parse_schema(rules.encode(), Path("groove-schema.toml"))
    return check_document("note.md", read_frontmatter(Source.decode(text.encode())), schema, strict=strict)


def found(constraint: str, value: str) -> list[tuple[str, int, str]]:
    """What is held against ``f: VALUE`` under one rule: constraint, line, message."""
    front = f"f: {value}\n" if value != "-" else ""
    violations = check(f"[fields.f]\n{constraint}\n", f"---\nother: 1\n{front}---\nBody.\n")
    return [(each.constraint.value, each.line, each.message) for each in violations]


@pytest.mark.parametrize(
    ("constraint", "value", "violates"),
    [
        # required: the key, and something behind it
        ("required = true", "-", "required"),
        ("required = true", "", "required"),
        ("required = true", "~", "required"),
        ("required = true", "null", "required"),
        ("required = true", '""', "required"),
        ("required = true", "x", None),
        ("required = true", "0", None),
        ("required = true", "[]", None),
        ("required = true", "{a: 1}", None),
        ("required = true", "[[1], 2]", None),
        ("required = false", "-", None),
        # type: numbers, dates and booleans are texts as written
        ('type = "string"', "x", None),
        ('type = "string"', "12", None),
        ('type = "string"', "true", None),
        ('type = "string"', "[x]", "type"),
        ('type = "string"', "{a: 1}", "type"),
        ('type = "string"', "-", None),
        ('type = "string"', "", None),
        ('type = "array"', "[x, y]", None),
        ('type = "array"', "[]", None),
        ('type = "array"', "x", "type"),
        ('type = "array"', "[[x]]", "type"),
        ('type = "array"', "{a: 1}", "type"),
        # pattern: searched for, in a text or in each element
        ("pattern = '^v\\d+$'", "v12", None),
        ("pattern = '^v\\d+$'", "v12b", "pattern"),
        ("pattern = '\\d'", "v12b", None),
        ("pattern = '(?i)^DONE$'", "done", None),
        ("pattern = '^(?!draft)'", "draft one", "pattern"),
        ("pattern = '^\\d+$'", "[1, 2]", None),
        ("pattern = '^\\d+$'", "[1, x]", "pattern"),
        ("pattern = 'x'", "[]", None),
        ("pattern = 'x'", "-", None),
        ("pattern = 'x'", "{a: 1}", "type"),
        # enum
        ('enum = ["a", "1"]', "a", None),
        ('enum = ["a", "1"]', "1", None),
        ('enum = ["a"]', "A", "enum"),
        ('enum = ["a", "b"]', "[a, b, a]", None),
        ('enum = ["a", "b"]', "[a, c]", "enum"),
        ('enum = ["a"]', "[]", None),
        ('enum = ["a"]', "{a: 1}", "type"),
        # lengths: characters of a text, elements of a list
        ("min_length = 3", "abc", None),
        ("min_length = 3", "ab", "min_length"),
        ("min_length = 3", "日本語", None),
        ("min_length = 2", "[abc]", "min_length"),
        ("min_length = 1", "[]", "min_length"),
        ("min_length = 1", "-", None),
        ("max_length = 3", "abc", None),
        ("max_length = 3", "abcd", "max_length"),
        ("max_length = 1", "[abcd]", None),
        ("max_length = 1", "[a, b]", "max_length"),
        ("max_length = 0", "[]", None),
        ("max_length = 9", "{a: 1}", "type"),
        # allow_empty
        ("allow_empty = false", "", "allow_empty"),
        ("allow_empty = false", '""', "allow_empty"),
        ("allow_empty = false", '"  "', "allow_empty"),
        ("allow_empty = false", "[]", "allow_empty"),
        ("allow_empty = false", "x", None),
        ("allow_empty = false", "-", None),
        ("allow_empty = false", "{}", None),
        ("allow_empty = true", "[]", None),
        ('allow_empty = true\npattern = "x"', '"  "', "pattern"),
        # together: what is empty is not held against the other constraints as well
        ("allow_empty = false\nmin_length = 2", "[]", "allow_empty"),
        ("required = true\nallow_empty = false", "", "required"),
    ],
)
def test_each_constraint_on_each_shape(constraint: str, value: str, violates: str | None):
    assert [each[0] for each in found(constraint, value)] == ([] if violates is None else [violates])


def test_a_violation_points_at_its_key_and_a_missing_key_at_the_first_line():
    assert found('enum = ["a"]', "b")[0][1] == 3
    assert found("required = true", "-")[0][1] == 1
    assert found("required = true", "")[0][1] == 3


def test_every_element_that_fails_is_named():
    messages = [each[2] for each in found('enum = ["a"]', "[b, a, c]")]
    assert messages == ["is 'b'; allowed are: 'a'", "is 'c'; allowed are: 'a'"]


def test_constraints_are_held_against_a_value_independently():
    assert [each[0] for each in found('pattern = "z"\nenum = ["a"]\nmax_length = 1', "bb")] == [
        "pattern",
        "enum",
        "max_length",
    ]


def test_a_long_value_is_cut_in_the_message():
    message = found('enum = ["a"]', "x" * 500)[0][2]
    assert len(message) < 120
    assert "…" in message


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("title", "A title"),
        ("date", "2026-01-02"),
        ("topic", "x"),
        ("depth", "deep"),
        ("category", "c"),
        ("tags", "[a, b]"),
        ("status", "done"),
    ],
)
def test_known_keys_and_others_are_read_from_where_the_parser_keeps_them(name: str, written: str):
    assert check(f"[fields.{name}]\nrequired = true\n", f"---\n{name}: {written}\n---\n") == ()
    assert [each.constraint for each in check(f"[fields.{name}]\nrequired = true\n", "---\na: 1\n---\n")] == [
        "required"
    ]


def test_category_and_topic_come_from_the_document_and_not_from_its_folder():
    schema = parse_schema(b"[fields.category]\nrequired = true\n", Path("s"))
    matter = read_frontmatter(Source.decode(b"---\na: 1\n---\n"))
    assert [each.constraint for each in check_document("harbour/a.md", matter, schema)] == ["required"]


def test_a_date_is_held_against_a_pattern_in_the_form_it_is_indexed_in():
    rules = "[fields.date]\npattern = '^\\d{4}-\\d{2}-\\d{2}$'\n"
    assert check(rules, "---\ndate: 2026-3-4\n---\n") == ()
    assert [each.constraint for each in check(rules, "---\ndate: soon\n---\n")] == ["pattern"]


def test_tags_written_as_one_text_are_the_list_they_are_indexed_as():
    assert check('[fields.tags]\ntype = "array"\nmin_length = 2\n', "---\ntags: a, b\n---\n") == ()


def test_tags_of_another_shape_satisfy_required_alone():
    assert check("[fields.tags]\nrequired = true\n", "---\ntags: {a: 1}\n---\n") == ()
    assert [each.constraint for each in check('[fields.tags]\ntype = "array"\n', "---\ntags: [a, {b: 1}]\n---\n")] == [
        "type"
    ]


def test_undeclared_keys_are_refused_where_the_schema_or_strict_says_so():
    text = "---\nknown: 1\nother: 2\n---\n"
    declared = "[fields.known]\n"
    assert check(declared, text) == ()
    strict = check(declared, text, strict=True)
    assert [(each.constraint, each.field, each.line) for each in strict] == [("undeclared_field", "other", 3)]
    assert check(declared + "[options]\nallow_unknown_fields = false\n", text) == strict


def test_frontmatter_that_cannot_be_read_is_one_violation_and_not_held_against_the_schema():
    violations = check("[fields.title]\nrequired = true\n", "---\ntitle: a: b\n---\n", strict=True)
    assert [(each.constraint, each.line, each.field) for each in violations] == [("frontmatter_unparsed", 2, None)]


def test_a_document_without_frontmatter_lacks_what_is_required():
    violations = check("[fields.title]\nrequired = true\n[fields.x]\n", "# Heading\n", strict=True)
    assert [(each.constraint, each.field) for each in violations] == [("required", "title")]


def test_violations_come_by_line():
    rules = '[fields.b]\nenum = ["x"]\n[fields.a]\nenum = ["x"]\n[fields.c]\nrequired = true\n'
    assert [each.field for each in check(rules, "---\na: 1\nb: 2\n---\n")] == ["c", "a", "b"]


def test_a_key_given_twice_is_reported_at_its_second_line_whatever_the_schema():
    violations = check("", "---\na: 1\nb:\n  c: 1\n  c: 2\na: 3\n---\n")
    assert [(each.constraint, each.field, each.line) for each in violations] == [
        ("duplicate_key", "b.c", 5),
        ("duplicate_key", "a", 6),
    ]


def test_a_merged_key_that_is_overridden_is_no_duplicate():
    assert check("", "---\nbase: &b {x: 1}\nuse:\n  <<: *b\n  x: 2\n---\n") == ()
