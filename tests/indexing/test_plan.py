"""What a run has to do, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from grooveseek.indexing.plan import Plan, ScannedFile, is_at_or_below, make_plan
from grooveseek.store.records import DocumentState


def file(path: str, content: str | None, parser: str = "md") -> ScannedFile:
    return ScannedFile(
        path=path, size_bytes=1, mtime_ns=1, parser=parser, content_hash=None if content is None else content.encode()
    )


def state(path: str, content: str) -> DocumentState:
    return DocumentState(path=path, content_hash=content.encode(), size_bytes=1, mtime_ns=1, parser="md")


def plan(
    files: list[ScannedFile], states: dict[str, str], unreachable: set[str] | None = None, *, reparse: bool = False
) -> Plan:
    known = {path: state(path, content) for path, content in states.items()}
    return make_plan(files, known, unreachable or set(), reparse=reparse)


def shown(made: Plan) -> dict[str, list[str]]:
    lists = {
        "changed": [each.path for each in made.changed],
        "renamed": [f"{old} -> {each.path}" for old, each in made.renamed],
        "unchanged": [each.path for each in made.unchanged],
        "deleted": list(made.deleted),
    }
    return {name: paths for name, paths in lists.items() if paths}


def test_new_changed_unchanged_and_deleted():
    made = plan(
        [file("new", None), file("same", "s"), file("seen", None), file("other", "now")],
        {"same": "s", "seen": "x", "other": "before", "gone": "g"},
    )
    assert shown(made) == {"changed": ["new", "other"], "unchanged": ["same", "seen"], "deleted": ["gone"]}


def test_a_vanished_path_and_a_new_one_with_its_bytes_are_a_rename():
    made = plan([file("to", "bytes"), file("stays", "other")], {"from": "bytes", "stays": "other"})
    assert shown(made) == {"renamed": ["from -> to"], "unchanged": ["stays"]}


def test_equal_files_pair_up_in_the_order_of_their_paths():
    made = plan([file("z2", "b"), file("z1", "b"), file("z3", "b")], {"a2": "b", "a1": "b"})
    assert shown(made) == {"renamed": ["a1 -> z1", "a2 -> z2"], "changed": ["z3"]}
    made = plan([file("z1", "b")], {"a2": "b", "a1": "b"})
    assert shown(made) == {"renamed": ["a1 -> z1"], "deleted": ["a2"]}


def test_a_copy_is_no_rename():
    made = plan([file("a", "b"), file("copy", "b")], {"a": "b"})
    assert shown(made) == {"unchanged": ["a"], "changed": ["copy"]}


def test_two_files_that_swap_names_are_two_changes():
    made = plan([file("a", "second"), file("b", "first")], {"a": "first", "b": "second"})
    assert shown(made) == {"changed": ["a", "b"]}


def test_an_unreadable_file_or_folder_is_not_a_deletion():
    made = plan([], {"a.md": "x", "dir/b.md": "y", "dir/sub/c.md": "z", "dirt.md": "w"}, {"a.md", "dir"})
    assert shown(made) == {"deleted": ["dirt.md"]}
    assert shown(plan([], {"a.md": "x"}, {""})) == {}


def test_what_is_unreadable_gives_its_bytes_to_no_other_name():
    made = plan([file("to", "bytes")], {"from": "bytes"}, {"from"})
    assert shown(made) == {"changed": ["to"]}


def test_another_parser_is_a_change_although_the_bytes_are_the_same():
    made = plan([file("a", "bytes", parser="txt")], {"a": "bytes"})
    assert shown(made) == {"changed": ["a"]}


def test_parsing_everything_again_makes_every_file_a_changed_one():
    made = plan([file("a", None), file("to", "bytes")], {"a": "x", "from": "bytes"}, reparse=True)
    assert shown(made) == {"changed": ["a"], "renamed": ["from -> to"]}


@pytest.mark.parametrize(
    ("path", "roots", "below"),
    [
        ("a/b/c", {"a/b"}, True),
        ("a/b/c", {"a"}, True),
        ("a/b", {"a/b"}, True),
        ("a/bc", {"a/b"}, False),
        ("a", {"a/b"}, False),
        ("a", {""}, True),
        ("a", set(), False),
    ],
)
def test_at_or_below(path: str, roots: set[str], below: bool):
    assert is_at_or_below(path, roots) is below


def test_a_plan_does_not_depend_on_the_order_of_the_files():
    files = [file(f"f{number}", f"content {number % 3}") for number in range(9)]
    states = {f"g{number}": state(f"g{number}", f"content {number % 2}") for number in range(5)}
    made = make_plan(files, states, set(), reparse=False)
    assert make_plan(files[::-1], dict(reversed(states.items())), set(), reparse=False) == made
    assert all(replace(each) == each for each in made.changed)
