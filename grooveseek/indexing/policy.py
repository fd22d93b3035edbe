"""Which chunking policy an index's source files were cut under.

A file whose bytes have not changed is not parsed again, so an index can hold chunks of an older policy for as long as
it lives. It says so of itself: the current policy is recorded while it holds no source file, a forced rebuild starts
from there, and an index that has source files of another policy records that it is a mixture.
"""

from __future__ import annotations

from grooveseek.parsing.code import CHUNKING_POLICY
from grooveseek.store.records import DocumentRecord
from grooveseek.store.store import Store

LEGACY = "legacy"
_KEY = "chunking_policy"


def record_chunking_policy(store: Store, document: DocumentRecord, *, all_anew: bool) -> None:
    """Called in the transaction that writes ``document``. ``all_anew``: this run parses every file."""
    if not document.is_source or store.meta.get(_KEY) == CHUNKING_POLICY:
        return
    mixed = not all_anew and store.documents.has_source_besides(document.path)
    store.meta.set(_KEY, LEGACY if mixed else CHUNKING_POLICY)


def take_policy_over(store: Store, document: DocumentRecord, source: Store) -> None:
    """Called when ``document`` was taken over from another index as it was cut there."""
    if document.is_source and not is_current(source):
        store.meta.set(_KEY, LEGACY)


def forget_policy_without_source(store: Store) -> None:
    """Called after deletions: an index without a source file has none."""
    if store.meta.get(_KEY) is not None and not store.documents.has_source_besides(""):
        store.meta.remove(_KEY)


def recorded_policy(store: Store) -> str | None:
    """The policy on record; ``None`` when the index holds no source file."""
    value: str | None = store.meta.get(_KEY)
    return value


def is_current(store: Store) -> bool:
    """Whether every source file in the index was cut under the current policy."""
    return recorded_policy(store) in (None, CHUNKING_POLICY)
