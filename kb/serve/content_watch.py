"""`kb serve --watch-content`: documents that change in, a new index of them out."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from kb.corpus.files import SIGNATURES_FILE
from kb.errors import InputError, KBError
from kb.knowledge_base import KnowledgeBase
from kb.serve.current_base import CurrentBase
from kb.settings import Settings

__all__ = ["ContentWatch"]

_log = logging.getLogger("uvicorn.error")

Mark = frozenset[tuple[str, int, int]]


class ContentWatch:
    """Builds the index when a document is written, added or removed."""

    def __init__(self, settings: Settings, index: Path) -> None:
        """Build the index where it is not current. Raises what `KnowledgeBase.build` does."""
        self._settings = settings
        self._index = index
        self._seen = self._mark()
        self._build(settings.encoder)
        self._is_broken = False  # the documents as last seen

    @classmethod
    def of(cls, settings: Settings, index: Path | str | None) -> ContentWatch | None:
        """Return what watches, None where the settings don't ask for it."""
        if not settings.watch_content:
            return None
        if index is None or "://" in str(index):
            raise InputError(
                "--watch-content builds the index anew when a document changes; give --index and a"
                " folder of your own"
            )
        return cls(settings, Path(index))

    def look(self, current: CurrentBase) -> Callable[[], None]:
        """Return what looks once and builds where the documents have changed."""

        def look() -> None:
            seen = self._mark()
            if seen == self._seen:
                if self._is_broken:  # an index from before the slip may have been loaded meanwhile
                    current.still_fails()
                return
            self._seen = seen
            try:
                self._build(current.base.index.encoder.name)
                self._is_broken = False
            except (KBError, OSError) as error:
                self._is_broken = True
                current.fail(error)

        return look

    def _build(self, encoder: str) -> None:
        KnowledgeBase.build(
            self._settings.content, self._index, encoder=encoder, settings=self._settings
        )
        _log.info("the documents of %s are indexed", self._settings.content)

    def _mark(self) -> Mark:
        """Return what changes when a document is written, added or removed."""
        found = set()
        for name in ("*.md", "*.markdown", SIGNATURES_FILE):
            for path in self._settings.content.rglob(name):
                try:
                    status = path.stat()
                except OSError:  # removed meanwhile
                    continue
                found.add((str(path), status.st_mtime_ns, status.st_size))
        return frozenset(found)
