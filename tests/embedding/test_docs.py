import tomllib
from itertools import takewhile
from pathlib import Path

import pytest
from grooveseek.embedding.catalog import DEFAULT_MODEL, MODELS, RERANKERS
from grooveseek.embedding.endpoint import MAX_PAUSE
from grooveseek.embedding.estimate import WINDOW
from grooveseek.embedding.hub import size
from grooveseek.embedding.local import MAX_WINDOW, MODEL_FILES
from grooveseek.embedding.multilingual import EXTRA, MEGABYTES, NAME, PACKAGE
from grooveseek.embedding.remote import DOCUMENT_ATTEMPTS, QUERY_ATTEMPTS, build_remote
from grooveseek.settings.keys import build

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")


def rows():
    """The tables' rows by the name in their first column."""
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line[:3] == "| `")
    return {row[0].split("`")[1]: row for row in cells}


def example(heading, first):
    """The lines of the indented block under a heading that begins with ``first``."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = section.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("    " + first))
    return [line[4:] for line in takewhile(lambda line: not line or line.startswith("    "), lines[start:])]


def load(text):
    """The settings a groove.toml of this text has."""
    return build(flatten_toml(tomllib.loads(text)))


def flatten_toml(value, prefix=""):
    flat = {}
    for name, inner in value.items():
        flat |= flatten_toml(inner, f"{prefix}{name}.") if isinstance(inner, dict) else {prefix + name: inner}
    return flat


def download(entry):
    if getattr(entry, "extra", None):
        return f"extra `{entry.extra}`"
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


def test_the_page_s_commands_and_sizes_for_the_multilingual_model_are_those_of_the_code():
    assert f'pip install "grooveseek[{EXTRA}]"' in PAGE
    assert f"groove index --force --model {NAME}" in PAGE
    assert f"builds the model ({MEGABYTES} MB)" in PAGE
    assert f"{PACKAGE} 0.3.0" in PAGE
    settings = load("\n".join(line for line in example("Notes that are not in English", "model = ")))
    assert f"counts them from .{str(MODELS[NAME].lowest_cosine)[2:]}," in PAGE
    assert settings.model == NAME


def test_the_page_s_endpoint_can_be_built_and_its_rules_are_those_of_the_code():
    settings = load("\n".join(example("An endpoint instead of a model", "[embedding]")))
    embedder = build_remote(settings.embedding, {})
    assert (embedder.identity.provider, embedder.identity.revision) == ("openai", "127.0.0.1:8080/v1")
    assert f"{DOCUMENT_ATTEMPTS} attempts in all for documents, {QUERY_ATTEMPTS} for a\n  query" in PAGE
    assert f"`Retry-After` asks for, {MAX_PAUSE:.0f} seconds at most" in PAGE
    assert f"cuts at {WINDOW - 2} of those" in PAGE


def test_the_page_names_the_files_and_bounds_the_code_uses():
    assert all(f"`{name}`" in PAGE for name in MODEL_FILES)
    assert f"{MAX_WINDOW} at most" in PAGE
