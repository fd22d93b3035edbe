from __future__ import annotations

import pytest
from grooveseek.serving.tools import document
from jsonschema import Draft202012Validator
from tests.conftest import write_files
from tests.serving.conftest import SETUP

OUTPUT = Draft202012Validator(document.OUTPUT)


def test_a_document_comes_whole_with_its_metadata(tool):
    answer = tool("get_document", path="guide/setup.md")
    OUTPUT.validate(answer)
    assert answer == {
        "path": "guide/setup.md",
        "text": SETUP,
        "start_line": 1,
        "end_line": 16,
        "total_lines": 16,
        "size_bytes": len(SETUP),
        "media_type": "text/markdown",
        "extracted": False,
        "truncated": False,
        "indexed": True,
        "uri": "kb://doc/guide/setup.md",
        "title": "Setting up",
        "category": "guide",
        "topic": "setup",
        "date": "2026-01-15",
        "tags": ["start", "tools"],
        "fields": {"status": "draft"},
    }


@pytest.mark.parametrize(
    ("given", "text", "lines"),
    [
        ({"start_line": 2, "end_line": 3}, "two\r\nthree\r", (2, 3)),
        ({"start_line": 4}, "four\nfive", (4, 5)),
        ({"end_line": 1}, "one\n", (1, 1)),
        ({"start_line": 5, "end_line": 99}, "five", (5, 5)),
        ({"start_line": 1, "end_line": 5}, "one\ntwo\r\nthree\rfour\nfive", (1, 5)),
        ({}, "one\ntwo\r\nthree\rfour\nfive", (1, 5)),
    ],
)
def test_lines_are_counted_as_search_counts_them_and_given_as_they_stand(tool, kb, given, text, lines):
    write_files(kb.root, {"lines.txt": "one\ntwo\r\nthree\rfour\nfive"})
    answer = tool("get_document", path="lines.txt", **given)
    assert (answer["text"], (answer["start_line"], answer["end_line"])) == (text, lines)
    assert answer["total_lines"] == 5


def test_a_citation_opens_at_its_lines(tool):
    hit = tool("search", query="okapi pump pressure", limit=1)["results"][0]
    opened = tool("get_document", path=hit["path"], start_line=hit["start_line"], end_line=hit["end_line"])
    assert hit["content"].strip() == opened["text"].strip()


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"start_line": 0}, "start_line is 0; allowed is a whole number of at least 1"),
        ({"start_line": 17}, "start_line is 17, and the document has 16 lines"),
        ({"start_line": 5, "end_line": 4}, "end_line is 4, before start_line, which is 5"),
        ({"path": "../kb/readme.md"}, "a part that is only .."),
        ({"path": "guide/setup.exe"}, "no enabled parser"),
        ({"path": "guide/none.md"}, "there is no document 'guide/none.md'"),
        ({"path": ""}, "path is empty"),
    ],
)
def test_what_cannot_be_opened_is_told(tool, given, complaint):
    assert complaint in tool("get_document", **{"path": "guide/setup.md", **given})


def test_an_empty_document_and_one_that_is_not_indexed(tool, kb):
    write_files(kb.root, {"empty.md": "", ".grooveignore": "secret.md\n", "secret.md": "# Secret\n"})
    kb.index()
    empty = tool("get_document", path="empty.md")
    assert (empty["text"], empty["total_lines"]) == ("", 1)
    hidden = tool("get_document", path="secret.md")
    OUTPUT.validate(hidden)
    assert hidden["indexed"] is False
    assert "uri" not in hidden


def test_a_document_is_read_before_there_is_an_index(open_kb, settings, serve, tool):
    served = serve(open_kb(files={"a.md": "# A\n"}, settings=settings))
    answer = tool("get_document", path="a.md", on=served)
    assert (answer["title"], answer["indexed"]) == ("A", False)
