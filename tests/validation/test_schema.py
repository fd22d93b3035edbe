"""Reading groove-schema.toml: what is taken, and what is refused with its line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from grooveseek.errors import SchemaError
from grooveseek.validation.schema import (
    MAX_SCHEMA_BYTES,
    SCHEMA_FILE,
    FieldRule,
    declared_fields,
    load_schema,
    parse_schema,
    schema_of,
)

SOURCE = Path("/kb/groove-schema.toml")


def parse(text: str):
    return parse_schema(text.encode(), SOURCE)


def refusal(text: str) -> str:
    with pytest.raises(SchemaError) as caught:
        parse(text)
    return str(caught.value)


def test_every_constraint_reaches_its_rule():
    schema = parse(
        '[fields.status]\nrequired = true\ntype = "string"\npattern = "^a"\nenum = ["a", "ab"]\n'
        "min_length = 1\nmax_length = 2\nallow_empty = false\n"
    )
    rule = schema.fields["status"]
    assert (rule.required, rule.type, rule.enum, rule.min_length, rule.max_length, rule.allow_empty) == (
        True,
        "string",
        ("a", "ab"),
        1,
        2,
        False,
    )
    assert rule.pattern is not None
    assert rule.pattern.pattern == "^a"


def test_a_field_without_constraints_is_declared_and_nothing_more():
    assert parse("[fields.project]\n").fields == {"project": FieldRule()}


def test_any_name_can_be_a_field_in_the_order_of_the_file():
    schema = parse('[fields."due date"]\n[fields."a.b"]\n[fields.状態]\n'.replace("状態", '"状態"'))
    assert list(schema.fields) == ["due date", "a.b", "状態"]


def test_an_empty_schema_declares_nothing_and_allows_everything():
    schema = parse("")
    assert schema.fields == {}
    assert schema.allow_unknown_fields


def test_unknown_fields_can_be_refused():
    assert not parse("[options]\nallow_unknown_fields = false\n").allow_unknown_fields


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter():
    schema = parse_schema(b"\xef\xbb\xbf[fields.a]\r\nrequired = true\r\n", SOURCE)
    assert schema.fields["a"].required


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("[fields.a]\nrequird = true\n", 2, "fields.a.requird is not a key of a schema. Did you mean required?"),
        ("[fields.a]\nzzz = 1\n", 2, "fields.a.zzz is not a key of a schema. There are: required, type,"),
        ("\n[field.a]\n", 2, "field is not a key of a schema. Did you mean fields?"),
        ("[options]\n\nstrict = true\n", 3, "options.strict is not a key"),
        ("[fields]\na = 1\n", 2, "fields.a must be a table"),
        ("[[fields.a]]\n", 1, "fields.a must be a table"),
        ("fields = 1\n", 1, "fields must be a table"),
        ("[fields.a]\nrequired = 1\n", 2, "fields.a.required must be true or false"),
        ('[fields.a]\nallow_empty = "no"\n', 2, "fields.a.allow_empty must be true or false"),
        ('[fields.a]\ntype = "number"\n', 2, 'fields.a.type must be "string" or "array", not \'number\''),
        ('[fields.a]\nenum = "x"\n', 2, "fields.a.enum must be a list of at least one text"),
        ("[fields.a]\nenum = []\n", 2, "fields.a.enum must be a list of at least one text"),
        (
            '[fields.a]\nenum = [\n  "x",\n  2,\n]\n',
            4,
            "fields.a.enum must hold texts only, and has 2; write it in quotes",
        ),
        ("[fields.a]\nmin_length = -1\n", 2, "fields.a.min_length must be a whole number, 0 or more, not -1"),
        ("[fields.a]\nmax_length = true\n", 2, "fields.a.max_length must be a whole number"),
        ("[fields.a]\nmax_length = 1.5\n", 2, "fields.a.max_length must be a whole number"),
        ("[fields.a]\nmax_length = 1\nmin_length = 2\n", 3, "fields.a.min_length is 2, more than max_length, 1"),
        ("[fields.a]\npattern = 3\n", 2, "fields.a.pattern must be a text"),
        ('[fields."a b"]\nx = 1\n', 2, "fields.'a b'.x is not a key"),
        ("[options]\nallow_unknown_fields = 0\n", 2, "options.allow_unknown_fields must be true or false"),
        ("[fields.a\n", 1, "is not valid TOML"),
        ("[fields.a]\nrequired = tru\n", 2, "is not valid TOML"),
    ],
)
def test_what_no_schema_can_say_is_refused_with_its_line(text: str, line: int, says: str):
    message = refusal(text)
    assert message.startswith(f"{SOURCE}:{line}: ")
    assert says in message


@pytest.mark.parametrize("pattern", ["(", "[a", "*", "(?P<n>a)(?P<n>b)", "a{3,2}", "\\"])
def test_a_pattern_that_does_not_compile_is_refused(pattern: str):
    message = refusal(f"[fields.a]\nrequired = true\npattern = '{pattern}'\n")
    assert message.startswith(f"{SOURCE}:3: fields.a.pattern is no regular expression: ")


def test_a_pattern_of_endless_nesting_is_refused_rather_than_crashing():
    message = refusal("[fields.a]\npattern = '" + "(" * 5000 + ")" * 5000 + "'\n")
    assert "fields.a.pattern is no regular expression" in message


def test_a_pattern_that_python_only_warns_about_is_taken():
    assert parse("[fields.a]\npattern = '[[a]'\n").fields["a"].pattern is not None


def test_text_that_is_not_utf_8_is_refused_with_its_line():
    with pytest.raises(SchemaError, match=r":2: is not UTF-8"):
        parse_schema(b"[fields.a]\npattern = '\xff'\n", SOURCE)


def test_a_document_nested_too_deeply_is_refused():
    with pytest.raises(SchemaError):
        parse_schema(b"a = " + b"[" * 100_000, SOURCE)


def test_no_schema_declares_no_field(tmp_path: Path):
    assert schema_of(tmp_path) is None
    assert declared_fields(tmp_path) == ()


def test_the_schema_of_a_folder_declares_its_fields(tmp_path: Path):
    (tmp_path / SCHEMA_FILE).write_text("[fields.status]\n[fields.due]\n", encoding="utf-8")
    assert declared_fields(tmp_path) == ("status", "due")


def test_a_broken_schema_is_not_taken_for_none(tmp_path: Path):
    (tmp_path / SCHEMA_FILE).write_text("[fields.status]\npattern = '('\n", encoding="utf-8")
    with pytest.raises(SchemaError, match=r"groove-schema\.toml:2: fields\.status\.pattern"):
        declared_fields(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="making links needs a right on Windows")
def test_a_link_in_the_schemas_place_is_refused(tmp_path: Path):
    (tmp_path / "elsewhere.toml").write_text("[fields.a]\n", encoding="utf-8")
    kb = tmp_path / "kb"
    kb.mkdir()
    (kb / SCHEMA_FILE).symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(SchemaError, match="symbolic link"):
        schema_of(kb)


def test_a_schema_that_somebody_names_is_read_wherever_it_is(tmp_path: Path):
    path = tmp_path / "other.toml"
    path.write_text("[fields.a]\n", encoding="utf-8")
    assert list(load_schema(path).fields) == ["a"]


def test_a_named_schema_that_is_missing_says_how_to_name_one(tmp_path: Path):
    with pytest.raises(SchemaError, match=r"no\.toml: cannot be read: .* Name a schema with --schema"):
        load_schema(tmp_path / "no.toml")


@pytest.mark.parametrize("read", [load_schema, lambda path: schema_of(path.parent)])
def test_a_schema_beyond_all_measure_is_refused(tmp_path: Path, read):
    path = tmp_path / SCHEMA_FILE
    path.write_bytes(b"#" * (MAX_SCHEMA_BYTES + 1))
    with pytest.raises(SchemaError):
        read(path)
