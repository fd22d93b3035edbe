"""Source files that could not be cut at their definitions, and indexes cut by older rules."""

from __future__ import annotations

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.indexing.policy import LEGACY
from grooveseek.parsing.code import CHUNKING_POLICY
from tests.support.damage import assert_clean, only, sql

TOO_DEEP = "".join(f"mod m{i} {{\n" for i in range(80)) + "fn innermost() {}\n" + "}\n" * 80
TOO_MANY = "".join(f"fn f{i}() {{ let x = {i}; }}\n" for i in range(600))
FINE = 'fn main() {\n    println!("{}", 42);\n}\n'


def put(kb: KnowledgeBase, name: str, text: str) -> None:
    (kb.root / name).write_text(text, encoding="utf-8")
    kb.index()


def test_a_file_that_nests_too_deeply(kb: KnowledgeBase):
    put(kb, "deep.rs", TOO_DEEP)
    finding = only(kb.examine(), "chunked-without-definitions")
    assert (finding.severity, finding.count, finding.examples) == ("warning", 1, ("deep.rs",))
    assert "parse:too-deep" in finding.summary
    assert finding.remedy.startswith("Flatten the nesting in the file, then run `groove index`")
    kb.index(force=True)  # which changes nothing, as the remedy says
    only(kb.examine(), "chunked-without-definitions")
    put(kb, "deep.rs", FINE)
    assert_clean(kb.examine())


def test_a_file_of_too_many_definitions(kb: KnowledgeBase):
    put(kb, "many.rs", TOO_MANY)
    finding = only(kb.examine(), "chunked-without-definitions")
    assert "parse:too-many-chunks" in finding.summary
    assert finding.examples == ("many.rs",)
    assert finding.remedy.startswith("Split the file, then run `groove index`")
    half = TOO_MANY.index("fn f300(")
    (kb.root / "more.rs").write_text(TOO_MANY[half:], encoding="utf-8")
    put(kb, "many.rs", TOO_MANY[:half])
    assert_clean(kb.examine())


def test_the_reasons_are_told_apart(kb: KnowledgeBase):
    (kb.root / "deep.rs").write_text(TOO_DEEP, encoding="utf-8")
    put(kb, "many.rs", TOO_MANY)
    findings = kb.examine().findings
    assert [(finding.check, finding.examples) for finding in findings] == [
        ("chunked-without-definitions", ("deep.rs",)),
        ("chunked-without-definitions", ("many.rs",)),
    ]


@pytest.mark.parametrize("tag", ["parse:too-deep", "parse:too-many-chunks"])
def test_a_note_that_only_declares_the_tag_is_not_reported(kb: KnowledgeBase, tag: str):
    put(kb, "note.md", f'---\ntags: ["{tag}"]\n---\n\nAbout tags.\n')
    assert_clean(kb.examine())


def test_a_tag_without_lines_to_show_for_it_is_not_reported(kb: KnowledgeBase):
    put(kb, "fine.rs", FINE)
    sql(kb.index_path, """UPDATE documents SET parser_tags = '["parse:too-deep"]' WHERE path = 'fine.rs'""")
    assert_clean(kb.examine())  # its chunk is a definition, so it was cut as one


def test_an_index_cut_by_older_rules(kb: KnowledgeBase):
    put(kb, "fine.rs", FINE)
    assert_clean(kb.examine())
    sql(kb.index_path, "UPDATE index_meta SET value = ? WHERE key = 'chunking_policy'", f'"{LEGACY}"')
    finding = only(kb.examine(), "chunking-policy")
    assert finding.remedy == "groove index --force"
    assert finding.summary == (
        f"Source files may have been cut by older rules: recorded is 'legacy', today's is '{CHUNKING_POLICY}'"
    )
    kb.index()
    only(kb.examine(), "chunking-policy")
    kb.index(force=True)
    assert_clean(kb.examine())


def test_source_files_without_any_record_of_a_policy_are_reported_too(kb: KnowledgeBase):
    put(kb, "fine.rs", FINE)
    sql(kb.index_path, "DELETE FROM index_meta WHERE key = 'chunking_policy'")
    assert "nothing is recorded" in only(kb.examine(), "chunking-policy").summary
    kb.index(force=True)
    assert_clean(kb.examine())


def test_prose_alone_needs_no_policy(kb: KnowledgeBase):
    assert kb.status().chunking_policy is None
    assert_clean(kb.examine())
