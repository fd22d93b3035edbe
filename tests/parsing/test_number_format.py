import math

import pytest
from grooveseek.parsing.number_format import BUILT_IN, format_number
from tests.support.binary import FIXTURES

OTHERWISE = {
    "1e+20 General": "an exponent of two digits, as Excel writes it",
    "46095.0 h:mm A/P": "the letter as the code has it",
    '46095 [$-411]ggge"年"m"月"': "no years of eras",
    "0.999999999 h:mm:ss": "seconds are rounded, as Excel does",
    "46095.123456 hh:mm:ss": "as above",
    "1 yyyy-mm-dd": "Excel's day 1; LibreOffice counts its first two months differently",
    "59 yyyy-mm-dd": "as above",
    "1000000000000.0 yyyy": "what is no date shows as a number",
    "46095 mm-dd-yy": "the exporter took it for the format that depends on the locale",
}


def test_numbers_show_as_libreoffice_shows_them() -> None:
    table = (FIXTURES / "office" / "formats.tsv").read_text(encoding="utf-8").splitlines()
    different = {}
    for line in table:
        value, code, shown = line.split("\t")
        if format_number(float(value), code).split() != shown.split():
            different[f"{value} {code}"] = shown
    assert different.keys() == OTHERWISE.keys()


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (5, "General", "5"),
        (1234.5, "General", "1234.5"),
        (0.1 + 0.2, "General", "0.3"),
        (123456789012345, "General", "123456789012345"),
        (1e20, "General", "1E+20"),
        (-0.0, "General", "0"),
        (5, "00000", "00005"),
        (0.5, "0", "1"),
        (2.5, "0", "3"),
        (-2.5, "0", "-3"),
        (-0.4, "0", "0"),
        (0.075, "0.0%", "7.5%"),
        (0.5, "0%", "50%"),
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (1234, "#,##0.###", "1,234"),
        (12, "#,##0", "12"),
        (0.5, "#.##", ".5"),
        (1234567, '0.0,,"M"', "1.2M"),
        (1234.5, '"$"#,##0.00', "$1,234.50"),
        (1234.5, "#,##0.00\\ [$€-407]", "1,234.50 €"),
        (1234.5, "[$USD] 0.0", "USD 1234.5"),
        (-1234.5, "#,##0.00_);[Red]\\(#,##0.00\\)", "(1,234.50)"),
        (-5, "0;0", "5"),
        (0, '0;-0;"none"', "none"),
        (0, "0;-0;", ""),
        (7, ";;;", ""),
        (150, '[>100]"big" 0;"small" 0', "big 150"),
        (50, '[>100]"big" 0;"small" 0', "small 50"),
        (12345.678, "0.00E+00", "1.23E+04"),
        (0.00012, "0.0E-00", "1.2E-04"),
        (0, "0.00E+00", "0.00E+00"),
        (12345, "##0.0E+0", "12.3E+3"),
        (0.5, "# ?/?", "1/2"),
        (2.25, "# ??/??", "2 1/4"),
        (3, "# ?/?", "3"),
        (0.3, "?/8", "2/8"),
        (5551234567, "(000) 000-0000", "(555) 123-4567"),
        (123456789, "000-00-0000", "123-45-6789"),
        (3, '0" days"', "3 days"),
        (42, "\\N0", "N42"),
        (12, "@", "12"),
        (1, "0" * 300, "1"),
    ],
)
def test_numbers_show_as_their_format_says(value: float, code: str, shown: str) -> None:
    assert format_number(value, code) == shown


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (46095, "dd/mm/yyyy", "14/03/2026"),
        (46095, "d.m.yy", "14.3.26"),
        (46095, "mmmm d, yyyy", "March 14, 2026"),
        (46095, "ddd d-mmm", "Sat 14-Mar"),
        (46095, "dddd mmmmm", "Saturday M"),
        (46095.395833333336, "yyyy-mm-dd h:mm:ss", "2026-03-14 9:30:00"),
        (46095.75, "h:mm AM/PM", "6:00 PM"),
        (46095.0, "h:mm A/P", "12:00 A"),
        (46095.395833333336, "hh:mm", "09:30"),
        (1.5, "[h]:mm:ss", "36:00:00"),
        (0.0625, "[mm]:ss", "90:00"),
        (0.0001, "mm:ss.0", "00:08.6"),
        (46095, '[$-409]d" of "mmmm', "14 of March"),
        (46095, '[$-411]ggge"年"m"月"', "2026-03-14"),
        (46095, BUILT_IN[14], "2026-03-14"),
        (46095.395833333336, BUILT_IN[22], "2026-03-14 09:30"),
        (0.25, BUILT_IN[20], "6:00"),
        (0.999999999, "h:mm:ss", "0:00:00"),
        (1, "yyyy-mm-dd", "1900-01-01"),
        (59, "yyyy-mm-dd", "1900-02-28"),
        (61, "yyyy-mm-dd", "1900-03-01"),
        (1e12, "yyyy", "1000000000000"),
    ],
)
def test_dates_show_as_their_format_says(value: float, code: str, shown: str) -> None:
    assert format_number(value, code) == shown


def test_a_workbook_that_counts_from_1904_has_its_own_days() -> None:
    assert format_number(44633, "yyyy-mm-dd", from_1904=True) == "2026-03-14"
    assert format_number(0, "yyyy-mm-dd", from_1904=True) == "1904-01-01"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_shows_as_that(value: float) -> None:
    assert format_number(value, "0.00") == str(value)
