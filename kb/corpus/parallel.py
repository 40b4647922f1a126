"""A pure function and many items in, its results in order out, worked out by several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from kb.errors import InputError

__all__ = ["MIN_ITEMS", "all_processors", "parallel_map"]

Item = TypeVar("Item")
Result = TypeVar("Result")

# A process takes half a second to start and to import what it needs, as long as this many pages.
MIN_ITEMS = 500
_BATCH = 64  # items that go to a process at a time


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
    listed: Sequence[Item] = items if isinstance(items, Sequence) else list(items)
    if len(listed) < MIN_ITEMS:
        yield from map(function, listed)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # Not by a fork: the caller may have threads, FAISS's among them.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        yield from pool.map(function, listed, chunksize=_BATCH)
