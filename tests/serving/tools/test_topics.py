from __future__ import annotations

from grooveseek.serving.tools import topics
from jsonschema import Draft202012Validator


def test_every_document_is_counted_once(tool):
    answer = tool("list_topics")
    Draft202012Validator(topics.OUTPUT).validate(answer)
    assert answer == {
        "documents": 7,
        "categories": [
            {"documents": 2, "topics": [{"documents": 2}]},
            {"category": "best", "documents": 1, "topics": [{"documents": 1}]},
            {
                "category": "guide",
                "documents": 3,
                "topics": [{"topic": "setup", "documents": 1}, {"topic": "use", "documents": 2}],
            },
            {"category": "harbour", "documents": 1, "topics": [{"documents": 1}]},
        ],
    }


def test_names_are_those_the_filters_take(tool):
    for category in tool("list_topics")["categories"]:
        if "category" in category:
            found = tool("search", query="pump fog python", category=category["category"], include_low_quality=True)
            assert len({result["path"] for result in found["results"]}) == category["documents"]


def test_an_empty_knowledge_base_has_no_topics(open_kb, settings, serve, tool):
    kb = open_kb(settings=settings)
    kb.index()
    assert tool("list_topics", on=serve(kb)) == {"documents": 0, "categories": []}
