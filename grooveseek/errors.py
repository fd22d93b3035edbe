"""Every error groove raises on purpose, in one tree.

::

    GrooveError                    exit 2
    ├── UsageError                 exit 2   an argument that cannot be used
    ├── ConfigError                exit 2   groove.toml: file, key, line
    ├── KnowledgeBaseError         exit 2   the folder itself: missing, not a folder
    ├── FileSkipped                exit 2   one file only; never ends a run
    │   ├── Refused                         the safe reader would not read it
    │   ├── Unreadable                      the operating system would not
    │   └── Unparsable                      a parser gave up, with its reason
    ├── EmbeddingError             exit 2   a model that failed
    │   ├── ModelUnavailable                not on this machine and not to be had
    │   └── BadVector                       not finite, or of zero length
    ├── StoreError                 exit 2   the index file
    │   ├── CorruptIndex                    not a database, or damaged
    │   ├── NewerSchema                     written by a later groove
    │   ├── ModelMismatch                   built with another model
    │   └── DiskFull                        no room for the write
    ├── NoIndex                    exit 1   nothing has been indexed yet
    ├── WriterBusy                 exit 1   another process is indexing
    ├── QueryError                 exit 2   a filter or a parameter out of range
    ├── GoldenError                exit 2   a golden set, qrels or run file
    ├── HistoryError               exit 2   an evaluation history or baseline
    ├── SchemaError                exit 2   groove-schema.toml
    ├── ServiceError               exit 2   the system's service manager
    └── MissingExtra               exit 2   an optional dependency, with its pip command

A message names the thing, the value and the way out, in one or two plain sentences. ``slug`` is the stable name an
error has in docs/messages.md.
"""

from __future__ import annotations

from typing import ClassVar


class GrooveError(Exception):
    """Root of the tree. ``str(error)`` is what a person reads."""

    slug: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 2


class UsageError(GrooveError):
    slug = "usage"


class ConfigError(GrooveError):
    slug = "config"


class KnowledgeBaseError(GrooveError):
    slug = "knowledge-base"


class FileSkipped(GrooveError):
    """One file could not be indexed. Its previous rows stay in the index."""

    slug = "file-skipped"


class Refused(FileSkipped):
    slug = "file-refused"


class Unreadable(FileSkipped):
    slug = "file-unreadable"


class Unparsable(FileSkipped):
    slug = "file-unparsable"


class EmbeddingError(GrooveError):
    slug = "embedding"


class ModelUnavailable(EmbeddingError):
    slug = "model-unavailable"


class BadVector(EmbeddingError):
    slug = "bad-vector"


class StoreError(GrooveError):
    slug = "store"


class CorruptIndex(StoreError):
    slug = "corrupt-index"


class NewerSchema(StoreError):
    slug = "newer-schema"


class ModelMismatch(StoreError):
    slug = "model-mismatch"


class DiskFull(StoreError):
    slug = "disk-full"


class NoIndex(GrooveError):
    slug = "no-index"
    exit_code = 1


class WriterBusy(GrooveError):
    slug = "writer-busy"
    exit_code = 1


class QueryError(GrooveError):
    slug = "query"


class GoldenError(GrooveError):
    slug = "golden"


class HistoryError(GrooveError):
    slug = "history"


class SchemaError(GrooveError):
    slug = "schema"


class ServiceError(GrooveError):
    slug = "service"


class MissingExtra(GrooveError):
    slug = "missing-extra"

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f'{what} needs the optional part "{extra}": pip install "grooveseek[{extra}]"')
