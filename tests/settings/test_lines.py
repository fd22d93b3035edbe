from __future__ import annotations

from grooveseek.settings.lines import key_lines


def test_a_key_stands_where_its_name_is_written_not_where_its_value_ends():
    text = 'first = """\na\nb = 1\n"""\n\nsecond = [\n  1,\n  2,\n]\nthird = 3\n'
    lines = key_lines(text)
    assert lines[("first",)] == 1
    assert lines[("second",)] == 6
    assert lines[("third",)] == 10
    assert ("b",) not in lines


def test_elements_of_a_list_have_lines_of_their_own():
    lines = key_lines('a = [ # ]\n  "x", "]",\n\n  [1,\n   2],\n]\n')
    assert lines[("a", 0)] == 2
    assert lines[("a", 1)] == 2
    assert lines[("a", 2)] == 4
    assert lines[("a", 2, 0)] == 4
    assert lines[("a", 2, 1)] == 5
    assert ("a", 3) not in lines


def test_table_headers_lead_the_keys_below_them():
    lines = key_lines("top = 1\n[a]\nx = 1\n\n[ b . 'c d' ] # [z]\nx = 2\n")
    assert lines == {
        ("top",): 1,
        ("a",): 2,
        ("a", "x"): 3,
        ("b",): 5,
        ("b", "c d"): 5,
        ("b", "c d", "x"): 6,
    }


def test_an_implied_table_stands_where_it_is_implied_first():
    lines = key_lines("[search.mmr]\nlambda = 1\n[search]\nmin = 1\n")
    assert lines[("search",)] == 1
    assert lines[("search", "min")] == 4


def test_dotted_keys_are_followed_into_their_tables():
    lines = key_lines("a.b.c = 1\na . \"d.e\" = 2\n'f' = 3\n")
    assert lines == {("a",): 1, ("a", "b"): 1, ("a", "b", "c"): 1, ("a", "d.e"): 2, ("f",): 3}


def test_inline_tables_hold_keys():
    lines = key_lines('a = { b = 1, c.d = "}", e = [ { f = 1 },\n { f = 2 } ] }\n')
    assert lines[("a", "b")] == 1
    assert lines[("a", "c", "d")] == 1
    assert lines[("a", "e", 0, "f")] == 1
    assert lines[("a", "e", 1, "f")] == 2


def test_each_element_of_an_array_of_tables_has_its_own_keys():
    lines = key_lines("[[a]]\nx = 1\n[a.b]\ny = 1\n[[a]]\nx = 2\n[[a.c]]\nz = 1\n")
    assert lines[("a",)] == 1
    assert lines[("a", 0)] == 1
    assert lines[("a", 0, "x")] == 2
    assert lines[("a", 0, "b", "y")] == 4
    assert lines[("a", 1)] == 5
    assert lines[("a", 1, "x")] == 6
    assert lines[("a", 1, "c", 0, "z")] == 8


def test_quotes_and_brackets_inside_strings_end_nothing():
    text = (
        'a = "\\"#"\n'
        "b = '\\'\n"
        'c = """x"" \\""" y"""""\n'  # two quotes before the three that close
        "d = '''\n[no]\n'''''\n"
        "e = 1\n"
    )
    lines = key_lines(text)
    assert [lines[(name,)] for name in "abcde"] == [1, 2, 3, 4, 7]
    assert len(lines) == 5


def test_escapes_in_quoted_keys_are_read():
    assert key_lines('"a\\u00e9\\"" = 1\n"" = 2\n') == {('aé"',): 1, ("",): 2}


def test_dates_numbers_and_comments_are_stepped_over():
    lines = key_lines("# x = 1\na = 1979-05-27 07:32:00 # b = 2\nc = -1_000.5e3\nd = [inf, nan]\ne=true")
    assert [lines[(name,)] for name in "acde"] == [2, 3, 4, 5]


def test_windows_line_ends_count_once():
    assert key_lines("a = 1\r\n\r\nb = '''\r\nx'''\r\nc = 2\r\n") == {("a",): 1, ("b",): 3, ("c",): 5}


def test_an_empty_document_has_no_keys():
    assert key_lines("") == {}
    assert key_lines("\n # nothing\n") == {}
