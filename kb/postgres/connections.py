"""A `postgresql://` URL in, connections out; what goes wrong becomes an error that says what to do.

A connection that breaks is replaced, and what was asked on it is asked again, a few times and
each time later. That is for reading only: what changes the database is not repeated blindly.
"""

from __future__ import annotations

import importlib
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from kb.errors import IndexDatabaseError
from kb.query.redaction import redact

__all__ = ["Database", "DatabaseAwayError", "connect", "database_errors", "driver", "is_database"]

T = TypeVar("T")

_URL = re.compile(r"postgres(?:ql)?://", re.IGNORECASE)
_CONNECT_TIMEOUT_S = 5
_STATEMENT_TIMEOUT_MS = 10_000
_TRIES = 4
_FIRST_PAUSE_S = 0.05  # doubles with each try; half of it is random, so that replicas part
_BUSY_S = 20.0  # how long a question waits for a connection while all are in use
_GLANCE_S = 0.5  # how often it looks whether the database has gone meanwhile
_EXTRA = "`pip install '.[postgres]'`"


class DatabaseAwayError(IndexDatabaseError):
    """The database cannot be reached at the moment; asking later can help."""


def is_database(place: object) -> bool:
    """Whether an index's place is the URL of a database, not a folder."""
    return isinstance(place, str) and _URL.match(place) is not None


def driver(name: str = "psycopg") -> Any:
    """Return the driver, or its pool; IndexDatabaseError says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise IndexDatabaseError(
            f"an index in PostgreSQL needs {name}, which is not installed; run {_EXTRA}"
        ) from error


def connect(url: str, **settings: Any) -> Any:
    """Return one connection in autocommit mode; IndexDatabaseError where there is none."""
    with database_errors():
        return driver().connect(
            url, autocommit=True, connect_timeout=_CONNECT_TIMEOUT_S, **settings
        )


@contextmanager
def database_errors() -> Iterator[None]:
    """Turn the driver's errors into ours."""
    psycopg = driver()
    try:
        yield
    except psycopg.Error as error:
        raise _explained(error) from error


def _explained(error: Any) -> IndexDatabaseError:
    errors = driver().errors
    if isinstance(error, errors.InsufficientPrivilege):
        return IndexDatabaseError(
            f"the database refuses this role ({_words(error)}); to read, a publisher names it:"
            " `kb build --index URL --corpus NAME --reader ROLE`; to publish, it has to own the"
            " tables or be allowed to make them"
        )
    if isinstance(error, (errors.UndefinedTable, errors.UndefinedColumn)):
        return IndexDatabaseError(
            f"the database holds no index of this program ({_words(error)}); publish one with"
            " `kb build --index URL --corpus NAME`"
        )
    if isinstance(error, errors.UndefinedObject) and "vector" in str(error):
        return IndexDatabaseError(
            f"the extension pgvector is not to be seen ({_words(error)}); let a superuser run"
            " `CREATE EXTENSION vector`, and name its schema in `search_path`"
        )
    if isinstance(error, driver().ProgrammingError) and error.sqlstate is None:
        # What is wrong in a URL is quoted by the driver, and may be a part of a password.
        return IndexDatabaseError(
            "the URL of the database cannot be understood; expected one like"
            " postgresql://user@host/database"
        )
    if _is_refusal(error):
        return IndexDatabaseError(
            f"the database does not let this role in ({_words(error)}); check user, password and"
            " database in the URL, and pg_hba.conf on the server"
        )
    if _is_away(error):
        return DatabaseAwayError(
            f"the database cannot be reached ({_words(error)}); check that it runs and that the"
            " URL names its host and port"
        )
    return IndexDatabaseError(f"the index in the database cannot be used ({_words(error)})")


def _is_refusal(error: Any) -> bool:
    state = error.sqlstate or ""
    said = str(error)
    return state.startswith("28") or any(
        words in said
        for words in (
            "password authentication failed",
            "no password supplied",
            "no pg_hba.conf entry",
            "does not exist",
            "is not permitted to log in",
        )
    )


def _is_away(error: Exception) -> bool:
    psycopg = driver()
    return isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError))


def _words(error: Any) -> str:
    """Return what the database says on one line, without what may be a secret."""
    said = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {redact(said).text}" if said else type(error).__name__


class Database:
    """A pool of connections for reading; safe from several threads."""

    def __init__(self, url: str, *, size: int) -> None:
        """Connect once, so that what is wrong is said at once; the pool opens in the background."""
        connect(url).close()
        pool = driver("psycopg_pool")
        self._timeout: type[Exception] = pool.PoolTimeout
        self._pool: Any = pool.ConnectionPool(
            url,
            min_size=1,
            max_size=size,
            open=True,
            configure=_for_reading,
            kwargs={"autocommit": True, "connect_timeout": _CONNECT_TIMEOUT_S},
            reconnect_timeout=_CONNECT_TIMEOUT_S,
        )
        self.is_away = False
        self._url = url
        self._probing = threading.Lock()
        self._probed_at = -1.0  # long ago
        self._was_reachable = True

    def ask(self, do: Callable[[Any], T]) -> T:
        """Return what `do` returns for a connection; tried again where the connection breaks.

        Raises DatabaseAwayError where no try succeeds, at once while `is_away` is set.
        """
        pause = _FIRST_PAUSE_S
        for attempt in range(1, _TRIES + 1):
            connection = self._take()
            try:
                with database_errors():
                    return do(connection)
            except DatabaseAwayError:
                if attempt == _TRIES or self.is_away:
                    raise
            finally:
                self._pool.putconn(connection)
            time.sleep(pause * (0.5 + random.random() / 2))  # noqa: S311 - no secret
            pause *= 2
        raise AssertionError("the last try returns or raises")

    def _take(self) -> Any:
        waited = 0.0
        while not self.is_away:
            try:
                return self._pool.getconn(timeout=_GLANCE_S)
            except self._timeout as error:
                waited += _GLANCE_S
                if not self._reachable() or waited >= _BUSY_S:
                    raise DatabaseAwayError(
                        "the database gives no connection; check that it runs, and that it allows"
                        " as many connections as all replicas together may open"
                    ) from error
        raise DatabaseAwayError("the database cannot be reached; it is tried again every moment")

    def _reachable(self) -> bool:
        """Whether connections are only in use, not gone; looked for once for all who wait."""
        with self._probing:
            if time.monotonic() - self._probed_at > _GLANCE_S:
                try:
                    connect(self._url).close()
                    self._was_reachable = True
                except IndexDatabaseError:
                    self._was_reachable = False
                self._probed_at = time.monotonic()
            return self._was_reachable

    def renew(self) -> None:
        """Replace the connections that broke while the database was away."""
        self._pool.check()

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


def _for_reading(connection: Any) -> None:
    connection.execute(f"SET statement_timeout = {_STATEMENT_TIMEOUT_MS}")
    # How many rows match depends on the values: a plan made without them reads whole tables.
    connection.execute("SET plan_cache_mode = force_custom_plan")
    connection.execute("SET default_transaction_read_only = on")
    # Compiling a statement takes longer than running it.
    connection.execute("SET jit = off")
    # pgvector's: as many neighbours as are asked for, and on where rows of others are between.
    connection.execute("SET hnsw.ef_search = 800")
    connection.execute("SET hnsw.iterative_scan = relaxed_order")
