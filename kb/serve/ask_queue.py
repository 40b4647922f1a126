"""Calls that hold a processor in, their results out: a few at a time, the others in a queue."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from kb.errors import KBError

__all__ = ["AskQueue", "QueueFullError", "TooSlowError"]

T = TypeVar("T")


class QueueFullError(KBError):
    """As many calls as may wait are waiting already."""


class TooSlowError(KBError):
    """The result was not there in time."""


class AskQueue:
    """Runs calls in threads, so that the event loop stays free; first come, first served.

    A call whose time is over keeps its thread until it ends, since no thread can be stopped: so
    what runs never is more than `at_a_time`, which `anyio.to_thread` would not promise.
    """

    def __init__(self, at_a_time: int, waiting: int, timeout_s: float) -> None:
        """Take how many run, how many wait behind them, and the time from waiting to result."""
        self._threads = ThreadPoolExecutor(at_a_time, thread_name_prefix="kb-ask")
        self._at_a_time = at_a_time
        self._most = at_a_time + waiting
        self._timeout_s = timeout_s
        self._inside = 0
        self._lock = threading.Lock()

    @property
    def running(self) -> int:
        """How many calls run."""
        return min(self._inside, self._at_a_time)

    @property
    def waiting(self) -> int:
        """How many calls wait for a thread."""
        return max(self._inside - self._at_a_time, 0)

    async def run(self, call: Callable[[], T]) -> T:
        """Return what `call` returns. Raises QueueFullError, TooSlowError, and what it raises."""
        with self._lock:
            if self._inside >= self._most:
                raise QueueFullError("too many questions at the moment; ask again in a few seconds")
            self._inside += 1
        future = self._threads.submit(call)
        future.add_done_callback(self._leave)
        try:
            # A call that still waits when its time is over is cancelled and leaves the queue.
            return await asyncio.wait_for(asyncio.wrap_future(future), self._timeout_s)
        except asyncio.TimeoutError:
            raise TooSlowError(
                f"there was no answer within {self._timeout_s:g} s; ask again, or paste the part"
                " from the first traceback on"
            ) from None

    def _leave(self, _: Future[T]) -> None:
        with self._lock:
            self._inside -= 1
