"""Calls that hold a processor in, their results out: a few at a time, the others in a queue.

Whose turn it is goes round the clients that wait (round robin, as in Nagle's fair queueing, 1987):
one that sends a hundred questions delays another's first one by one question, not by a hundred.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as WaitTimeoutError
from dataclasses import dataclass
from typing import Any, TypeVar

from kb.errors import KBError
from kb.strings import texts

__all__ = ["AskQueue", "QueueFullError", "TooSlowError"]

T = TypeVar("T")


class QueueFullError(KBError):
    """As many calls as may wait are waiting already."""


class TooSlowError(KBError):
    """The result was not there in time."""


@dataclass(frozen=True, slots=True)
class _Call:
    run: Callable[[], Any]
    future: Future[Any]


class AskQueue:
    """Runs calls in threads of its own, so that the event loop stays free.

    A call whose time is over keeps its thread until it ends, since no thread can be stopped: so
    what runs never is more than `at_a_time`, which `anyio.to_thread` would not promise.
    """

    def __init__(self, at_a_time: int, waiting: int, timeout_s: float) -> None:
        """Take how many run, how many wait behind them, and the time from waiting to result."""
        self._at_a_time = at_a_time
        self._most_waiting = waiting
        self._timeout_s = timeout_s
        self._running = 0
        self._idle = 0
        self._n_threads = 0
        self._waiting = 0
        # Each client's calls in order; the first client is the next to have a turn.
        self._turns: OrderedDict[str, deque[_Call]] = OrderedDict()
        self._changed = threading.Condition()
        self._closed = False

    @property
    def running(self) -> int:
        """How many calls run, or are about to on a thread that is free."""
        return min(self._running + self._waiting, self._at_a_time)

    @property
    def waiting(self) -> int:
        """How many calls wait for a thread."""
        return max(self._running + self._waiting - self._at_a_time, 0)

    async def run(self, call: Callable[[], T], client: str = "") -> T:
        """Return what `call` returns. Raises QueueFullError, TooSlowError, and what it raises."""
        future = self._enter(call, client)
        try:
            # A call that still waits when its time is over is cancelled and leaves the queue.
            return await asyncio.wait_for(asyncio.wrap_future(future), self._timeout_s)
        except asyncio.TimeoutError:
            self._forget_cancelled()
            raise self._too_slow() from None
        except asyncio.CancelledError:  # whoever asked has left
            future.cancel()
            self._forget_cancelled()
            raise

    def run_here(self, call: Callable[[], T], client: str = "") -> T:
        """Do the same from a thread, which waits."""
        future = self._enter(call, client)
        try:
            return future.result(self._timeout_s)
        except WaitTimeoutError:
            if not future.cancel() and future.done():  # the call itself has raised it
                raise
            self._forget_cancelled()
            raise self._too_slow() from None

    def close(self) -> None:
        """Let the threads end when nothing waits any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _enter(self, call: Callable[[], T], client: str) -> Future[T]:
        future: Future[T] = Future()
        with self._changed:
            self._closed = False  # an application may be started again after its stop
            if self._running + self._waiting >= self._at_a_time + self._most_waiting:
                self._make_room(client)
            self._turns.setdefault(client, deque()).append(_Call(call, future))
            self._waiting += 1
            if self._waiting > self._idle and self._n_threads < self._at_a_time:
                self._n_threads += 1
                name = f"kb-ask-{self._n_threads}"
                threading.Thread(target=self._work, name=name, daemon=True).start()
            self._changed.notify()
        return future

    def _forget_cancelled(self) -> None:
        with self._changed:
            for client, calls in list(self._turns.items()):
                kept = deque(call for call in calls if not call.future.cancelled())
                self._waiting -= len(calls) - len(kept)
                self._turns[client] = kept
                if not kept:
                    del self._turns[client]

    def _make_room(self, client: str) -> None:
        """Send away the newest call of whoever has most of them waiting, `client` included."""
        full = QueueFullError.of(texts("error.queue_full"))
        if not self._turns:
            raise full
        heaviest = max(self._turns, key=lambda name: len(self._turns[name]))
        if len(self._turns[heaviest]) <= len(self._turns.get(client, ())) + 1:
            raise full
        sent_away = self._turns[heaviest].pop().future
        self._waiting -= 1
        if sent_away.set_running_or_notify_cancel():
            sent_away.set_exception(full)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                self._changed.wait_for(lambda: self._turns or self._closed)
                self._idle -= 1
                if not self._turns:
                    self._n_threads -= 1
                    return
                client, calls = self._turns.popitem(last=False)
                call = calls.popleft()
                self._waiting -= 1
                if calls:
                    self._turns[client] = calls  # behind all others
                if not call.future.set_running_or_notify_cancel():
                    continue
                self._running += 1
            try:
                result = call.run()
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for it
                self._left()
                call.future.set_exception(error)
            else:
                self._left()
                call.future.set_result(result)
            del call  # not held while this thread is idle

    def _left(self) -> None:
        with self._changed:
            self._running -= 1

    def _too_slow(self) -> TooSlowError:
        return TooSlowError.of(texts("error.too_slow", seconds=f"{self._timeout_s:g}"))
