"""A pure function and many items in, its results in order out, worked out by several processes."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from itertools import chain, islice
from typing import TypeVar

from kb.errors import InputError

__all__ = ["MIN_ITEMS", "all_processors", "parallel_map"]

Item = TypeVar("Item")
Result = TypeVar("Result")

# A process takes half a second to start and to import what it needs, as long as this many pages.
MIN_ITEMS = 500
_BATCH = 64  # items that go to a process at a time
_AHEAD = 4  # batches a process that are under way: so many items are held, however many there are


def all_processors() -> int:
    """Return how many processes this one may keep busy."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def parallel_map(
    function: Callable[[Item], Result], items: Iterable[Item], processes: int = 1
) -> Iterator[Result]:
    """Yield `function` of each item, in order.

    With several `processes` and MIN_ITEMS items or more it is worked out by so many processes, that
    import the caller's main module: a script then needs its `if __name__ == "__main__":`. What
    `function` raises is raised here.
    """
    if processes < 1:
        raise InputError(f"processes is {processes}; expected 1 or more")
    if processes == 1:
        yield from map(function, items)
        return
    rest = iter(items)
    first = list(islice(rest, MIN_ITEMS))
    if len(first) < MIN_ITEMS:
        yield from map(function, first)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # Not by a fork: the caller may have threads, FAISS's among them.
    context = multiprocessing.get_context("spawn")
    waiting = chain(first, rest)
    del first
    under_way: deque[Future[list[Result]]] = deque()
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        try:
            while batch := list(islice(waiting, _BATCH)):
                under_way.append(pool.submit(_each, function, batch))
                if len(under_way) == _AHEAD * processes:
                    yield from under_way.popleft().result()
            while under_way:
                yield from under_way.popleft().result()
        finally:  # whoever asks for no more does not wait for what nobody reads
            for future in under_way:
                future.cancel()


def _each(function: Callable[[Item], Result], batch: Sequence[Item]) -> list[Result]:
    return [function(item) for item in batch]
