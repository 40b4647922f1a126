"""A file or a URL in, a place to keep votes, unanswered questions and marks out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from kb.errors import KBError
from kb.feedback.records import Mark, MarkState, Unanswered, Vote

__all__ = ["FeedbackError", "FeedbackStore", "open_store"]


class FeedbackError(KBError):
    """Feedback cannot be kept or read; the message says where and why."""


class FeedbackStore(Protocol):
    """What every store does; safe from several threads, and with others on the same place.

    `add_…` returns after the row is committed to the disk. Rows come back in the order in which
    they were written, whatever the clock did; past a store's bound the oldest are dropped.
    """

    def add_vote(self, vote: Vote) -> None:
        """Keep a vote. Raises FeedbackError where that cannot be done."""

    def add_unanswered(self, unanswered: Unanswered) -> None:
        """Keep a question without an answer. Raises FeedbackError where that cannot be done."""

    def votes(self) -> Iterator[Vote]:
        """Return the votes, the oldest first."""

    def unanswered(self) -> Iterator[Unanswered]:
        """Return the questions without an answer, the oldest first."""

    def set_mark(self, gap: str, state: MarkState | None) -> None:
        """Mark a gap in the place of the mark it had; None takes that away. Raises FeedbackError.

        Returns after the change is committed to the disk.
        """

    def marks(self) -> Iterator[Mark]:
        """Return the marks, one of a gap at most."""

    def close(self) -> None:
        """Let the place go."""


def open_store(place: str | Path, *, create: bool = True) -> FeedbackStore:
    """Return the store at `place`: a SQLite file, or the `postgresql://` URL of a database.

    Without `create` a file that is not there is an error. Raises FeedbackError.
    """
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]+)://", str(place))
    if scheme is None:
        from kb.feedback.sqlite_store import SqliteStore

        return SqliteStore(Path(place), create=create)
    if scheme[1].lower() in ("postgresql", "postgres"):
        from kb.feedback.postgres_store import PostgresStore

        return PostgresStore(str(place))
    raise FeedbackError(
        f"feedback cannot be kept at {scheme[1]}://…; give a file for SQLite, or a URL like"
        " postgresql://user@host/database"
    )
