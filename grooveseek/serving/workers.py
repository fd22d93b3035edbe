"""A fixed set of threads for what blocks, so that the event loop never waits on SQLite or a model."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_FEWEST, _MOST = 4, 8


class Workers:
    """Long-lived threads: each keeps its connection to the index, and what that has in memory, between calls."""

    def __init__(self) -> None:
        count = min(_MOST, max(_FEWEST, os.cpu_count() or 1))
        self._executor = ThreadPoolExecutor(max_workers=count, thread_name_prefix="groove-call")

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``work`` in one of the threads.

        A call that is cancelled while it waits for a thread is never begun. One that has begun runs to its end
        unheard: the threads are few, so such calls cannot pile up.
        """
        return await asyncio.wrap_future(self._executor.submit(work, *args, **kwargs))

    def close(self) -> None:
        """Begin nothing more. Does not wait."""
        self._executor.shutdown(wait=False, cancel_futures=True)
