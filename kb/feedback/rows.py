"""The nouns of feedback in, the rows of a table out, and back; for every database."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from kb.feedback.records import Mark, Unanswered, Vote

__all__ = [
    "COLUMNS",
    "MAX_ROWS",
    "TABLES",
    "read_mark",
    "read_unanswered",
    "read_vote",
    "unanswered_row",
    "vote_row",
]

# Each table keeps its newest rows, at most about 1 kB each: a busy year, and no full disk.
MAX_ROWS = 200_000
# `{id}` is what the database calls a number that only ever grows. `helpful` is 0 or 1.
TABLES = {
    "kb_vote": "id {id}, section TEXT NOT NULL, helpful SMALLINT NOT NULL, reason TEXT,"
    " language TEXT NOT NULL, kb_version TEXT NOT NULL, signatures TEXT NOT NULL,"
    " at BIGINT NOT NULL",
    "kb_unanswered": "id {id}, signatures TEXT NOT NULL, nearest TEXT NOT NULL,"
    " language TEXT NOT NULL, kb_version TEXT NOT NULL, at BIGINT NOT NULL",
    "kb_mark": "id {id}, gap TEXT NOT NULL UNIQUE, state TEXT NOT NULL, at BIGINT NOT NULL",
}
COLUMNS = {
    "kb_vote": ("section", "helpful", "reason", "language", "kb_version", "signatures", "at"),
    "kb_unanswered": ("signatures", "nearest", "language", "kb_version", "at"),
    "kb_mark": ("gap", "state", "at"),
}


def vote_row(vote: Vote, at: int) -> tuple[Any, ...]:
    """Return the columns of `kb_vote`, lists as JSON."""
    lines = _json(vote.signatures)
    return (
        vote.section,
        int(vote.helpful),
        vote.reason,
        vote.language,
        vote.kb_version,
        lines,
        at,
    )


def unanswered_row(asked: Unanswered, at: int) -> tuple[Any, ...]:
    """Return the columns of `kb_unanswered`, lists as JSON."""
    return (_json(asked.signatures), _json(asked.nearest), asked.language, asked.kb_version, at)


def read_vote(row: Sequence[Any]) -> Vote:
    """Return the vote of a row of `kb_vote`."""
    section, helpful, reason, language, kb_version, lines, at = row
    return Vote(section, bool(helpful), language, kb_version, reason, _list(lines), at)


def read_unanswered(row: Sequence[Any]) -> Unanswered:
    """Return the question of a row of `kb_unanswered`."""
    lines, nearest, language, kb_version, at = row
    return Unanswered(_list(lines), _list(nearest), language, kb_version, at)


def read_mark(row: Sequence[Any]) -> Mark:
    """Return the mark of a row of `kb_mark`."""
    return Mark(*row)


def _json(items: tuple[str, ...]) -> str:
    # ASCII only: half a surrogate pair or a NUL, which PostgreSQL refuses in text, is escaped.
    return json.dumps(items)


def _list(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))
