"""Documents that the server does not hand out, told apart by the reason."""

from __future__ import annotations

import os

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.knowledge_base.servable import MAX_TEXT_BYTES
from grooveseek.settings.sections import ParserSettings
from tests.support.damage import assert_clean, only, sql


def test_a_document_of_a_kind_that_is_no_longer_enabled(kb: KnowledgeBase, reopened):
    (kb.root / "old.txt").write_text("Notes from before.\n", encoding="utf-8")
    kb.index()
    assert_clean(kb.examine())
    without = reopened(kb, parsers=ParserSettings(enabled=("md",)))
    finding = only(without.examine(), "withheld-extension")
    assert (finding.severity, finding.count, finding.examples) == ("warning", 1, ("old.txt",))
    assert "[parsers].enabled" in finding.remedy
    assert_clean(reopened(kb).examine())  # one remedy: enable it again
    without.index()  # the other: let a run drop it
    assert_clean(without.examine())


def test_a_text_that_is_too_large_to_be_read_back(kb: KnowledgeBase):
    line = "A line of an endless log.\n"
    (kb.root / "log.txt").write_text(line * (MAX_TEXT_BYTES // len(line) + 1), encoding="utf-8")
    kb.index()
    finding = only(kb.examine(), "withheld-size")
    assert finding.examples[0].startswith("log.txt (1,0")
    assert finding.remedy.startswith("Split the files, then run `groove index`")
    text = (kb.root / "log.txt").read_text(encoding="utf-8")
    (kb.root / "log.txt").write_text(text[:500_000], encoding="utf-8")
    (kb.root / "log2.txt").write_text(text[500_000:], encoding="utf-8")
    kb.index()
    assert_clean(kb.examine())


def test_a_text_of_exactly_the_limit_is_served(kb: KnowledgeBase):
    (kb.root / "log.txt").write_bytes(b"0123456789abcde\n" * (MAX_TEXT_BYTES // 16))
    kb.index()
    assert_clean(kb.examine())


def test_a_size_that_was_never_recorded(kb: KnowledgeBase):
    sql(kb.index_path, "UPDATE documents SET size_bytes = -1 WHERE path = 'plan.md'")
    finding = only(kb.examine(), "withheld-size-unknown")
    assert (finding.examples, finding.remedy) == (("plan.md",), "groove index")
    kb.index()
    assert_clean(kb.examine())


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_document_whose_name_cannot_be_addressed(kb: KnowledgeBase):
    (kb.root / "plan.md").rename(kb.root / "pl\\an.md")
    sql(kb.index_path, r"UPDATE documents SET path = 'pl\an.md' WHERE path = 'plan.md'")
    found = {finding.check: finding for finding in kb.examine().findings}
    assert set(found) == {"withheld-name", "names-unaddressable", "files-gone"}
    assert found["withheld-name"].examples == ("pl\\an.md",)
    (kb.root / "pl\\an.md").rename(kb.root / "plan.md")
    kb.index()
    assert_clean(kb.examine())
