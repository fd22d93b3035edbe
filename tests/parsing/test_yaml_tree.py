import pytest
import yaml
from grooveseek.parsing import yaml_tree
from grooveseek.parsing.yaml_tree import MAX_DEPTH, MAX_VALUES, Mapping, Node, Scalar, Sequence, YamlError, read_tree

LOADERS = [yaml.SafeLoader, yaml.CSafeLoader]


@pytest.fixture(params=LOADERS, ids=["python", "libyaml"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test runs with both of PyYAML's scanners: not every machine has libyaml."""
    monkeypatch.setattr(yaml_tree, "_LOADER", request.param)


def plain(node: Node | None) -> object:
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [plain(each) for each in node.items]
    return [(plain(key), plain(value)) for key, value in node.pairs] if node else None


def test_scalars_keep_what_was_written() -> None:
    tree = read_tree("a: 1.10\nb: 007\nc: yes\nd: 'x'\ne: 2026-13-45\n")
    assert plain(tree.root) == [("a", "1.10"), ("b", "007"), ("c", "yes"), ("d", "x"), ("e", "2026-13-45")]


def test_places_are_characters_of_the_text() -> None:
    text = "é: [日本, \"q\"]\r\nz: 'v'\n"
    root = read_tree(text).root
    assert isinstance(root, Mapping)
    value = root.pairs[1][1]
    assert isinstance(value, Scalar)
    assert text[value.start : value.end] == "'v'"


@pytest.mark.parametrize("written", ["", "~", "null", "Null", "NULL"])
def test_nothing_is_null(written: str) -> None:
    root = read_tree(f"a: {written}\n").root
    assert isinstance(root, Mapping)
    value = root.pairs[0][1]
    assert isinstance(value, Scalar)
    assert value.is_null


@pytest.mark.parametrize("written", ["'null'", '""', "!!str null", "none"])
def test_quoted_or_tagged_text_is_not_null(written: str) -> None:
    root = read_tree(f"a: {written}\n").root
    assert isinstance(root, Mapping)
    value = root.pairs[0][1]
    assert isinstance(value, Scalar)
    assert not value.is_null


@pytest.mark.parametrize("text", ["", "\n \n", "# only a comment\n"])
def test_a_text_that_says_nothing_has_no_root(text: str) -> None:
    assert read_tree(text).root is None


def test_repeats_are_found_at_any_depth_with_their_path() -> None:
    text = "a: 1\nb:\n  c: {d: 1, d: 2}\n  e: [x, {f: 1, f: 2}]\na: 2\na: 3\n"
    assert [(each.path, text[each.at :][:2]) for each in read_tree(text).repeats] == [
        ("b.c.d", "d:"),
        ("b.e[1].f", "f:"),
        ("a", "a:"),
        ("a", "a:"),
    ]
    assert [text.count("\n", 0, each.at) + 1 for each in read_tree(text).repeats] == [3, 4, 5, 6]


def test_merge_keys_and_equal_keys_of_different_mappings_are_no_repeats() -> None:
    assert read_tree("x: &x {a: 1}\ny: &y {a: 2}\nz: {<<: *x, <<: *y, a: 3}\n").repeats == ()


def test_a_repeat_inside_an_aliased_value_is_reported_once() -> None:
    assert len(read_tree("x: &x {a: 1, a: 2}\ny: *x\nz: *x\n").repeats) == 1


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("a: b: c\n", "mapping values are not allowed", 1),
        ("ok: 1\nstatus: [open\n", "", 3),
        ("a: *nowhere\n", 'the alias "*nowhere" refers to nothing', 1),
        ("a: &s\n  b: *s\n", 'the value "&s" contains itself', 2),
        ("a: &s [1, [2, *s]]\n", 'the value "&s" contains itself', 1),
        ("a: 1\nb: x\x07y\n", "the character U+0007 is not allowed in it", 2),
        ("a: \ufeffb\n", "the character U+FEFF is not allowed in it", 1),
        ("a: x\0y\n", "the character U+0000 is not allowed in it", 1),
        ("--- x\n--- y\n", "a second YAML document begins in it", 2),
        ("a: " + "[" * 65, "it nests deeper than 64 levels", 1),
        ("".join(" " * level + "a:\n" for level in range(66)), "it nests deeper than 64 levels", 65),
        ('a: "\\UFFFFFFFF"\n', "", 1),
        ("%YAML\n", "", 1),
    ],
)
def test_what_is_no_yaml_is_refused_with_its_place(text: str, message: str, line: int) -> None:
    with pytest.raises(YamlError) as caught:
        read_tree(text)
    assert message in str(caught.value)
    assert text.count("\n", 0, caught.value.at) + 1 == line


def test_nesting_up_to_the_bound_is_read() -> None:
    assert read_tree("[" * MAX_DEPTH + "]" * MAX_DEPTH).root is not None


def test_the_number_of_values_is_bounded_with_aliases_written_out() -> None:
    items = ", ".join(["x"] * (MAX_VALUES // 2 - 10))
    assert read_tree(f"a: [{items}]\n").root is not None
    assert read_tree(f"a: &a [{items}]\nb: *a\n").root is not None
    with pytest.raises(YamlError, match=f"more than {MAX_VALUES} values"):
        read_tree(f"a: &a [{items}]\nb: *a\nc: *a\n")


def test_a_block_of_any_size_is_not_read() -> None:
    with pytest.raises(YamlError, match="longer than 256 Ki characters"):
        read_tree("a: " + "x" * 300_000)
