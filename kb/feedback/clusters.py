"""Unanswered questions in, groups of those that mean the same failure out, the most frequent first.

Each group has a leader, the signature lines that were met most often; others join the leader whose
tokens they share most, by Jaccard's index over the telling first line or over all lines. The same
questions give the same groups, in whatever order they came.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from kb.feedback.records import Unanswered

__all__ = ["Cluster", "cluster", "gap_key"]

# Two lines of one failure differ in a word or two; of two failures, in most.
MIN_JACCARD = 0.6
# Comparing takes time with the square of this: some seconds. Rarer lines join by their first line.
MAX_COMPARED = 1_500
_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9_]+")

Shape = tuple[str, ...]  # the signature lines of one question


@dataclass(slots=True)
class Cluster:
    """Questions of one kind; without lines they were words only, near the same section."""

    lines: Shape  # of the leader, the most telling first
    near: str = ""  # the nearest section of questions in words only, "" for none
    count: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    versions: Counter[str] = field(default_factory=Counter)  # of kb
    nearest: Counter[str] = field(default_factory=Counter)  # first nearest section
    line_counts: Counter[str] = field(default_factory=Counter)  # how many questions had a line
    first_at: int = 0  # seconds since 1970
    last_at: int = 0
    times: list[int] = field(default_factory=list)  # of the questions, in no order
    keys: set[str] = field(default_factory=set)  # of each that is in here, the leader's too

    @property
    def key(self) -> str:
        """Return the key of the leader."""
        return gap_key(self.lines, self.near)

    def add(self, asked: Unanswered) -> None:
        """Count one question."""
        self.first_at = min(self.first_at, asked.at) if self.count else asked.at
        self.last_at = max(self.last_at, asked.at)
        self.times.append(asked.at)
        self.count += 1
        self.languages[asked.language] += 1
        self.versions[asked.kb_version] += 1
        self.nearest.update(asked.nearest[:1])
        self.line_counts.update(set(asked.signatures))


def gap_key(lines: Shape, near: str) -> str:
    """Return 32 hexadecimal digits for the lines of a question, or for what words were near to.

    A group's leader may be another one after further questions, so that what is known of a group
    by its key is looked up by the keys of all that are in it.
    """
    return hashlib.sha256(json.dumps([lines, near]).encode("ascii")).hexdigest()[:32]


def cluster(questions: Iterable[Unanswered]) -> list[Cluster]:
    """Return the groups; time grows with the distinct lines, not with how often each came.

    Past `MAX_COMPARED` distinct lines, the rarer ones join only a leader of the same first line.
    """
    by_shape: dict[tuple[Shape, str], list[Unanswered]] = {}
    for asked in questions:
        # Words are not kept: what tells such questions apart is what they were near to.
        near = "" if asked.signatures else (asked.nearest or ("",))[0]
        by_shape.setdefault((asked.signatures, near), []).append(asked)
    leaders = _Leaders()
    clusters: dict[tuple[Shape, str], Cluster] = {}
    ordered = sorted(by_shape, key=lambda key: (-len(by_shape[key]), key))
    for rank, (shape, near) in enumerate(ordered):
        leader = None
        if shape:
            leader = leaders.with_first_line(shape)
            if leader is None and rank < MAX_COMPARED:
                leader = leaders.nearest(shape)
        if leader is None and shape:
            leaders.add(shape)
        joined = clusters.setdefault((leader or shape, near), Cluster(leader or shape, near))
        joined.keys.add(gap_key(shape, near))
        for asked in by_shape[shape, near]:
            joined.add(asked)
    found = list(clusters.values())
    found.sort(key=lambda group: (-group.count, group.lines, sorted(group.nearest)))
    return found


class _Leaders:
    """The leaders so far, found by their tokens."""

    def __init__(self) -> None:
        self._shapes: list[Shape] = []
        self._tokens: list[tuple[frozenset[str], frozenset[str]]] = []  # first line, all lines
        self._with_token: dict[str, list[int]] = {}
        self._with_line: dict[str, Shape] = {}

    def add(self, shape: Shape) -> None:
        number = len(self._shapes)
        self._shapes.append(shape)
        self._with_line.setdefault(shape[0], shape)
        self._tokens.append((_tokens(shape[:1]), _tokens(shape)))
        for token in sorted(self._tokens[-1][1]):
            self._with_token.setdefault(token, []).append(number)

    def with_first_line(self, shape: Shape) -> Shape | None:
        """Return the leader with the same first line, the earliest."""
        return self._with_line.get(shape[0])

    def nearest(self, shape: Shape) -> Shape | None:
        """Return the leader that is near enough, the earlier of two that are equally near."""
        first, whole = _tokens(shape[:1]), _tokens(shape)
        met = {number for token in whole for number in self._with_token.get(token, ())}
        best: Shape | None = None
        best_score = MIN_JACCARD
        for number in sorted(met):
            other_first, other_whole = self._tokens[number]
            score = max(_jaccard(first, other_first), _jaccard(whole, other_whole))
            if score > best_score or (best is None and score == best_score):
                best, best_score = self._shapes[number], score
        return best


def _tokens(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(token.lower() for line in lines for token in _TOKEN.findall(line))


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    union = len(one | other)
    return len(one & other) / union if union else 0.0
