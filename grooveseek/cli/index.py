"""``groove index``: bring the index in step with the folder."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from grooveseek.cli.options import Invocation, common_options
from grooveseek.cli.output import say
from grooveseek.errors import UsageError

if TYPE_CHECKING:
    from types import FrameType

    from grooveseek.indexing.events import CancelToken, Summary

_INTERRUPTED = 130


@click.command()
@common_options
@click.option("--force", is_flag=True, help="Read every file again and switch over when all is done.")
@click.option("--reembed", is_flag=True, help="As --force, and make every vector anew.")
@click.option("--model", metavar="NAME", help="The embedding model: a name from the catalogue, or a model directory.")
@click.option("--quiet", is_flag=True, help="Only the start, what was found, and the end.")
@click.option("--progress", is_flag=True, help="A progress bar on a terminal, a line now and then elsewhere.")
@click.option("--wait", is_flag=True, help="Wait for another run to end instead of refusing.")
def command(invocation: Invocation, model: str | None, quiet: bool, progress: bool, **flags: Any) -> int:
    """Bring the index in step with the folder.

    Only what changed is read, and only what changed in it is embedded. Ctrl-C stops cleanly: what is done stays done.
    """
    if quiet and progress:
        raise UsageError("--quiet and --progress exclude each other. Give one of them")
    from grooveseek.app import KnowledgeBase
    from grooveseek.cli.progress import make_reporter
    from grooveseek.indexing.events import CancelToken

    resolved = invocation.resolve({"model": model})
    cancel = CancelToken()
    with KnowledgeBase(resolved.settings) as kb:
        say(f"Indexing {kb.root} with {kb.embedder.identity.name}")
        with (
            make_reporter(sys.stderr, quiet=quiet, bar=progress, color=invocation.color_stderr) as reporter,
            stop_on_interrupt(cancel),
        ):
            summary = kb.index(listener=reporter, cancel=cancel, **flags)
        for line in render_summary(summary):
            say(line)
        if summary.cancelled:
            if flags["force"] or flags["reembed"]:
                say("Searches go on in the old index. The next --force takes over what was embedded")
            return _INTERRUPTED
        for line in _unreadable(kb.status().statistics.readable_share, kb.embedder.identity.name):
            say(line)
    return 0


@contextlib.contextmanager
def stop_on_interrupt(cancel: CancelToken) -> Iterator[None]:
    """The first Ctrl-C (or SIGTERM) asks the run to stop; a second one interrupts it."""

    def ask(number: int, _: FrameType | None) -> None:
        if cancel.cancelled:
            raise KeyboardInterrupt
        cancel.cancel()
        # Not through the stream: what this interrupted may be a write to it.
        with contextlib.suppress(OSError):
            os.write(2, b"Stopping after what is being embedded now; press Ctrl-C again to stop at once\n")

    previous = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def render_summary(summary: Summary) -> list[str]:
    """The end of a run in a few lines."""
    from grooveseek.cli.progress import counted

    counts = {
        "new": summary.indexed,
        "updated": summary.updated,
        "unchanged": summary.unchanged,
        "renamed": summary.renamed,
        "deleted": summary.deleted,
        "skipped": len(summary.skipped),
    }
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing to do"
    lines = [f"warning: {warning}" for warning in summary.warnings]
    lines.append(f"{'Stopped' if summary.cancelled else 'Done'} in {summary.seconds:.1f} s: {told}")
    lines.append(
        f"The index holds {counted(summary.documents, 'document')} in {counted(summary.chunks, 'chunk')}; "
        f"{summary.embedded} embedded, {summary.reused} reused"
    )
    if summary.skipped:
        lines.append("Skipped:")
        lines += [f"  {skip.path}: {skip.reason}{' (kept as it was)' if skip.kept else ''}" for skip in summary.skipped]
    return lines


def _unreadable(readable_share: float, model: str) -> list[str]:
    if readable_share >= 0.5:
        return []
    from grooveseek.embedding.multilingual import EXTRA, NAME

    return [
        f"note: {1 - readable_share:.0%} of the text is in scripts that the model {model} does not read, so search by "
        f'meaning will not find it. {NAME} reads them: pip install "grooveseek[{EXTRA}]", then `groove index --force '
        f'--model {NAME}`, and model = "{NAME}" in groove.toml for searches (others: docs/models.md)'
    ]
