"""The documents on offer, by path and by group. A group is named by the first folder of its documents' paths, or the
first two.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass

from grooveseek.errors import NoIndex
from grooveseek.serving.backend import Backend
from grooveseek.serving.documents import DocumentReader
from grooveseek.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What is on offer in one state of the index: ``paths`` in order, ``groups`` with their number of documents."""

    paths: tuple[str, ...]
    groups: dict[str, int]

    def __contains__(self, path: str) -> bool:
        at = bisect_left(self.paths, path)
        return at < len(self.paths) and self.paths[at] == path

    def below(self, prefix: str) -> tuple[str, ...]:
        """Documents below a folder; all for the empty prefix."""
        if not prefix:
            return self.paths
        start = bisect_left(self.paths, f"{prefix}/")
        return self.paths[start : bisect_left(self.paths, f"{prefix}0")]  # "0" follows "/"

    def starting_with(self, text: str) -> tuple[str, ...]:
        """Documents whose path begins with ``text``."""
        start = bisect_left(self.paths, text)
        end = start
        while end < len(self.paths) and self.paths[end].startswith(text):
            end += 1
        return self.paths[start:end]


class Catalog:
    """Listings, kept for as long as the index stays as it is. For any thread."""

    def __init__(self, kb: Backend, reader: DocumentReader) -> None:
        self._kb = kb
        self._reader = reader
        self._local = threading.local()

    def listing(self) -> Listing:
        """What is on offer now; nothing before there is an index."""
        try:
            store = self._kb.store()
        except NoIndex:
            return Listing(paths=(), groups={})
        stamp = (id(store), store.database.version_stamp())
        if getattr(self._local, "stamp", None) != stamp:
            self._local.listing = self._list(store)
            self._local.stamp = stamp
        listing: Listing = self._local.listing
        return listing

    def offered(self, paths: frozenset[str]) -> frozenset[str]:
        """Those of ``paths`` that are indexed and can be read."""
        states = self._kb.store().documents.states_at(paths)
        return frozenset(
            path for path in paths if path in states and self._reader.is_servable(path, states[path].size_bytes)
        )

    def topics(self) -> list[tuple[str | None, str | None, int]]:
        """(category, topic, documents), of all that is indexed. Raises NoIndex."""
        return self._kb.store().documents.topics()

    def titles(self, paths: tuple[str, ...]) -> list[str]:
        """The titles of documents, in the order asked for; the path where a document is gone."""
        documents = self._kb.store().documents
        found = (documents.get(path) for path in paths)
        return [path if record is None else record.title for path, record in zip(paths, found, strict=True)]

    def _list(self, store: Store) -> Listing:
        states = store.documents.states()
        paths = tuple(path for path, state in states.items() if self._reader.is_servable(path, state.size_bytes))
        groups: Counter[str] = Counter()
        for path in paths:
            folders = path.split("/")[:-1]
            for depth in range(1, min(len(folders), 2) + 1):
                groups["/".join(folders[:depth])] += 1
        return Listing(paths=paths, groups=dict(sorted(groups.items())))
