"""Doing damage to an index, and reading what doctor says of it."""

from __future__ import annotations

from pathlib import Path

import apsw
from grooveseek.app import KnowledgeBase
from grooveseek.doctor.findings import Finding, Report


def sql(path: Path, statement: str, *bindings: object) -> list[tuple[object, ...]]:
    """Run a statement on the index behind the product's back, foreign keys off."""
    connection = apsw.Connection(str(path))
    try:
        return connection.execute(statement, bindings).fetchall()
    finally:
        connection.close()


def checkpoint(kb: KnowledgeBase) -> None:
    """Bring everything into the one file."""
    kb.close()
    sql(kb.index_path, "PRAGMA wal_checkpoint(TRUNCATE)")


def only(report: Report, check: str) -> Finding:
    """The one finding, which must be of this check; every other check ran and was content."""
    assert [finding.check for finding in report.findings] == [check], report.findings
    assert report.not_run == ()
    return report.findings[0]


def assert_clean(report: Report) -> None:
    """Nothing to report, and every check was made."""
    assert report.findings == ()
    assert report.not_run == ()
