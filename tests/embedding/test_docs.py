from pathlib import Path

import pytest
from grooveseek.embedding.catalog import DEFAULT_MODEL, MODELS, RERANKERS
from grooveseek.embedding.hub import size
from grooveseek.embedding.local import MAX_WINDOW, MODEL_FILES

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")


def rows():
    """The tables' rows by the name in their first column."""
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line[:3] == "| `")
    return {row[0].split("`")[1]: row for row in cells}


def download(entry):
    return size(entry.files.gigabytes) if entry.files else "none"


def test_the_tables_list_the_catalogue_and_the_settings_in_its_order():
    assert list(rows()) == ["model", *MODELS, "reranker", *RERANKERS]


@pytest.mark.parametrize("spec", MODELS.values(), ids=lambda spec: spec.name)
def test_a_model_s_row_says_what_the_catalogue_says(spec):
    row = rows()[spec.name]
    assert row[2:] == [str(spec.dimension), str(spec.window), download(spec), spec.licence]
    assert (row[1] == "English") == (spec.scripts is not None)
    assert ("(default)" in row[0]) == (spec.name == DEFAULT_MODEL)


@pytest.mark.parametrize("spec", RERANKERS.values(), ids=lambda spec: spec.name)
def test_a_reranker_s_row_says_what_the_catalogue_says(spec):
    row = rows()[spec.name]
    assert row[2:] == [str(spec.window), download(spec), spec.licence]


def test_the_page_names_the_files_and_bounds_the_code_uses():
    assert all(f"`{name}`" in PAGE for name in MODEL_FILES)
    assert f"{MAX_WINDOW} at most" in PAGE
