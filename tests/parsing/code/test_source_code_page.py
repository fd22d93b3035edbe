"""docs/source-code.md says what the code does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from grooveseek.parsing.code import chunker, definitions, grammar, plugins, syntax, tags
from grooveseek.parsing.code.builtin import BUILTIN
from grooveseek.parsing.isolation import SECONDS
from grooveseek.settings.sections import CodeSettings
from tests.support.source_code import parse

PAGE = (Path(__file__).parents[3] / "docs" / "source-code.md").read_text(encoding="utf-8")
FLOWING = " ".join(PAGE.split())


def table(header: str) -> list[list[str]]:
    """The rows of the table with a header line, cells without backticks."""
    body = PAGE.split(header)[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip().strip("`") for cell in row.strip("|").split("|")] for row in body]


def test_the_example_has_the_chunks_the_page_shows() -> None:
    example = re.search(r"```rust\n(.*?)```", PAGE, re.DOTALL)
    assert example is not None
    document = parse("rs", example[1], 60, "pumps/valve.rs")
    shown = [
        [
            f"{each.start_line}-{each.end_line}",
            each.heading or "",
            each.symbol_kind or "",
            each.scope or "",
            each.context,
        ]
        for each in document.chunks
    ]
    assert table("| lines | heading | kind | scope | context |") == shown


def test_every_language_is_in_the_table() -> None:
    shown = {row[0]: row[2].split() for row in table("| id | language | files |")}
    assert shown == {key: [f".{each}" for each in language.extensions] for key, language in BUILTIN.items()}


def test_every_tag_is_explained() -> None:
    tags_told = {row[0] for row in table("| tag | why | what helps |")}
    assert tags_told == {chunker.TOO_DEEP, chunker.TOO_MANY_CHUNKS, chunker.TOO_TANGLED}


def test_every_capture_of_grooves_own_is_explained() -> None:
    told = {row[0].split("`")[0] for row in table("| capture | what it marks |")}
    assert told == tags._OURS | {"@receiver"}


def test_the_figures_are_the_codes() -> None:
    assert f"more than {chunker.MAX_CHUNKS_PER_FILE} chunks ({chunker.MAX_CHUNKS_PER_FILE} are left alone)" in FLOWING
    assert f"more than {definitions.MAX_DEFINITION_DEPTH} definitions and scopes" in FLOWING
    assert f"longer than {definitions.NAME_CHARS} characters" in FLOWING
    assert f"under {chunker.SMALLEST_PIECE} characters" in FLOWING
    assert f"upper {syntax.MAX_NODE_DEPTH:,} levels" in FLOWING
    assert f"{SECONDS:g} seconds" in FLOWING
    assert f"`abi_version`, now {grammar.ABI_VERSION}" in FLOWING
    assert f"max_chunk_chars = {CodeSettings().max_chunk_chars}" in PAGE


def test_the_entry_point_of_the_example_is_the_one_looked_for() -> None:
    example = re.search(r"```toml\n(# pyproject.*?)```", PAGE, re.DOTALL)
    assert example is not None
    points = tomllib.loads(example[1])["project"]["entry-points"]
    assert list(points) == [plugins.GROUP]
