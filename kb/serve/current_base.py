"""The knowledge base that answers now: a newer index is loaded beside it, then takes its place.

Whoever answers a request takes `base` once and keeps it to the end, so that a request begun on the
old index ends on it. `Watch` looks for a newer index; what cannot be loaded changes nothing.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kb.errors import KBError
from kb.knowledge_base import KnowledgeBase

__all__ = ["CurrentBase", "LoadState", "Watch", "folder_mark"]

_log = logging.getLogger("uvicorn.error")
# What could not be loaded is tried again: the rest of a copied index may come after its manifest.
_RETRY_S = 30.0


@dataclass(frozen=True, slots=True)
class LoadState:
    """How the loading has gone so far."""

    loaded_at: float  # of the base that answers, seconds since 1970
    reloads: int = 0  # that took the place of another
    failures: int = 0
    is_failing: bool = False  # the newest index could not be loaded; the one before it answers


class CurrentBase:
    """Holds the knowledge base that answers; safe from several threads."""

    def __init__(
        self, base: KnowledgeBase, load: Callable[[], KnowledgeBase] | None = None
    ) -> None:
        """Take what answers first and, where it can be replaced, what loads its successor."""
        self.base = base  # replaced whole: one assignment, so that no reader sees a half
        self.state = LoadState(time.time())
        self._load = load
        self._lock = threading.Lock()

    @classmethod
    def of(cls, base: KnowledgeBase | CurrentBase) -> CurrentBase:
        """Return `base` itself or, for a knowledge base alone, one that is not replaced."""
        return base if isinstance(base, CurrentBase) else cls(base)

    def reload(self) -> bool:
        """Load the successor and let it answer; False, with the reason logged, where it can't."""
        if self._load is None:
            return False
        with self._lock:
            try:
                successor = self._load()
                successor.take_over(self.base)
                successor.warm_up()
            except (KBError, OSError) as error:
                self.fail(error)
                return False
            self.base = successor
            self.state = replace(
                self.state,
                loaded_at=time.time(),
                reloads=self.state.reloads + 1,
                is_failing=False,
            )
        _log.info("the new index answers, with %d sections", successor.index.n_sections)
        return True

    def fail(self, error: Exception) -> None:
        """Note that there is something newer which cannot be used, and go on with what is there."""
        self.state = replace(self.state, failures=self.state.failures + 1, is_failing=True)
        _log.error("the new index is not used, the one before it answers: %s", error)

    def still_fails(self) -> None:
        """Note that what `fail` has told of is not mended, whatever was loaded since."""
        if not self.state.is_failing:
            self.state = replace(self.state, is_failing=True)


class Watch:
    """A thread that reloads when the index's mark changes, or when it is asked to."""

    def __init__(
        self,
        current: CurrentBase,
        mark: Callable[[], Any],
        every_s: float,
        *,
        seen: Any = None,
        before: Callable[[], None] | None = None,
    ) -> None:
        """Take what tells one index from the next, and how often to look, 0 for never.

        `mark` returns something to compare, None where there is nothing to be read; `seen` is what
        it returned before the base was loaded. `before` is called ahead of each look.
        """
        self._current = current
        self._mark = mark
        self._before = before
        self._every_s = every_s or None
        self._seen = seen
        self._failed_at = 0.0  # 0: the last one that was tried is in use
        self._asked = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="kb-watch", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def ask(self) -> None:
        """Reload soon, whatever the mark; safe in a signal's handler."""
        self._asked.set()

    def stop(self) -> None:
        """Stop looking; waits for a reload that is under way."""
        self._stopped = True
        self._asked.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            asked = self._asked.wait(self._every_s)
            if self._stopped:
                return
            self._asked.clear()
            if self._before is not None:
                self._before()
            self._look(asked)

    def _look(self, asked: bool) -> None:
        mark = self._mark()
        again = self._failed_at and time.monotonic() - self._failed_at > _RETRY_S
        if asked or again or (mark is not None and mark != self._seen):
            self._seen = mark
            self._failed_at = 0.0 if self._current.reload() else time.monotonic()


def folder_mark(folder: Path) -> tuple[int, int, int] | None:
    """Return what changes when a build replaces the index in `folder`; None while it has none."""
    try:
        found = (folder / "manifest.json").stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
