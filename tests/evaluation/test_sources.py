from pathlib import Path

import pytest
from grooveseek.errors import GoldenError, UsageError
from grooveseek.evaluation.sources import check_sources, golden_path, load_collection, load_golden, read_golden


def test_a_named_file_comes_before_a_configured_one_before_the_default(tmp_path: Path):
    assert golden_path(tmp_path, Path("mine.yml"), "set/golden.yml") == Path("mine.yml")
    assert golden_path(tmp_path, None, "set/golden.yml") == tmp_path / "set" / "golden.yml"
    assert golden_path(tmp_path, None, None) == tmp_path / ".groove-eval.yml"


def test_a_file_that_is_not_there_says_how_to_begin(tmp_path: Path):
    with pytest.raises(GoldenError, match=r"There is no golden file at .*none\.yml\. `groove golden add") as caught:
        load_golden(tmp_path / "none.yml")
    assert "--golden" in str(caught.value)
    assert read_golden(tmp_path / "none.yml") is None


def test_a_mistake_is_named_with_the_file_as_it_was_named(tmp_path: Path):
    file = tmp_path / "golden.yml"
    file.write_text("queries:\n  - {query: a, expect: []}\n")
    with pytest.raises(GoldenError) as caught:
        load_golden(file)
    assert str(caught.value).startswith(f"{file}:2: queries[0].expect: unknown key")


@pytest.mark.parametrize("make", ["link", "folder"])
def test_what_is_no_regular_file_is_not_read(tmp_path: Path, make: str):
    file = tmp_path / "golden.yml"
    if make == "link":
        (tmp_path / "other.yml").write_text("queries: []\n")
        file.symlink_to("other.yml")
    else:
        file.mkdir()
    with pytest.raises(GoldenError, match=r"golden\.yml: it is a (symbolic link|folder)"):
        load_golden(file)


def test_a_collection_is_read_from_its_two_files(tmp_path: Path):
    (tmp_path / "q.tsv").write_text("1\tfog at sea\n2\tnobody asks\n")
    (tmp_path / "qrels.txt").write_text("1 0 fog 2\n1 0 wind.md 0\n9 0 fog 1\n")
    loaded = load_collection(tmp_path / "q.tsv", tmp_path / "qrels.txt", ["a/fog.md", "wind.md"])
    assert loaded.imported
    assert loaded.file == tmp_path / "q.tsv"
    assert [(q.id, q.query, q.judgments) for q in loaded.golden.queries] == [
        ("1", "fog at sea", {"a/fog.md": 2, "wind.md": 0})
    ]
    assert len(loaded.notices) == 2


@pytest.mark.parametrize("missing", ["q.tsv", "qrels.txt"])
def test_a_missing_file_of_a_collection_is_named(tmp_path: Path, missing: str):
    (tmp_path / "q.tsv").write_text("1\tfog at sea\n")
    (tmp_path / "qrels.txt").write_text("1 0 fog 2\n")
    (tmp_path / missing).unlink()
    with pytest.raises(GoldenError, match=f"There is no file .*{missing}"):
        load_collection(tmp_path / "q.tsv", tmp_path / "qrels.txt", ["fog.md"])


@pytest.mark.parametrize(
    ("golden", "queries", "qrels", "named"),
    [
        (None, Path("q"), None, "--qrels is missing"),
        (None, None, Path("r"), "--queries is missing"),
        (Path("g"), Path("q"), Path("r"), "--golden and --queries both"),
    ],
)
def test_queries_come_from_one_place(golden: Path | None, queries: Path | None, qrels: Path | None, named: str):
    with pytest.raises(UsageError, match=named):
        check_sources(golden, queries, qrels)


def test_one_place_is_enough():
    check_sources(None, None, None)
    check_sources(Path("g"), None, None)
    check_sources(None, Path("q"), Path("r"))
