"""The rebuild_index tool: a run over the whole folder, with progress, that can be cancelled. Searches go on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from grooveseek.indexing.events import (
    CancelToken,
    Deleted,
    Event,
    Indexed,
    Renamed,
    Scanning,
    Started,
    Summary,
    Unchanged,
)
from grooveseek.serving.schemas import array, boolean, integer, number, record, text
from grooveseek.serving.served import Served
from grooveseek.serving.tools.spec import Json, Report, ToolSpec

_SHOWN_SKIPPED = 100

INPUT = record(
    {
        "force": boolean(
            "Read and cut every file again and switch over when all is done, instead of only what changed.",
            default=False,
        )
    },
    required=[],
)
OUTPUT = record(
    {
        "indexed": integer("New documents."),
        "updated": integer("Documents whose file had changed."),
        "unchanged": integer("Documents that were as they are."),
        "renamed": integer("Documents whose file has another name."),
        "deleted": integer("Documents whose file is gone."),
        "documents": integer("Documents in the index now."),
        "chunks": integer("Passages in the index now."),
        "embedded": integer("Passages whose vector was made."),
        "reused": integer("Passages whose vector was there already."),
        "seconds": number("How long it took."),
        "skipped_total": integer("Files that could not be indexed."),
        "skipped": array(
            f"The first {_SHOWN_SKIPPED} of them.",
            record({"path": text("The file."), "reason": text("Why it was skipped.")}, description="One file."),
        ),
        "warnings": array("What a person should look at.", text("One sentence.")),
    }
)


async def rebuild_index(served: Served, arguments: Mapping[str, Any], report: Report) -> Json:
    """Run, and wait for the end. Raises WriterBusy while another one runs, here or in another process."""
    cancel = CancelToken()
    listener = _Progress(report)
    before = served.keeper.activity
    result = served.keeper.rebuild(force=arguments.get("force", False), listener=listener, cancel=cancel)
    if before is not None:
        report(0, None, f"waiting for the run before it: {before.what}, {before.describe()}")
    try:
        summary = await asyncio.wrap_future(result)
    except asyncio.CancelledError:
        cancel.cancel()
        raise
    return summary_as_json(summary)


def summary_as_json(summary: Summary) -> Json:
    """What a run did, as the tool answers."""
    return {
        "indexed": summary.indexed,
        "updated": summary.updated,
        "unchanged": summary.unchanged,
        "renamed": summary.renamed,
        "deleted": summary.deleted,
        "documents": summary.documents,
        "chunks": summary.chunks,
        "embedded": summary.embedded,
        "reused": summary.reused,
        "seconds": round(summary.seconds, 3),
        "skipped_total": len(summary.skipped),
        "skipped": [{"path": each.path, "reason": each.reason} for each in summary.skipped[:_SHOWN_SKIPPED]],
        "warnings": list(summary.warnings),
    }


class _Progress:
    """A run's events as progress: files looked at come before documents done, so that the count only rises."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._scanned = 0
        self._done = 0
        self._total = 0

    def __call__(self, event: Event) -> None:
        match event:
            case Scanning():
                self._scanned = event.done
                self._report(event.done, None, f"looked at {event.done} of {event.total} files")
            case Started():
                self._total = event.total
            case Indexed() | Renamed() | Unchanged() | Deleted():
                if isinstance(event, Indexed | Renamed):
                    message = f"{event.path} ({self._done + 1} of {self._total})"
                else:
                    message = f"{self._done + 1} of {self._total} documents"
                self._done += 1
                if self._done <= self._total:
                    self._report(self._scanned + self._done, self._scanned + self._total, message)


TOOL = ToolSpec(
    name="rebuild_index",
    title="Bring the index up to date",
    description="Bring the index in step with the folder now, or with force build it anew. Only needed when the server "
    "does not follow changes by itself. One at a time; it can be cancelled, and searches work meanwhile.",
    input_schema=INPUT,
    output_schema=OUTPUT,
    run=rebuild_index,
    read_only=False,
)
