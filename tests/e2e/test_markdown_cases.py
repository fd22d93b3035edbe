"""Users' faults with Markdown, frontmatter and Unicode, from a file on disk to an answer."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.model.query import Filters
from tests.conftest import OpenKb
from tests.support.search import file_spans, hits, paths, spans_in, text_at

CASES = Path(__file__).parents[1] / "cases"


@pytest.fixture
def indexed(open_kb: OpenKb, tmp_path: Path) -> Callable[[str], KnowledgeBase]:
    """A case's knowledge base, copied or made, and indexed."""

    def make(case: str) -> KnowledgeBase:
        target = tmp_path / "kb"
        script = CASES / case / "make.py"
        if script.exists():
            subprocess.run([sys.executable, str(script), str(target)], check=True)
        else:
            target.mkdir()
            for source in (CASES / case / "kb").iterdir():
                (target / source.name).write_bytes(source.read_bytes())
        kb = open_kb(target)
        kb.index()
        return kb

    return make


def expected(case: str) -> dict[str, Any]:
    return json.loads((CASES / case / "expect.json").read_text("utf-8"))


def trail_of(kb: KnowledgeBase, query: str, path: str) -> str:
    return next(" > ".join(hit.chunk.heading_path) for hit in hits(kb, query) if hit.path == path)


def test_fences_hide_headings_and_their_words_are_found_in_place(indexed: Callable[[str], KnowledgeBase]) -> None:
    kb = indexed("C01")
    expect = expected("C01")
    for words, trail in expect["ghost_paths"].items():
        assert trail_of(kb, words, "fences.md") == trail
        assert tuple(expect["ghost_spans"][words]) in spans_in(kb, f'"{words}"', "fences.md")


def test_html_blocks_hold_no_headings(indexed: Callable[[str], KnowledgeBase]) -> None:
    kb = indexed("C03")
    assert spans_in(kb, "basalt", "html.md") == [(223, 229)]
    assert trail_of(kb, "basalt", "html.md").endswith("Important part")
    assert spans_in(kb, "schist", "html.md") == [(323, 329)]
    assert trail_of(kb, "schist", "html.md").endswith("Real After Comment")
    for word in ("gneiss", "inside a div", "tally"):
        assert "Hidden draft" not in " ".join(" ".join(hit.chunk.heading_path) for hit in hits(kb, word))


def test_text_before_headings_and_skipped_levels(indexed: Callable[[str], KnowledgeBase]) -> None:
    kb = indexed("C05")
    expect = expected("C05")
    for word, trail in expect["paths"].items():
        assert tuple(expect["spans"][word]) in spans_in(kb, f'"{word}"', "levels.md"), word
        assert trail_of(kb, f'"{word}"', "levels.md") == trail


def test_byte_order_marks_and_line_ends_shift_nothing(indexed: Callable[[str], KnowledgeBase]) -> None:
    kb = indexed("C07")
    for name, values in expected("C07").items():
        for word in ("zebu", "okapi"):
            if word in values:
                assert spans_in(kb, word, name) == [tuple(values[word])]
    for hit in hits(kb, "zebu"):
        shown = [hit.title, *hit.chunk.heading_path, *hit.tags]
        assert not any(text != text.strip("\r\ufeff") for text in shown)


def test_what_is_front_matter_and_what_is_not(indexed: Callable[[str], KnowledgeBase]) -> None:
    kb = indexed("C09")
    before = {path.name: path.read_bytes() for path in kb.root.iterdir()}
    for words, place in expected("C09")["probe"].items():
        assert tuple(place["span"]) in spans_in(kb, f'"{words}"', place["file"])
    record = kb.store().documents.get("k_dashes_inside.md")
    assert record is not None
    assert (record.title, record.fields["status"]) == ("a --- b", ("real",))
    assert record.fields["note"] == ("above\n---\nbelow\n",)
    for plain in ("a_rule_first.md", "g_rules_later.md", "j_text_on_fence.md"):
        document = kb.store().documents.get(plain)
        assert document is not None
        assert "status" not in document.fields
    assert {path.name: path.read_bytes() for path in kb.root.iterdir()} == before


def test_duplicate_keys_are_noticed_with_their_lines(indexed: Callable[[str], KnowledgeBase]) -> None:
    kb = indexed("C11")
    noticed = kb.store().documents.get("dup.md")
    legal = kb.store().documents.get("merge.md")
    assert noticed is not None
    assert legal is not None
    assert sorted(notice.line for notice in noticed.notices if notice.line) == [4, 7]
    assert not legal.notices
    assert paths(kb, "quokka") == ["dup.md"]
    assert paths(kb, "bilby") == ["merge.md"]


def test_an_alias_bomb_costs_its_metadata_alone(indexed: Callable[[str], KnowledgeBase]) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kb = indexed("C13")
    assert [paths(kb, word) for word in ("wombat", "potoroo", "possum")] == [["ok.md"], ["bomb.md"], ["cycle.md"]]
    for name in ("bomb.md", "cycle.md"):
        record = kb.store().documents.get(name)
        assert record is not None
        assert record.notices
        assert len(json.dumps({key: list(values) for key, values in record.fields.items()})) < 1_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 1024


def test_composed_and_decomposed_spellings_meet(indexed: Callable[[str], KnowledgeBase]) -> None:
    kb = indexed("C15")
    composed = unicodedata.normalize("NFC", "Résumé-c.md")
    decomposed = unicodedata.normalize("NFD", "Résumé-d.md")
    places = {
        "résumé": {composed: (22, 30), decomposed: (25, 35)},
        "점검": {composed: (58, 64), decomposed: (73, 91)},
    }
    for word, by_file in places.items():
        for form in ("NFC", "NFD"):
            query = unicodedata.normalize(form, word)
            assert set(paths(kb, query)) == set(by_file)
            for path, span in by_file.items():
                assert spans_in(kb, query, path) == [span]
                assert unicodedata.normalize("NFC", text_at(kb.root, path, span)) == word


def test_twins_that_differ_in_form_only_are_two_documents(indexed: Callable[[str], KnowledgeBase]) -> None:
    kb = indexed("C15")
    twins = [unicodedata.normalize(form, "Übung.md") for form in ("NFC", "NFD")]
    if len(list(kb.root.glob("*bung.md"))) < 2:
        pytest.skip("this file system keeps one form of a name only")
    assert sorted(paths(kb, "heron")) == sorted(twins)
    (kb.root / twins[0]).unlink()
    kb.index()
    assert paths(kb, "heron") == [twins[1]]


def test_text_with_nothing_to_embed_never_outranks_a_real_hit(indexed: Callable[[str], KnowledgeBase]) -> None:
    kb = indexed("C39")
    for mode in ("semantic", "hybrid"):
        for mmr in (False, True):
            answer = kb.search("birds living on a building", mode=mode, mmr=mmr)
            assert answer.hits[0].path == "real.md"
            wordless = {"empty.md", "spaces.md", "rules.md", "punct.md", "empty_fence.md", "zwsp.md"}
            assert not wordless & {hit.path for hit in answer.hits}
    assert paths(kb, "Lonely Heading", mode="hybrid")[0] == "head_only.md"
    assert paths(kb, "Only Matter Here", mode="hybrid")[0] == "matter_only.md"


def test_every_span_reads_as_what_was_looked_for(indexed: Callable[[str], KnowledgeBase]) -> None:
    kb = indexed("C07")
    for hit in hits(kb, "zebu okapi"):
        for span in file_spans(hit):
            assert text_at(kb.root, hit.path, span).casefold() in ("zebu", "okapi")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_filters_meet_composed_and_decomposed_names_and_tags(open_kb: OpenKb, form: str) -> None:
    """Siblings of C15: what is filtered by is typed in one form, and folders and tags were written in either."""

    def files(other: str) -> dict[str, str | bytes]:
        text = f"---\ntags: [été, {other}]\nowner: José\n---\n# Note\n\nThe plover of {other}.\n"
        path = f"café/naïve/{other}.md"
        return {unicodedata.normalize(other, path): unicodedata.normalize(other, text)}

    schema = "[fields.owner]\n"
    kb = open_kb(
        files={**files("NFC"), **files("NFD"), "else.md": "# Else\n\nThe plover.\n", "groove-schema.toml": schema}
    )
    kb.index()
    typed = {name: unicodedata.normalize(form, name) for name in ("café", "naïve", "été", "José")}
    for filters in (
        Filters(path_globs=(f"{typed['café']}/**",)),
        Filters(path_globs=(f"*/{typed['naïve']}/*.md",)),
        Filters(category=typed["café"]),
        Filters(topic=typed["naïve"]),
        Filters(tags_any=(typed["été"],)),
        Filters(tags_all=(typed["été"],)),
        Filters(fields={"owner": (typed["José"],)}),
    ):
        found = kb.search("plover", mode="keyword", filters=filters).hits
        assert {hit.path[-6:] for hit in found} == {"NFC.md", "NFD.md"}, filters
    both = Filters(tags_all=(typed["été"], "NFC"))
    assert [hit.path[-6:] for hit in kb.search("plover", mode="keyword", filters=both).hits] == ["NFC.md"]
