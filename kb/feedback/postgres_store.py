"""Votes, unanswered questions and marks in a PostgreSQL database, for several servers at once."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from kb.feedback.rows import MAX_ROWS
from kb.feedback.sql_store import Execute, SqlStore
from kb.feedback.store import FeedbackError
from kb.query.redaction import redact

__all__ = ["PostgresStore"]

T = TypeVar("T")

_CONNECT_TIMEOUT_S = 5
_STATEMENT_TIMEOUT_MS = 10_000
_SET_UP_LOCK = 6_620_311  # any number that is always the same: servers that start together wait


class PostgresStore(SqlStore):
    """The store of `kb.feedback.store` in a database; a lost connection is made anew."""

    _bound = "%s"
    _id_type = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"

    def __init__(
        self,
        url: str,
        *,
        clock: Callable[[], float] = time.time,
        max_rows: int = MAX_ROWS,
    ) -> None:
        """Connect and make the tables that are not there yet."""
        super().__init__(clock, max_rows)
        try:
            self._psycopg: Any = importlib.import_module("psycopg")
        except ImportError as error:
            raise FeedbackError(
                "PostgreSQL needs psycopg, which is not installed; run `pip install '.[postgres]'`"
            ) from error
        self._url = url
        self._lock = threading.Lock()
        self._connection: Any = None
        self._write(self._set_up)

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()

    def _set_up(self, execute: Execute) -> None:
        execute("SELECT pg_advisory_xact_lock(%s)", (_SET_UP_LOCK,))
        self._make_tables(execute)

    def _write(self, do: Callable[[Execute], T]) -> T:
        """Return what `do` returns, after its transaction is committed.

        On a connection that was lost since the last time it is done once more on a new one. A
        commit whose outcome stays unknown is not repeated, it would count twice.
        """
        with self._lock:
            try:
                if self._connection is not None and not self._is_alive():
                    self._connection = None
                if self._connection is None:
                    self._connection = self._connect()
                with self._connection.transaction():
                    return do(self._connection.execute)
            except self._psycopg.Error as error:
                raise FeedbackError(
                    f"feedback in PostgreSQL cannot be read or written ({self._words(error)});"
                    " expected a URL like postgresql://user@host/database and the right to make"
                    " tables there"
                ) from error

    def _read(self, do: Callable[[Execute], T]) -> T:
        return self._write(do)

    def _connect(self) -> Any:
        connection = self._psycopg.connect(
            self._url, autocommit=True, connect_timeout=_CONNECT_TIMEOUT_S
        )
        # A role may have been set to acknowledge commits before they are on the disk.
        connection.execute("SET synchronous_commit = on")
        connection.execute(f"SET statement_timeout = {_STATEMENT_TIMEOUT_MS}")
        return connection

    def _is_alive(self) -> bool:
        try:
            self._connection.execute("SELECT 1")
        except self._psycopg.Error:
            self._connection.close()
            return False
        return True

    def _words(self, error: Exception) -> str:
        """Return what the database says on one line, without the URL, which may hold a password."""
        if not isinstance(error, self._psycopg.DatabaseError) or isinstance(
            error, self._psycopg.ProgrammingError
        ):
            # What is wrong in a URL is quoted by the driver, and may be a part of a password.
            state = getattr(error, "sqlstate", None)
            return f"{type(error).__name__} {state}" if state else "the URL cannot be understood"
        said = " ".join(str(error).split())[:300].replace(self._url, "the URL")
        return f"{type(error).__name__}: {redact(said).text}"
