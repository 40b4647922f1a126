"""Votes, unanswered questions and marks in one SQLite file."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from kb.feedback.rows import MAX_ROWS
from kb.feedback.sql_store import Execute, SqlStore
from kb.feedback.store import FeedbackError

__all__ = ["SqliteStore"]

T = TypeVar("T")

_FORMAT = 1  # of the tables, kept in the file's user_version; a further table changes none
_BUSY_TIMEOUT_S = 10.0  # another process writes; one write takes milliseconds


class SqliteStore(SqlStore):
    """The store of `kb.feedback.store` in a file, in WAL mode, every commit on the disk."""

    _bound = "?"
    # AUTOINCREMENT: the number of a dropped row is never given again.
    _id_type = "INTEGER PRIMARY KEY AUTOINCREMENT"

    def __init__(
        self,
        path: Path,
        *,
        create: bool = True,
        clock: Callable[[], float] = time.time,
        max_rows: int = MAX_ROWS,
    ) -> None:
        """Open the file or, with `create`, make it, readable by its owner alone."""
        super().__init__(clock, max_rows)
        self._path = path
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
        self._make_tables(run)
        run(f"PRAGMA user_version = {_FORMAT}")
        run("COMMIT")

    def _write(self, do: Callable[[Execute], T]) -> T:
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                result = do(self._connection.execute)
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                self._roll_back()
                raise self._failed("written", error) from error
            return result

    def _roll_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error as error:  # the next write will say so again
            raise self._failed("written", error) from error

    def _read(self, do: Callable[[Execute], T]) -> T:
        with self._lock:
            try:
                return do(self._connection.execute)
            except sqlite3.Error as error:
                raise self._failed("read", error) from error

    def _failed(self, what: str, error: Exception) -> FeedbackError:
        return FeedbackError(
            f"feedback at {self._path} cannot be {what} ({error}); expected a SQLite file of kb in"
            " a folder that this user can write to"
        )
