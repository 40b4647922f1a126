"""What the stores of all SQL databases have in common: their statements, over one transaction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Protocol, TypeVar

from kb.feedback.records import Mark, MarkState, Unanswered, Vote
from kb.feedback.rows import (
    COLUMNS,
    TABLES,
    read_mark,
    read_unanswered,
    read_vote,
    unanswered_row,
    vote_row,
)

__all__ = ["Execute", "SqlStore"]

T = TypeVar("T")


class Execute(Protocol):
    """Run one statement in the transaction that is open, and return its cursor."""

    def __call__(self, statement: str, values: Sequence[Any] = ..., /) -> Any:
        """Raise the database's own error where that fails."""


# Names of tables and columns are our own, values are always bound.
class SqlStore(ABC):
    """The store of `kb.feedback.store`; a database says how it runs a transaction."""

    _bound: ClassVar[str]  # how a statement writes a value that is bound: "?", "%s"
    _id_type: ClassVar[str]  # of a number that only ever grows

    def __init__(self, clock: Callable[[], float], max_rows: int) -> None:
        """Take a clock in seconds since 1970 and how many rows a table keeps."""
        self._clock = clock
        self._max_rows = max_rows

    def add_vote(self, vote: Vote) -> None:
        """Keep a vote; returns after the commit is on the disk."""
        self._insert("kb_vote", vote_row(vote, self._now()))

    def add_unanswered(self, unanswered: Unanswered) -> None:
        """Keep a question without an answer; returns after the commit is on the disk."""
        self._insert("kb_unanswered", unanswered_row(unanswered, self._now()))

    def votes(self) -> Iterator[Vote]:
        """Return the votes, the oldest first."""
        return map(read_vote, self._rows("kb_vote"))

    def unanswered(self) -> Iterator[Unanswered]:
        """Return the questions without an answer, the oldest first."""
        return map(read_unanswered, self._rows("kb_unanswered"))

    def set_mark(self, gap: str, state: MarkState | None) -> None:
        """Mark a gap in the place of the mark it had; None takes that away."""
        bound = self._bound
        if state is None:
            statement = f"DELETE FROM kb_mark WHERE gap = {bound}"  # noqa: S608
            values: tuple[Any, ...] = (gap,)
        else:
            statement = (
                f"INSERT INTO kb_mark (gap, state, at) VALUES ({bound}, {bound}, {bound})"  # noqa: S608
                " ON CONFLICT (gap) DO UPDATE SET state = excluded.state, at = excluded.at"
            )
            values = (gap, state, self._now())
        self._write(lambda execute: execute(statement, values))

    def marks(self) -> Iterator[Mark]:
        """Return the marks, one of a gap at most."""
        return map(read_mark, self._rows("kb_mark"))

    def _now(self) -> int:
        return int(self._clock())

    def _make_tables(self, execute: Execute) -> None:
        for table, columns in TABLES.items():
            made = columns.format(id=self._id_type)
            execute(f"CREATE TABLE IF NOT EXISTS {table} ({made})")

    def _insert(self, table: str, row: tuple[Any, ...]) -> None:
        names = COLUMNS[table]
        places = ", ".join([self._bound] * len(names))
        insert = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})"  # noqa: S608
        bound = f"(SELECT max(id) FROM {table}) - {self._bound}"  # noqa: S608

        def add(execute: Execute) -> None:
            execute(insert, row)
            execute(f"DELETE FROM {table} WHERE id <= {bound}", (self._max_rows,))  # noqa: S608

        self._write(add)

    def _rows(self, table: str) -> Sequence[tuple[Any, ...]]:
        select = f"SELECT {', '.join(COLUMNS[table])} FROM {table} ORDER BY id"  # noqa: S608
        return self._read(lambda execute: execute(select).fetchall())

    @abstractmethod
    def _write(self, do: Callable[[Execute], T]) -> T:
        """Return what `do` returns, once its transaction is on the disk; raises FeedbackError."""

    @abstractmethod
    def _read(self, do: Callable[[Execute], T]) -> T:
        """Return what `do` returns; raises FeedbackError."""

    @abstractmethod
    def close(self) -> None:
        """Let the database go."""
