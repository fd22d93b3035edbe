"""What a running server is made of, as its tools, resources and status page see it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field

from grooveseek.errors import NoIndex
from grooveseek.serving.backend import Backend
from grooveseek.serving.catalog import Catalog
from grooveseek.serving.documents import DocumentReader
from grooveseek.serving.keeper import IndexKeeper
from grooveseek.serving.searchers import Searchers
from grooveseek.serving.workers import Workers


@dataclass(slots=True, kw_only=True)
class Served:
    """One knowledge base being served. ``config_source`` says how its groove.toml was come by, without a path;
    ``searchers`` are the processes that help with searches, where there may be some.
    """

    kb: Backend
    keeper: IndexKeeper
    workers: Workers
    reader: DocumentReader
    catalog: Catalog
    config_source: str
    searchers: Searchers | None = None
    started: dt.datetime = field(default_factory=lambda: dt.datetime.now(dt.UTC))

    def is_unfinished(self) -> bool:
        """Whether the index never saw a whole run, so that what is missing may still come. Raises NoIndex."""
        return self.kb.store().meta.last_run is None

    def not_built_yet(self) -> NoIndex:
        """What to say to a question before the first index exists."""
        activity = self.keeper.activity
        how_far = f" ({activity.describe()})" if activity is not None else ""
        return NoIndex(f"the index is being built in the background{how_far}; ask again in a moment")


def open_served(kb: Backend, *, watch: bool, config_source: str) -> Served:
    """Put a server's parts together. Nothing runs before ``keeper.start()``."""
    reader = DocumentReader(kb.root, kb.settings, kb.registry)
    return Served(
        kb=kb,
        keeper=IndexKeeper(kb, watch=watch),
        workers=Workers(),
        reader=reader,
        catalog=Catalog(kb, reader),
        config_source=config_source,
    )
