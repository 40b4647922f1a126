"""Votes and unanswered questions in one SQLite file."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from kb.feedback.records import Unanswered, Vote
from kb.feedback.rows import (
    COLUMNS,
    MAX_ROWS,
    TABLES,
    read_unanswered,
    read_vote,
    unanswered_row,
    vote_row,
)
from kb.feedback.store import FeedbackError

__all__ = ["SqliteStore"]

_FORMAT = 1  # of the tables, kept in the file's user_version
_BUSY_TIMEOUT_S = 10.0  # another process writes; one write takes milliseconds


class SqliteStore:
    """The store of `kb.feedback.store` in a file, in WAL mode, every commit on the disk."""

    def __init__(
        self,
        path: Path,
        *,
        create: bool = True,
        clock: Callable[[], float] = time.time,
        max_rows: int = MAX_ROWS,
    ) -> None:
        """Open the file or, with `create`, make it, readable by its owner alone."""
        self._path = path
        self._clock = clock
        self._max_rows = max_rows
        self._lock = threading.Lock()
        if not create and not path.is_file():
            raise FeedbackError(
                f"{path} does not exist; `kb serve --feedback {path}` makes it and fills it"
            )
        try:
            if create:
                path.touch(mode=0o600)
            self._connection = sqlite3.connect(
                path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            self._set_up()
        except (OSError, sqlite3.Error) as error:
            raise self._failed("opened", error) from error

    def add_vote(self, vote: Vote) -> None:
        """Keep a vote; returns after the commit is on the disk."""
        self._insert("kb_vote", vote_row(vote, int(self._clock())))

    def add_unanswered(self, unanswered: Unanswered) -> None:
        """Keep a question without an answer; returns after the commit is on the disk."""
        self._insert("kb_unanswered", unanswered_row(unanswered, int(self._clock())))

    def votes(self) -> Iterator[Vote]:
        """Return the votes, the oldest first."""
        return map(read_vote, self._rows("kb_vote"))

    def unanswered(self) -> Iterator[Unanswered]:
        """Return the questions without an answer, the oldest first."""
        return map(read_unanswered, self._rows("kb_unanswered"))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _set_up(self) -> None:
        run = self._connection.execute
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")  # WAL alone would lose the last commits with the power
        run("BEGIN IMMEDIATE")  # two processes may start at once
        found = int(run("PRAGMA user_version").fetchone()[0])
        if found not in (0, _FORMAT):
            run("ROLLBACK")
            self._connection.close()
            raise FeedbackError(
                f"{self._path} has format {found}, this version of kb knows {_FORMAT};"
                " update kb or give another file"
            )
        for table, columns in TABLES.items():
            # AUTOINCREMENT: the number of a dropped row is never given again.
            made = columns.format(id="INTEGER PRIMARY KEY AUTOINCREMENT")
            run(f"CREATE TABLE IF NOT EXISTS {table} ({made})")
        run(f"PRAGMA user_version = {_FORMAT}")
        run("COMMIT")

    def _insert(self, table: str, row: tuple[Any, ...]) -> None:
        names = COLUMNS[table]
        places = ", ".join("?" * len(names))
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                new = self._connection.execute(
                    f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})",  # noqa: S608
                    row,
                ).lastrowid
                assert new is not None
                self._connection.execute(
                    f"DELETE FROM {table} WHERE id <= ?",  # noqa: S608 - our own names
                    (new - self._max_rows,),
                )
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                self._roll_back()
                raise self._failed("written", error) from error

    def _roll_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error as error:  # the next write will say so again
            raise self._failed("written", error) from error

    def _rows(self, table: str) -> Sequence[tuple[Any, ...]]:
        select = f"SELECT {', '.join(COLUMNS[table])} FROM {table} ORDER BY id"  # noqa: S608
        with self._lock:
            try:
                return self._connection.execute(select).fetchall()
            except sqlite3.Error as error:
                raise self._failed("read", error) from error

    def _failed(self, what: str, error: Exception) -> FeedbackError:
        return FeedbackError(
            f"feedback at {self._path} cannot be {what} ({error}); expected a SQLite file of kb in"
            " a folder that this user can write to"
        )
