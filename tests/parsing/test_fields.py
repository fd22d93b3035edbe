import pytest
from grooveseek.model.document import Opaque
from grooveseek.parsing.fields import Fields, canonical_date, read_fields
from grooveseek.parsing.yaml_tree import Mapping, read_tree
from grooveseek.text.dates import parse_date


def fields(text: str) -> Fields:
    root = read_tree(text).root
    assert isinstance(root, Mapping)
    return read_fields(root)


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2026-03-14", "2026-03-14"),
        (" 2026-3-4 ", "2026-03-04"),
        ("2026-03-14T09:05:07Z", "2026-03-14T09:05:07Z"),
        ("2026-03-14t9:05:07z", "2026-03-14T09:05:07Z"),
        ("2026-03-14 09:05:07.25 +9", "2026-03-14T09:05:07.25+09:00"),
        ("2026-03-14 09:05", "2026-03-14T09:05:00Z"),
        ("2026-03-14T09:05:07-0330", "2026-03-14T09:05:07-03:30"),
        ("2026-03-14T09:05:07+05:45", "2026-03-14T09:05:07+05:45"),
        ("2024-02-29", "2024-02-29"),
        ("2026-02-29", None),
        ("2026-13-01", None),
        ("2026-03-14T24:61", None),
        ("2026-03", None),
        ("14.03.2026", None),
        ("2026-03-14 or so", None),
        ("٢٠٢٦-03-14", None),
        ("soon", None),
    ],
)
def test_dates_become_canonical(written: str, date: str | None) -> None:
    assert canonical_date(written) == date
    assert date is None or parse_date(date) is not None


def test_a_date_is_read_from_a_field_however_it_is_quoted() -> None:
    assert fields("date: 2026-03-14\n").frontmatter.date == "2026-03-14"
    assert fields('date: "2026-03-14"\n').frontmatter.date == "2026-03-14"


def test_a_date_that_is_none_is_kept_as_written() -> None:
    front = fields("date: 2026-02-30\n").frontmatter
    assert front.date is None
    assert front.extra == {"date": "2026-02-30"}


@pytest.mark.parametrize(
    ("written", "tags", "unparseable"),
    [
        ("[a, b, a]", ("a", "b"), False),
        ("\n- a\n- 2026\n- yes\n-\n- ' '", ("a", "2026", "yes"), False),
        ("a, b ,, c", ("a", "b", "c"), False),
        ("one tag", ("one tag",), False),
        ("", (), False),
        ("null", (), False),
        ("[]", (), False),
        ("{a: b}", (), True),
        ("[a, [b], {c: d}]", ("a",), True),
    ],
)
def test_tags_are_a_list_or_a_text_with_commas(written: str, tags: tuple[str, ...], unparseable: bool) -> None:
    front = fields(f"tags: {written}\n").frontmatter
    assert (front.tags, front.tags_unparseable) == (tags, unparseable)
    assert front.extra == {}


def test_known_fields_are_text() -> None:
    front = fields("title: Pump\n  room\ntopic: 7\ndepth: deep\ncategory: ops\n").frontmatter
    assert (front.title, front.topic, front.depth, front.category) == ("Pump room", "7", "deep", "ops")
    assert front.extra == {}


def test_a_known_field_of_another_shape_stays_among_the_others() -> None:
    front = fields("title: [a, b]\ncategory: {x: y}\ntopic:\ndepth: ''\n").frontmatter
    assert (front.title, front.category, front.topic, front.depth) == (None, None, None, None)
    assert front.extra == {"title": ("a", "b"), "category": Opaque.VALUE}


def test_other_keys_keep_their_order_and_what_was_written() -> None:
    front = fields("z: 1.10\na: [1, null, x]\nm: {k: v}\ne:\nn: [[1]]\nb: no\nl: |\n  x\n  y\n").frontmatter
    assert list(front.extra.items()) == [
        ("z", "1.10"),
        ("a", ("1", "", "x")),
        ("m", Opaque.VALUE),
        ("e", ""),
        ("n", Opaque.VALUE),
        ("b", "no"),
        ("l", "x\ny\n"),
    ]


def test_the_last_of_two_equal_keys_counts() -> None:
    assert fields("title: First\ntitle: Second\n").frontmatter.title == "Second"


def test_merge_keys_give_what_the_mapping_does_not_say_itself() -> None:
    text = "a: &a {x: 1, y: 2, title: From a}\nb: &b {y: 3, z: 4}\n<<: [*a, *b]\nx: own\n"
    front = fields(text).frontmatter
    assert front.title == "From a"
    assert {key: front.extra[key] for key in "xyz"} == {"x": "own", "y": "2", "z": "4"}


def test_a_merge_key_over_no_mapping_is_a_key_like_others() -> None:
    assert fields("<<: text\n").frontmatter.extra == {"<<": "text"}


def test_keys_that_are_no_text_are_left_out_by_place() -> None:
    found = fields("? [a, b]\n: c\nd: e\n")
    assert found.frontmatter.extra == {"d": "e"}
    assert found.odd_keys == (2,)


def test_an_unfilled_template_is_no_title() -> None:
    front = fields("title: {{title}}\ndate: {{date}}\n").frontmatter
    assert (front.title, front.date) == (None, None)
    assert front.extra == {"title": Opaque.VALUE, "date": Opaque.VALUE}


def test_a_title_of_any_length_is_cut() -> None:
    assert len(fields("title: " + "t" * 9000 + "\n").frontmatter.title or "") == 500
