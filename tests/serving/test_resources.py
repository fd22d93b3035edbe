from __future__ import annotations

from pathlib import Path

import pytest
from grooveseek.errors import QueryError
from grooveseek.serving import resources
from grooveseek.serving.documents import MAX_TEXT_BYTES
from grooveseek.serving.served import Served
from grooveseek.serving.uris import document_path
from tests.conftest import write_files


def names(served: Served) -> list[str]:
    found: list[str] = []
    cursor = None
    while True:
        groups, cursor = resources.list_groups(served, cursor)
        found += [group.name for group in groups]
        if cursor is None:
            return found


def test_groups_are_the_first_one_or_two_folders_with_their_counts(served: Served):
    groups, more = resources.list_groups(served, None)
    assert {group.uri: group.documents for group in groups} == {
        "kb://topic/": 7,
        "kb://topic/best": 1,
        "kb://topic/guide": 3,
        "kb://topic/guide/use": 2,
        "kb://topic/harbour": 1,
    }
    assert more is None


def test_a_list_longer_than_a_page_goes_on_behind_a_cursor(open_kb, settings, serve):
    folders = [f"f{number:03d}" for number in range(resources.PAGE + 5)]
    kb = open_kb(files={f"{folder}/a.md": f"# {folder}" for folder in folders}, settings=settings)
    kb.index()
    served = serve(kb)
    first, cursor = resources.list_groups(served, None)
    assert len(first) == resources.PAGE
    assert cursor is not None
    assert names(served) == ["all", *folders]


def test_a_cursor_outlives_the_group_it_points_at(open_kb, settings, serve):
    folders = [f"f{number:03d}" for number in range(resources.PAGE + 5)]
    kb = open_kb(files={f"{folder}/a.md": f"# {folder}" for folder in folders}, settings=settings)
    kb.index()
    served = serve(kb)
    _, cursor = resources.list_groups(served, None)
    (kb.root / folders[resources.PAGE - 2] / "a.md").unlink()
    kb.index()
    rest, _ = resources.list_groups(served, cursor)
    assert [group.name for group in rest] == folders[resources.PAGE - 1 :]


@pytest.mark.parametrize("cursor", ["nonsense!", "////", "_____", "é"])
def test_a_cursor_of_nobody_is_refused(served: Served, cursor: str):
    with pytest.raises(QueryError, match="cursor"):
        resources.list_groups(served, cursor)


def test_the_root_lists_groups_and_the_documents_beside_them(served: Served):
    content = resources.read(served, "kb://topic/")
    assert content is not None
    assert content.media_type == "text/markdown"
    assert content.text == (
        "# All documents\n\n7 documents\n\n## Groups\n\n"
        "- [best](kb://topic/best) (1 documents)\n- [guide](kb://topic/guide) (3 documents)\n"
        "- [harbour](kb://topic/harbour) (1 documents)\n\n## Documents\n\n"
        "- [notes](kb://doc/notes.txt)\n- [Read me](kb://doc/readme.md)\n"
    )


def test_a_group_lists_what_is_below_it(served: Served):
    content = resources.read(served, "kb://topic/guide/use")
    assert content is not None
    assert "kb://doc/guide/use/daily.md" in content.text
    assert "kb://doc/guide/use/deep/rare.md" in content.text, "two folders are the last level of groups"
    above = resources.read(served, "kb://topic/guide")
    assert above is not None
    assert "- [guide/use](kb://topic/guide/use) (2 documents)" in above.text
    assert "kb://doc/guide/use/daily.md" not in above.text


def test_titles_cannot_break_the_list(open_kb, settings, serve):
    kb = open_kb(files={"a b.md": '---\ntitle: "x](kb://doc/evil) [y\\n# z"\n---\n\ntext\n'}, settings=settings)
    kb.index()
    content = resources.read(serve(kb), "kb://topic/")
    assert content is not None
    assert r"- [x\](kb://doc/evil) \[y # z](kb://doc/a%20b.md)" in content.text


def test_a_document_is_read_with_its_media_type(served: Served):
    markdown, plain = (resources.read(served, f"kb://doc/{path}") for path in ("harbour/fog.md", "notes.txt"))
    assert markdown is not None
    assert plain is not None
    assert markdown.media_type == "text/markdown"
    assert "rings the bell" in markdown.text
    assert (plain.media_type, plain.text) == ("text/plain", "Plain notes about a walrus.\n")


def test_only_what_is_indexed_and_can_be_read_is_there(served: Served):
    root = served.kb.root
    write_files(root, {"later.md": "not indexed", "large.md": b"# Large\n\n" + b"words " * (MAX_TEXT_BYTES // 6 + 1)})
    assert resources.read(served, "kb://doc/later.md") is None
    served.kb.index()
    assert resources.read(served, "kb://doc/later.md") is not None
    assert resources.read(served, "kb://doc/large.md") is None
    assert "large.md" not in served.catalog.listing()
    assert served.kb.store().documents.get("large.md") is not None


@pytest.mark.parametrize(
    "uri", ["kb://doc/gone.md", "kb://doc/../kb/readme.md", "kb://topic/nothing", "kb://topic/readme.md", "x", ""]
)
def test_an_address_of_nobody_is_nothing(served: Served, uri: str):
    assert resources.read(served, uri) is None


def test_every_address_that_is_listed_can_be_read(served: Served):
    for name in names(served):
        group = resources.read(served, f"kb://topic/{'' if name == 'all' else name}")
        assert group is not None
        for line in group.text.splitlines():
            if "(kb://doc/" in line:
                uri = line.rpartition("(")[2].rstrip(")")
                assert document_path(uri) is not None
                assert resources.read(served, uri) is not None


def test_completion_of_paths_and_topics(served: Served):
    assert resources.complete(served, "path", "guide/use/d") == ["guide/use/daily.md", "guide/use/deep/rare.md"]
    assert resources.complete(served, "path", "zzz") == []
    assert resources.complete(served, "topic", "GUI") == ["guide", "guide/use"]
    assert resources.complete(served, "topic", "s") == ["setup"]
    assert resources.complete(served, "question", "x") == []


def test_before_there_is_an_index_there_is_the_empty_root(open_kb, settings, serve, tmp_path: Path):
    served = serve(open_kb(files={"a.md": "a"}, settings=settings))
    assert names(served) == ["all"]
    assert resources.complete(served, "topic", "") == []
    content = resources.read(served, "kb://topic/")
    assert content is not None
    assert "0 documents" in content.text


def test_a_listing_follows_the_index(served: Served):
    assert "new.md" not in served.catalog.listing()
    write_files(served.kb.root, {"new.md": "# New"})
    served.kb.index()
    assert "new.md" in served.catalog.listing()
