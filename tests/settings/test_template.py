from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from grooveseek.settings.discovery import ConfigSource, Origin
from grooveseek.settings.keys import keys
from grooveseek.settings.loader import load_settings
from grooveseek.settings.sections import Settings
from grooveseek.settings.template import render_reference, render_template, toml_value
from grooveseek.settings.trust import restrict
from grooveseek.settings.values import size_text

SOURCE = Path("/etc/groove.toml").absolute()
ROOT = Path(__file__).parents[2]


def test_the_template_changes_nothing():
    settings, provenance = load_settings(render_template(), SOURCE)
    assert settings == Settings()
    assert set(provenance) == {
        key.name for key in keys().values() if key.default is not None
    }  # every default is written out


def test_the_template_draws_no_warning_where_it_is_not_trusted():
    settings, provenance = load_settings(render_template(), SOURCE)
    found = ConfigSource(path=SOURCE, origin=Origin.WORKING_DIRECTORY, trusted=False)
    assert restrict(settings, provenance, found) == (Settings(), ())


def test_every_commented_key_is_valid_once_the_sign_is_taken_away():
    settings, provenance = load_settings(re.sub(r"(?m)^#(?=\S)", "", render_template()), SOURCE)
    assert set(provenance) == set(keys())
    assert settings.embedding.dimension == 384


def test_every_key_has_a_comment_above_it():
    lines = render_template().splitlines()
    for number, line in enumerate(lines):
        if re.match(r"#?\w+ = ", line):
            assert lines[number - 1].startswith("# "), line


def test_values_are_written_in_place_of_defaults():
    text = render_template({"kb_path": Path('/notes/a "b"\n\x7fé'), "transport.http.bind": "[::1]:1"})
    settings, _ = load_settings(text, SOURCE)
    assert settings.kb_path == Path('/notes/a "b"\n\x7fé')
    assert settings.transport.http.bind == "[::1]:1"


def test_a_path_that_is_not_unicode_is_refused():
    with pytest.raises(ValueError, match="no character that TOML can hold"):
        render_template({"kb_path": Path("/notes/\udcff")})


@pytest.mark.parametrize(
    "value", [True, False, 0, -3, 1.5, 1e300, "", 'a"\\\t\x00\x1f\x7f\u2028😀', [], ["a", "b"], [1, 2]]
)
def test_values_survive_toml(value: object):
    assert tomllib.loads(f"k = {toml_value(value)}")["k"] == value


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (None, "unlimited"),
        (50 * 2**20, "50 MiB"),
        (2**40, "1 TiB"),
        (3 * 2**30, "3 GiB"),
        (1024, "1 KiB"),
        (1025, 1025),
        (1, 1),
    ],
)
def test_sizes_are_written_the_way_a_person_would(size: int | None, text: str | int):
    assert size_text(size) == text


def test_the_documentation_lists_every_key_as_the_code_has_it():
    document = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    generated = document.partition("<!-- keys: generated -->\n")[2].partition("<!-- end of keys -->")[0]
    assert generated.strip() == render_reference().strip(), (
        "docs/configuration.md is behind: put the output of `python -m grooveseek.settings.template` between its marks"
    )


def test_the_reference_has_a_row_for_every_key_and_its_default():
    rows = re.findall(r"^\| `(\w+)` \|", render_reference(), re.MULTILINE)
    assert rows == [key.leaf for key in keys().values()]
    assert '| `max_raw_text_size` | size | `"50 MiB"` |' in render_reference()
    assert "| `kb_path` | path | not set |" in render_reference()
