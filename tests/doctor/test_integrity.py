"""Damage done to a real index, found as such and by no other check, and gone after the remedy."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.errors import StoreError
from grooveseek.store.documents import pack
from grooveseek.store.store import Store
from tests.support.damage import assert_clean, checkpoint, only, sql
from tests.support.ready import make_ready_for_any_size

DIMENSION = 64
CURES: dict[str, Callable[[KnowledgeBase], object]] = {
    "groove index": lambda kb: kb.index(),
    "groove index --force": lambda kb: kb.index(force=True),
    "groove index --reembed": lambda kb: kb.index(reembed=True),
}


def cure(kb: KnowledgeBase, remedy: str) -> None:
    """Run the command a finding names."""
    CURES[remedy](kb)


def first_chunk(kb: KnowledgeBase, heading: str) -> int:
    (chunk_id,) = sql(kb.index_path, "SELECT id FROM chunks WHERE heading = ?", heading)[0]
    return int(chunk_id)


def set_vector(kb: KnowledgeBase, heading: str, blob: bytes) -> None:
    sql(kb.index_path, "UPDATE chunk_vectors SET vector = ? WHERE chunk_id = ?", blob, first_chunk(kb, heading))


@pytest.mark.parametrize("deep", [False, True])
def test_a_healthy_index_has_nothing_to_report_and_stays_as_it_is(kb: KnowledgeBase, deep: bool):
    checkpoint(kb)
    before = hashlib.sha256(kb.index_path.read_bytes()).digest(), kb.index_path.stat().st_mtime_ns
    names = {path.name for path in kb.index_path.parent.iterdir()}
    report = kb.examine(deep=deep)
    assert_clean(report)
    assert (report.documents, report.chunks) == (4, 6)
    kb.close()
    assert (hashlib.sha256(kb.index_path.read_bytes()).digest(), kb.index_path.stat().st_mtime_ns) == before
    assert {path.name for path in kb.index_path.parent.iterdir()} - names <= {".groove.db-wal", ".groove.db-shm"}


def test_an_index_without_documents_is_healthy(open_kb):
    kb = open_kb(files={})
    kb.index()
    report = kb.examine()
    assert_clean(report)
    assert (report.documents, report.chunks) == (0, 0)


def test_a_deleted_vector_row(kb: KnowledgeBase):
    sql(kb.index_path, "DELETE FROM chunk_vectors WHERE chunk_id = ?", first_chunk(kb, "Paint"))
    finding = only(kb.examine(), "chunks-without-vectors")
    assert (finding.severity, finding.count, finding.remedy) == ("error", 1, "groove index --force")
    assert finding.summary == "1 chunk without all of the vectors made for them"
    (example,) = finding.examples
    assert example.startswith("boats/hull.md:")
    cure(kb, finding.remedy)
    assert_clean(kb.examine())


def test_a_vector_too_many(kb: KnowledgeBase):
    sql(
        kb.index_path,
        "INSERT INTO chunk_vectors (chunk_id, window, vector) SELECT chunk_id, 7, vector FROM chunk_vectors LIMIT 1",
    )
    finding = only(kb.examine(), "chunks-without-vectors")
    cure(kb, finding.remedy)
    assert_clean(kb.examine())


@pytest.mark.parametrize("table", ["fts_trigram", "fts_words"])
def test_a_chunk_that_a_full_text_table_lacks(kb: KnowledgeBase, table: str):
    sql(kb.index_path, f"DELETE FROM {table} WHERE rowid = ?", first_chunk(kb, "Mast"))
    finding = only(kb.examine(), "chunks-without-fulltext")
    assert finding.summary == f"1 chunk missing from {table}"
    assert finding.examples == ("boats/mast.md:3-3",)
    cure(kb, finding.remedy)
    assert_clean(kb.examine())


@pytest.mark.parametrize("table", ["fts_trigram", "fts_words"])
def test_a_full_text_row_left_behind(kb: KnowledgeBase, table: str):
    sql(kb.index_path, f"INSERT INTO {table} (rowid, heading, context, content) VALUES (4711, '', '', 'ghost text')")
    finding = only(kb.examine(), "orphan-fulltext")
    assert (finding.count, finding.examples) == (1, (f"{table} row 4711",))
    cure(kb, finding.remedy)
    assert_clean(kb.examine())


@pytest.mark.parametrize(
    ("check", "statement"),
    [
        (
            "orphan-vectors",
            "INSERT INTO chunk_vectors (chunk_id, window, vector) SELECT 4711, 0, vector FROM chunk_vectors LIMIT 1",
        ),
        ("orphan-fields", "INSERT INTO document_fields (document_id, name, value) VALUES (4711, 'status', 'done')"),
    ],
)
def test_rows_left_behind_in_ordinary_tables(kb: KnowledgeBase, check: str, statement: str):
    sql(kb.index_path, statement)
    finding = only(kb.examine(), check)
    assert finding.count == 1
    cure(kb, finding.remedy)
    assert_clean(kb.examine())


def test_a_document_row_that_is_gone_leaves_orphans_of_every_kind(kb: KnowledgeBase):
    sql(kb.index_path, "DELETE FROM documents WHERE path = 'boats/hull.md'")
    report = kb.examine()
    assert {finding.check for finding in report.findings} == {"orphan-chunks", "orphan-fields", "files-added"}
    kb.index(force=True)
    assert_clean(kb.examine())


@pytest.mark.parametrize(
    ("statement", "example"),
    [
        ("UPDATE ready SET data = zeroblob(length(data)) WHERE kind = 'lengths'", "the lengths of the chunks"),
        ("UPDATE ready SET data = zeroblob(length(data)) WHERE kind = 'codes'", "the signs of the vectors"),
        (
            "UPDATE ready SET ids = zeroblob(length(ids)) WHERE kind = 'words' AND key = 'hull'",
            "the list of the word 'hull'",
        ),
    ],
)
def test_what_searches_have_ready_is_not_what_the_tables_say(kb: KnowledgeBase, statement: str, example: str):
    with Store.open_for_writing(kb.index_path) as store:
        make_ready_for_any_size(store)
    assert_clean(kb.examine())
    sql(kb.index_path, statement)
    finding = only(kb.examine(), "ready")
    assert (finding.severity, finding.count, finding.examples) == ("error", 1, (example,))
    cure(kb, finding.remedy)
    assert_clean(kb.examine())


def test_what_is_ready_is_of_its_time(kb: KnowledgeBase):
    """What came and went since is no damage: readers see to it."""
    with Store.open_for_writing(kb.index_path) as store:
        make_ready_for_any_size(store)
    (kb.root / "boats" / "hull.md").write_text("# Hull\n\nNow the hull is tarred, and tarred again.\n")
    (kb.root / "boats" / "mast.md").unlink()
    kb.index()
    assert_clean(kb.examine())
    assert next(hit.path for hit in kb.search("tarred").hits) == "boats/hull.md"


def test_a_vector_of_the_wrong_dimension(kb: KnowledgeBase):
    set_vector(kb, "Mast", pack(np.ones(32, dtype=np.float32) / np.sqrt(32)))
    finding = only(kb.examine(), "vector-dimension")
    assert finding.examples == ("boats/mast.md:3-3",)
    assert finding.remedy == "groove index --reembed"
    cure(kb, finding.remedy)
    assert_clean(kb.examine())


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_vector_with_a_component_that_is_no_number(kb: KnowledgeBase, value: float):
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[3] = value
    set_vector(kb, "Mast", pack(vector))
    finding = only(kb.examine(), "vector-not-finite")
    assert finding.examples == ("boats/mast.md:3-3",)
    cure(kb, finding.remedy)
    assert_clean(kb.examine())


@pytest.mark.parametrize("length", [0.0, 0.98, 1.02, 100.0])
def test_a_vector_that_is_no_unit_vector(kb: KnowledgeBase, length: float):
    set_vector(kb, "Mast", pack(np.full(DIMENSION, length / np.sqrt(DIMENSION), dtype=np.float32)))
    finding = only(kb.examine(), "vector-not-unit")
    assert finding.count == 1
    cure(kb, finding.remedy)
    assert_clean(kb.examine())


def test_the_rounding_of_stored_vectors_is_no_damage(kb: KnowledgeBase):
    set_vector(kb, "Mast", pack(np.full(DIMENSION, 1.003 / np.sqrt(DIMENSION), dtype=np.float32)))
    assert_clean(kb.examine())


@pytest.mark.parametrize("stored", ["[[0,0,5,9999]]", "[[0,0,9,5]]", "[[0,0,0]]", "nonsense", '{"a":1}'])
def test_table_rows_that_do_not_fit_the_text(kb: KnowledgeBase, stored: str):
    sql(kb.index_path, "UPDATE chunks SET table_rows = ? WHERE id = ?", stored, first_chunk(kb, "Mast"))
    finding = only(kb.examine(), "table-rows")
    assert finding.examples == ("boats/mast.md:3-3",)
    cure(kb, finding.remedy)
    assert_clean(kb.examine())


def test_table_rows_that_fit_are_none_of_its_business(kb: KnowledgeBase):
    sql(kb.index_path, "UPDATE chunks SET table_rows = '[[0,0,0,4]]' WHERE id = ?", first_chunk(kb, "Mast"))
    assert_clean(kb.examine())


@pytest.mark.parametrize("column", ["content", "heading"])
def test_a_chunk_whose_text_was_changed_behind_its_vector(kb: KnowledgeBase, column: str):
    sql(kb.index_path, f"UPDATE chunks SET {column} = 'Other text' WHERE id = ?", first_chunk(kb, "Mast"))
    kb_contextual = kb.status().contextual
    report = kb.examine()
    if column == "heading" and kb_contextual:  # the breadcrumb is embedded then, and not the heading
        assert_clean(report)
        return
    finding = only(report, "chunk-text")
    assert finding.examples == ("boats/mast.md:3-3",)
    cure(kb, finding.remedy)
    assert_clean(kb.examine())


def test_text_that_is_no_text_any_more(kb: KnowledgeBase):
    sql(kb.index_path, "UPDATE chunks SET content = CAST(x'ff6162' AS TEXT) WHERE id = ?", first_chunk(kb, "Mast"))
    assert only(kb.examine(), "chunk-text").examples == ("boats/mast.md:3-3",)


# -- the file itself -----------------------------------------------------------------------------------------------


def flip(kb: KnowledgeBase, offset: int, mask: int = 0xFF) -> None:
    data = bytearray(kb.index_path.read_bytes())
    data[offset] ^= mask
    kb.index_path.write_bytes(data)


def start_anew(kb: KnowledgeBase) -> None:
    """The remedy for a damaged file, done by hand."""
    kb.close()
    kb.index_path.rename(kb.index_path.with_name("moved-away"))
    for suffix in ("-wal", "-shm"):
        kb.index_path.with_name(kb.index_path.name + suffix).unlink(missing_ok=True)
    kb.index()


def test_a_flipped_byte_in_a_page(kb: KnowledgeBase):
    checkpoint(kb)
    (size,) = sql(kb.index_path, "PRAGMA page_size")[0]
    (root,) = sql(kb.index_path, "SELECT rootpage FROM sqlite_schema WHERE name = 'chunks_by_input'")[0]
    flip(kb, (int(root) - 1) * int(size) + 4, 0x01)  # the low byte of the page's number of cells
    finding = only(kb.examine(), "structure")
    assert finding.severity == "error"
    assert finding.count >= 1
    assert finding.remedy == "Move the index file away, then run `groove index`"
    start_anew(kb)
    assert_clean(kb.examine())


def test_a_flipped_byte_that_stops_the_other_checks_is_still_one_finding(kb: KnowledgeBase):
    checkpoint(kb)
    (size,) = sql(kb.index_path, "PRAGMA page_size")[0]
    (root,) = sql(kb.index_path, "SELECT rootpage FROM sqlite_schema WHERE name = 'chunks'")[0]
    flip(kb, (int(root) - 1) * int(size))  # the page's type
    report = kb.examine()
    assert [finding.check for finding in report.findings] == ["structure"]
    assert "chunks-without-vectors" in {each.check for each in report.not_run}
    assert all("damaged" in each.reason for each in report.not_run if each.check == "chunks-without-vectors")
    start_anew(kb)
    assert_clean(kb.examine())


@pytest.mark.parametrize("table", ["fts_trigram", "fts_words"])
def test_a_flipped_byte_in_a_full_text_structure(kb: KnowledgeBase, table: str):
    (blob,) = sql(kb.index_path, f"SELECT block FROM {table}_data WHERE id > 10 ORDER BY id LIMIT 1")[0]
    assert isinstance(blob, bytes)
    damaged = bytearray(blob)
    damaged[2] ^= 0xFF  # where the leaf's index of terms begins
    damaged[3] ^= 0xFF
    sql(
        kb.index_path,
        f"UPDATE {table}_data SET block = ? WHERE id = (SELECT min(id) FROM {table}_data WHERE id > 10)",
        bytes(damaged),
    )
    finding = only(kb.examine(), "structure")
    assert table in finding.examples[0]
    start_anew(kb)
    assert_clean(kb.examine())


def test_a_file_that_is_no_database(kb: KnowledgeBase):
    checkpoint(kb)
    flip(kb, 0)
    report = kb.examine()
    (finding,) = report.findings
    assert (finding.check, finding.severity) == ("structure", "error")
    assert (report.documents, report.chunks) == (None, None)
    assert len(report.not_run) > 20
    start_anew(kb)
    assert_clean(kb.examine())


def test_an_index_that_may_not_be_opened_is_an_error_and_no_finding(kb: KnowledgeBase):
    kb.close()
    kb.index_path.rename(kb.index_path.with_name("elsewhere"))
    kb.index_path.mkdir()
    with pytest.raises(StoreError, match="not a regular file"):
        kb.examine()


def test_a_check_that_fails_is_its_own_result_and_the_others_go_on(kb: KnowledgeBase):
    sql(kb.index_path, "UPDATE documents SET notices = 'no json'")
    report = kb.examine()
    assert report.findings == ()
    assert [each.check for each in report.not_run] == ["document-notices"]
    assert "JSONDecodeError" in report.not_run[0].reason
