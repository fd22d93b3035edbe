"""What golden/README.md promises of the golden sets holds."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

GOLDEN = Path(__file__).parents[2] / "golden"
SETS = ["handbook", "workshop", "code"]
HANDBOOK_TAGS = {
    *("en", "ja", "single", "multi", "graded", "unanswerable"),
    *("paraphrase", "keyword", "plain", "short", "identifier", "cross-language"),
}


def _queries(name: str) -> list[dict[str, Any]]:
    loaded = yaml.safe_load((GOLDEN / name / ".groove-eval.yml").read_text(encoding="utf-8"))
    assert list(loaded) == ["queries"]
    queries: list[dict[str, Any]] = loaded["queries"]
    return queries


def _documents(name: str) -> dict[str, str]:
    folder = GOLDEN / name
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _tagged(tag: str) -> list[dict[str, Any]]:
    return [query for query in _queries("handbook") if tag in query["tags"]]


@pytest.mark.parametrize("name", SETS)
def test_every_entry_has_only_known_keys_of_the_right_type(name: str) -> None:
    for query in _queries(name):
        assert set(query) <= {"id", "query", "tags", "expected", "answerable"}, query
        assert isinstance(query["query"], str), query
        assert query["query"].strip() == query["query"] != "", query
        for entry in query["expected"]:
            assert set(entry) <= {"path", "heading", "relevance"}, query
            assert entry.get("relevance", 1) in {1, 2, 3, 4}, query


@pytest.mark.parametrize("name", SETS)
def test_ids_and_queries_are_unique(name: str) -> None:
    queries = _queries(name)
    for key in ("id", "query"):
        repeated = [value for value, count in Counter(query[key] for query in queries).items() if count > 1]
        assert repeated == []


@pytest.mark.parametrize("name", SETS)
def test_every_expected_path_exists_and_is_named_once_a_query(name: str) -> None:
    documents = _documents(name)
    for query in _queries(name):
        paths = [entry["path"] for entry in query["expected"]]
        assert set(paths) <= set(documents), query
        assert len(paths) == len(set(paths)), query


@pytest.mark.parametrize("name", SETS)
def test_only_unanswerable_queries_expect_nothing(name: str) -> None:
    for query in _queries(name):
        answerable = query.get("answerable", True)
        assert bool(query["expected"]) is answerable, query
        assert ("unanswerable" in query["tags"]) is not answerable, query


def _quotations(name: str) -> list[tuple[str, str]]:
    """(query, path) wherever a document holds a query of at least 12 characters word for word."""
    documents = {path: _folded(text) for path, text in _documents(name).items()}
    return [
        (query["query"], path)
        for query in _queries(name)
        if len(folded := _folded(query["query"])) >= 12
        for path, text in documents.items()
        if folded in text
    ]


@pytest.mark.parametrize("name", ["handbook", "workshop"])
def test_no_query_is_quoted_by_a_page(name: str) -> None:
    assert _quotations(name) == []


def test_only_single_identifiers_are_quoted_by_the_code_and_one_a_file_at_most() -> None:
    """Asking for an identifier means spelling it; two in one file would look like a leaked golden file."""
    quotations = _quotations("code")
    assert [query for query, _ in quotations if not re.fullmatch(r"\w+", query)] == []
    assert [path for path, count in Counter(path for _, path in quotations).items() if count > 1] == []


@pytest.mark.parametrize("name", SETS)
def test_every_document_is_the_answer_to_some_query(name: str) -> None:
    answering = {entry["path"] for query in _queries(name) for entry in query["expected"]}
    assert {path for path in set(_documents(name)) - answering if not path.startswith("todo/")} == set()


def test_the_pages_of_the_workshop_that_answer_nothing_are_its_stubs() -> None:
    """A title and a placeholder; each shares a word with a query, so that it comes up unless it is held back."""
    words = {word for query in _queries("workshop") for word in re.findall(r"\w{3,}", query["query"].casefold())}
    stubs = {path: text for path, text in _documents("workshop").items() if path.startswith("todo/")}
    answering = {entry["path"] for query in _queries("workshop") for entry in query["expected"]}
    assert len(stubs) >= 12
    assert not answering & stubs.keys()
    for path, text in stubs.items():
        title, body = text.removeprefix("# ").strip().split("\n\n")
        assert len(body) < 30, path
        assert set(re.findall(r"\w{3,}", title.casefold())) & words, path


def test_headings_of_the_handbook_stand_in_the_file_named() -> None:
    documents = _documents("handbook")
    for query in _queries("handbook"):
        for entry in query["expected"]:
            if "heading" in entry:
                headings = re.findall(r"^#{1,6} (.+)$", documents[entry["path"]], re.MULTILINE)
                assert headings.count(entry["heading"]) == 1, query


@pytest.mark.parametrize(
    ("tag", "least"),
    [("en", 80), ("ja", 50), ("single", 100), ("multi", 12), ("graded", 10), ("unanswerable", 15), ("short", 10)],
)
def test_the_handbook_has_as_many_queries_of_each_kind_as_promised(tag: str, least: int) -> None:
    assert len(_tagged(tag)) >= least


def test_sizes_of_the_sets() -> None:
    assert len(_documents("handbook")) >= 60
    assert len(_queries("handbook")) >= 200
    assert len(_documents("code")) >= 25
    assert len(_queries("code")) >= 40


def test_tags_are_known_and_say_what_the_judgements_are() -> None:
    for query in _queries("handbook"):
        tags, grades = set(query["tags"]), {entry.get("relevance", 1) for entry in query["expected"]}
        assert tags <= HANDBOOK_TAGS, query
        assert len(tags & {"en", "ja"}) == 1, query
        kind = tags & {"single", "multi", "graded", "unanswerable"}
        if kind == {"single"}:
            assert len(query["expected"]) == 1, query
        elif kind == {"multi"}:
            assert len(query["expected"]) > 1, query
            assert len(grades) == 1, query
        elif kind == {"graded"}:
            assert len(grades) > 1, query
        else:
            assert kind == {"unanswerable"}, query


def test_queries_with_even_and_odd_ids_are_of_the_same_kinds() -> None:
    """A set is halved by id for held-out measuring, so both halves need every kind in like numbers."""
    halves = (Counter[str](), Counter[str]())
    for query in _queries("handbook"):
        halves[int(query["id"][1:]) % 2].update(query["tags"])
    for tag in HANDBOOK_TAGS:
        assert abs(halves[0][tag] - halves[1][tag]) <= max(2, 0.2 * (halves[0][tag] + halves[1][tag])), tag


def test_frontmatter_of_the_handbook_parses_and_its_links_lead_somewhere() -> None:
    documents = _documents("handbook")
    stems = {Path(path).stem for path in documents}
    assert len(stems) == len(documents)
    for path, text in documents.items():
        if text.startswith("---\n"):
            assert isinstance(yaml.safe_load(text.split("---\n")[1]), dict), path
        assert set(re.findall(r"\[\[([^]|#]+)", text)) <= stems, path


def test_paths_of_the_handbook_are_spelled_the_same_in_every_normal_form() -> None:
    """A file system that decomposes names must not turn a golden path into another one."""
    for path in _documents("handbook"):
        assert unicodedata.normalize("NFD", path) == path


@pytest.mark.parametrize(
    ("suffix", "grammar", "function", "least"),
    [
        (".py", "python", "language", 4),
        (".rs", "rust", "language", 4),
        (".ts", "typescript", "language_typescript", 2),
        (".tsx", "typescript", "language_tsx", 1),
        (".js", "javascript", "language", 2),
        (".go", "go", "language", 3),
        (".java", "java", "language", 3),
        (".c", "c", "language", 3),
        (".h", "c", "language", 1),
        (".cpp", "cpp", "language", 2),
        (".cs", "c_sharp", "language", 2),
        (".rb", "ruby", "language", 2),
        (".php", "php", "language_php", 2),
    ],
)
def test_the_code_base_is_valid_in_every_language(suffix: str, grammar: str, function: str, least: int) -> None:
    tree_sitter = pytest.importorskip("tree_sitter")
    module = pytest.importorskip(f"tree_sitter_{grammar}")
    parser = tree_sitter.Parser(tree_sitter.Language(getattr(module, function)()))
    sources = {path: text for path, text in _documents("code").items() if path.endswith(suffix)}
    assert len(sources) >= least
    for path, text in sources.items():
        assert not parser.parse(text.encode("utf-8")).root_node.has_error, path


@pytest.mark.parametrize("name", SETS)
def test_the_readme_gives_the_sizes_of_the_sets(name: str) -> None:
    readme = (GOLDEN / "README.md").read_text(encoding="utf-8")
    assert f"| `{name}/` | {len(_documents(name))} | {len(_queries(name))} |" in readme
