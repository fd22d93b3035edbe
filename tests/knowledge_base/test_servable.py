"""The one predicate for what can be read back, with the real parsers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from grooveseek.knowledge_base.servable import MAX_TEXT_BYTES, ServableRules, Withheld
from grooveseek.parsing.registry import Registry
from grooveseek.settings.sections import IndexSettings, ParserSettings, Settings


def rules(*enabled: str, max_raw_binary_size: int | None = 5_000_000) -> ServableRules:
    settings = Settings(
        parsers=ParserSettings(enabled=enabled or ("md",)),
        index=replace(IndexSettings(), max_raw_binary_size=max_raw_binary_size),
    )
    return ServableRules(Registry.from_settings(settings))


@pytest.mark.parametrize(
    ("path", "size", "withheld"),
    [
        ("a.md", 0, None),
        ("sub/B.MD", MAX_TEXT_BYTES, None),
        ("a.md", MAX_TEXT_BYTES + 1, Withheld.SIZE),
        ("a.md", None, Withheld.SIZE_UNKNOWN),
        ("a.md", -1, Withheld.SIZE_UNKNOWN),
        ("a.txt", 10, Withheld.EXTENSION),
        ("a.pdf", 10, Withheld.EXTENSION),
        ("README", 10, Withheld.EXTENSION),
        ("../a.md", 10, Withheld.NAME),
        ("a\\b.md", 10, Withheld.NAME),
        ("a\nb.md", 10, Withheld.NAME),
    ],
)
def test_each_reason_to_withhold_a_document(path: str, size: int | None, withheld: Withheld | None):
    assert rules().why_withheld(path, size) == withheld
    assert rules().allows(path, size) is (withheld is None)


def test_extracted_text_is_cut_and_so_bounded_by_what_indexing_reads():
    assert rules("md", "pdf").allows("a.pdf", 5_000_000)
    assert rules("md", "pdf").why_withheld("a.pdf", 5_000_001) is Withheld.SIZE
    assert rules("md", "pdf", max_raw_binary_size=None).allows("a.pdf", 10**12)


def test_a_kind_that_is_enabled_again_is_offered_again():
    assert not rules("md").allows("a.txt", 1)
    assert rules("md", "txt").allows("a.txt", 1)
