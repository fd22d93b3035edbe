"""docs/markdown.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from grooveseek.parsing import blocks, fields, headings, paths, yaml_tree
from grooveseek.parsing.markdown import MarkdownParser
from grooveseek.parsing.quality import score
from grooveseek.parsing.text import TextParser
from grooveseek.settings.sections import Settings

PAGE = (Path(__file__).parents[2] / "docs" / "markdown.md").read_text(encoding="utf-8")
FLOWING = " ".join(PAGE.split())


def test_the_example_has_the_chunks_the_page_shows() -> None:
    example = re.search(r"```markdown\n(.*?)```", PAGE, re.DOTALL)
    assert example is not None
    document = MarkdownParser(1600).parse(example[1].encode(), "ops/pump-room.md")
    table = PAGE.split("| content | headings it stands under | context |")[1].split("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    assert [row[1] for row in rows] == [", ".join(each.heading_path) for each in document.chunks]
    assert [row[2].strip("`") for row in rows] == [each.context for each in document.chunks]
    assert [row[0].strip("`") for row in rows[:-1]] == [each.content for each in document.chunks[:-1]]
    assert document.chunks[-1].content == "*Contacts* and `numbers`\n\n---"
    assert (document.title, document.frontmatter.category) == ("Pump room", "ops")


def test_the_figures_are_the_codes() -> None:
    assert f"down to {blocks.MAX_DEPTH} levels" in FLOWING
    assert f"more than {blocks.MAX_TOKENS:,} of its tokens" in FLOWING
    assert f"at most {headings.HEADING_CHARS} characters. A longer one" in FLOWING
    assert f"at most {paths.BREADCRUMB_CHARS} characters. Where" in FLOWING
    assert f"single spaces, at most {fields.TITLE_CHARS} characters" in FLOWING
    assert f"more than {yaml_tree.MAX_VALUES:,} values" in FLOWING
    assert f"more than {yaml_tree.MAX_DEPTH} levels" in FLOWING
    assert f"more than {yaml_tree.MAX_CHARS // 1024} Ki characters" in FLOWING


def test_extensions_and_defaults_are_those_named() -> None:
    parsers = (MarkdownParser(1600), TextParser(1600))
    for parser in parsers:
        assert f"(parser `{parser.id}`" in FLOWING
        assert all(f"`.{extension}`" in FLOWING for extension in parser.extensions)
    assert Settings().parsers.enabled == ("md",)
    assert f"threshold ({Settings().quality_filter.threshold})" in FLOWING


def test_a_short_note_scores_what_the_page_says() -> None:
    parser = MarkdownParser(1600)
    assert score("Check the seals.", parser.profile(is_definition=False)) == 0.1
    assert "A short note on one line scores 0.1" in FLOWING
