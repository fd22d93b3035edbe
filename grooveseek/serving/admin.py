"""What the status route says of the running server. No path of this machine is in it."""

from __future__ import annotations

import datetime as dt
import os
from typing import Any

from grooveseek._version import __version__
from grooveseek.errors import GrooveError
from grooveseek.serving.served import Served


def status_as_json(served: Served) -> dict[str, Any]:
    """The server, the index and the watcher as they stand now. Blocks while it counts."""
    activity = served.keeper.activity
    uptime = dt.datetime.now(dt.UTC) - served.started
    documents, chunks, model = _counts(served)
    return {
        "daemon": {
            "version": __version__,
            "pid": os.getpid(),
            "uptime_secs": int(uptime.total_seconds()),
            "started_at": _written(served.started),
        },
        "indexing": {
            "active": activity is not None,
            "started_at": None if activity is None else _written(activity.started),
            "progress": None if activity is None else {"done": activity.done, "total": activity.total},
        },
        "watcher": {"active": served.keeper.watching, "debounce_ms": served.kb.settings.watch.debounce_ms},
        "kb": {"documents": documents, "chunks": chunks, "model": model},
        "config_source": served.config_source,
    }


def _counts(served: Served) -> tuple[int, int, str | None]:
    """Documents, chunks and the model they were embedded with; nothing before there is an index."""
    try:
        meta = served.kb.store().meta
        return (*meta.counts(), (meta.model_identity or {}).get("name"))
    except GrooveError:
        return 0, 0, None


def _written(moment: dt.datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
