from pathlib import Path

import pytest
from grooveseek.errors import GoldenError
from grooveseek.evaluation.curation.pool import Section
from grooveseek.evaluation.curation.unfinished import load_unfinished, save_unfinished

A, B = Section(path="a.md", heading="One"), Section(path="港/潮.md")


def test_grades_are_kept_by_query_until_they_are_forgotten(tmp_path: Path):
    file = tmp_path / "unfinished.json"
    assert load_unfinished(file, "fog") == {}
    save_unfinished(file, "fog", {A: 3, B: 0})
    save_unfinished(file, "wind", {B: 1})
    assert load_unfinished(file, "fog") == {A: 3, B: 0}
    save_unfinished(file, "fog", None)
    assert load_unfinished(file, "fog") == {}
    assert load_unfinished(file, "wind") == {B: 1}
    save_unfinished(file, "wind", {})
    assert not file.exists()
    save_unfinished(file, "wind", None)


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"format": "groove-golden-unfinished", "version": 2, "queries": {}}',
     '{"format": "groove-golden-unfinished", "version": 1, "queries": {"fog": [{"path": "a.md"}]}}'],
)  # fmt: skip
def test_a_file_of_another_kind_is_refused_and_left_alone(tmp_path: Path, content: str):
    file = tmp_path / "unfinished.json"
    file.write_text(content)
    for use in (lambda: load_unfinished(file, "fog"), lambda: save_unfinished(file, "fog", {A: 1})):
        with pytest.raises(GoldenError, match="Move it away"):
            use()
    assert file.read_text() == content


def test_a_link_is_refused(tmp_path: Path):
    file = tmp_path / "unfinished.json"
    (tmp_path / "other.json").write_text("{}")
    file.symlink_to("other.json")
    with pytest.raises(GoldenError, match="symbolic link"):
        load_unfinished(file, "fog")
