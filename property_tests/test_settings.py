"""Settings: the line finder against documents whose lines are known, and the loader against any text at all."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grooveseek.errors import ConfigError
from grooveseek.settings.keys import Key, Kind, build, keys
from grooveseek.settings.lines import KeyPath, key_lines
from grooveseek.settings.loader import load_settings
from grooveseek.settings.template import render_template, toml_value
from hypothesis import given
from hypothesis import strategies as st

SOURCE = Path("/etc/groove.toml").absolute()

# ---------------------------------------------------------------- documents that know their lines


@dataclass
class Writer:
    """Writes TOML and notes, by counting the newlines it has written, where each key and element stands."""

    text: str = ""
    lines: dict[KeyPath, int] = field(default_factory=dict)

    def put(self, text: str) -> None:
        self.text += text

    def note(self, path: KeyPath) -> None:
        self.lines.setdefault(path, self.text.count("\n") + 1)


BARE_NAMES = st.text("abcXYZ019_-", min_size=1, max_size=4)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.text("\"'\\#[]{}=,.\n\t ", max_size=8)
NAMES = BARE_NAMES | TEXTS

SCALARS = st.sampled_from(
    [
        "1",
        "-2.5e3",
        "true",
        "inf",
        "1979-05-27 07:32:00",
        "07:32:00",
        '""',
        "''",
        '"]#"',
        "'\\'",
        '"\\"}"',
        '"""\n] } # \\""" ""x"""',
        '"""a"""""',
        "'''\n'x' ''a'''''",
        "''''''",
        '""""""',
    ]
)
GAPS = st.sampled_from(["", " ", "\n", " # ] } \" '''\n", "\n\n\t"])
INLINE_GAPS = st.sampled_from(["", " ", "\t "])

VALUES = st.recursive(
    SCALARS,
    lambda children: (
        st.lists(st.tuples(GAPS, children, GAPS), max_size=3)
        | st.dictionaries(NAMES, st.tuples(INLINE_GAPS, children), max_size=3)
    ),
    max_leaves=6,
)


def written_name(name: str, *, quoted: bool) -> str:
    return toml_value(name) if quoted or not name or set(name) - set("abcXYZ019_-") else name


def write_value(writer: Writer, path: KeyPath, value: Any) -> None:
    if isinstance(value, str):
        writer.put(value)
    elif isinstance(value, list):
        writer.put("[")
        for position, (before, element, after) in enumerate(value):
            writer.put(before)
            writer.note((*path, position))
            write_value(writer, (*path, position), element)
            writer.put(after + ",")
        writer.put("]")
    else:
        writer.put("{")
        for position, (name, (gap, member)) in enumerate(value.items()):
            writer.put(("," if position else "") + gap)
            writer.note((*path, name))
            writer.put(f"{written_name(name, quoted=False)}{gap}={gap}")
            write_value(writer, (*path, name), member)
        writer.put("}")


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[KeyPath, int]]:
    writer = Writer()

    def pairs(table: KeyPath) -> None:
        # "v" keeps a key apart from the names of tables, which start with "t".
        for name in draw(st.lists(NAMES.map(lambda name: "v" + name), unique=True, max_size=3)):
            writer.put(draw(st.sampled_from(["", "\n", "# c = [\n", "  "])))
            dotted = draw(st.booleans())
            writer.note((*table, name))
            writer.put(written_name(name, quoted=draw(st.booleans())))
            path: KeyPath = (*table, name)
            if dotted:
                writer.note((*path, "d e"))
                writer.put(' . "d e"')
                path = (*path, "d e")
            writer.put(" = ")
            write_value(writer, path, draw(VALUES))
            writer.put(draw(st.sampled_from(["\n", ' # \' """ [\n'])))

    pairs(())
    for name in draw(st.lists(NAMES.map(lambda name: "t" + name), unique=True, max_size=3)):
        for element in range(draw(st.integers(0, 2))):  # 0: a plain table; else that many elements of an array
            writer.note((name,))
            writer.note((name, element))
            writer.put(f"[[{written_name(name, quoted=False)}]]\n")
            pairs((name, element))
            writer.note((name, element, "sub"))
            writer.put(f"[ {written_name(name, quoted=True)}.sub ]\n")
            pairs((name, element, "sub"))
        if (name,) not in writer.lines:
            writer.note((name,))
            writer.note((name, "x.y"))
            writer.put(f'[{written_name(name, quoted=False)} . "x.y"] # [no]\n')
            pairs((name, "x.y"))
    return writer.text, writer.lines


def paths(value: Any, path: KeyPath = ()) -> set[KeyPath]:
    """Every key and element that tomllib found."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found: set[KeyPath] = set()
    for name, member in members:
        found |= {(*path, name)} | paths(member, (*path, name))
    return found


@given(documents(), st.booleans())
def test_every_key_is_found_on_the_line_it_was_written_on(document: tuple[str, dict[KeyPath, int]], windows: bool):
    text, expected = document
    assert paths(tomllib.loads(text)) == set(expected)  # the writer and tomllib agree on what there is
    assert key_lines(text.replace("\n", "\r\n") if windows else text) == expected


# ---------------------------------------------------------------- settings

CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
PLAIN = st.text(CHARACTERS, min_size=1, max_size=8).filter(str.strip)
NAMES_WITHOUT_SEPARATOR = PLAIN.filter(lambda text: not set(text) & set("/\\~"))


def values_of(key: Key) -> st.SearchStrategy[Any]:
    """Values as Settings keeps them."""
    if key.choices:
        return st.sampled_from(key.choices)
    if key.form == "address":
        return st.sampled_from(["127.0.0.1:0", "[::1]:80", "host:65535"])
    if key.size:
        return st.none() | st.integers(1, 2**63 - 1)
    low, high = key.minimum, key.maximum
    integers = st.integers(None if low is None else int(low), None if high is None else int(high))
    path = PLAIN.filter(lambda text: "~" not in text).map(lambda text: SOURCE.parent / text)
    by_kind: Mapping[Kind, st.SearchStrategy[Any]] = {
        Kind.BOOL: st.booleans(),
        Kind.INT: integers,
        Kind.FLOAT: st.floats(low, high, allow_nan=False, allow_infinity=False),
        Kind.TEXT: NAMES_WITHOUT_SEPARATOR,
        Kind.PATH: path,
        Kind.TEXTS: st.lists(PLAIN, max_size=3).map(tuple),
        Kind.INTS: st.lists(integers, min_size=1, max_size=3).map(tuple),
    }
    return by_kind[key.kind]


SETTINGS = st.fixed_dictionaries({}, optional={name: values_of(key) for name, key in keys().items()})


@given(SETTINGS)
def test_settings_written_out_are_read_back(values: dict[str, Any]):
    if not values.get("search.fusion.vector_weight", 1) and not values.get("search.fusion.fts_weight", 1):
        values["search.fusion.fts_weight"] = 1.0
    values = {name: value for name, value in values.items() if value is not None or keys()[name].size}
    settings, provenance = load_settings(render_template(values), SOURCE)
    assert settings == build(values)
    assert set(values) <= set(provenance)


FRAGMENTS = """[ ] [[ ]] { } = , . " ''' 1 true nan 1e400 -1 "x" '' 1979-05-27 "unlimited" "~x/y" #c \\u0000"""
WORDS = (
    st.sampled_from([*keys(), *(key.leaf for key in keys().values())])
    | st.sampled_from(FRAGMENTS.split(" "))
    | st.sampled_from(["\n", " ", "0x" + "f" * 300])
)


def complaint(text: str) -> str | None:
    """What the loader says against a text; anything but a ConfigError ends the test."""
    try:
        load_settings(text, SOURCE)
    except ConfigError as error:
        return str(error)
    return None


@given(st.lists(WORDS, max_size=12).map("".join) | st.text(max_size=40))
def test_any_text_is_settings_or_an_error_that_names_the_file(text: str):
    said = complaint(text)
    assert said is None or said.startswith(f"{SOURCE}:")
    assert said is None or "\n" not in said


RAW_VALUES = st.sampled_from(["1", "-1", "true", '"x"', "[1]", '["x"]', "nan", "{}", "1979-05-27", "1.5"])


@given(st.sampled_from(list(keys())), RAW_VALUES, st.integers(0, 3))
def test_a_wrong_value_of_any_type_is_blamed_on_its_line(name: str, value: str, blank: int):
    text = "\n" * blank + f"{name} = {value}\n"
    said = complaint(text)
    if said is None:
        assert load_settings(text, SOURCE)[1] == {name: blank + 1}
    else:
        assert said.startswith(f"{SOURCE}:{blank + 1}: {name} must ")
