"""The terms of sections in, arrays out: how often each section has each, and each term's postings.

Two numbers for each term of each section are all that is held: lists of words would take ten times
the room.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kb.postgres import copying

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["POSTINGS", "TermCounts", "count_terms", "number_terms", "postings"]

# Postings of a row: with their weights they fill a page.
POSTINGS = 960
_TERMS_AT_ONCE = 50_000


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How often each section id has each term; row `i` is at `starts[i]:starts[i + 1]`."""

    vocabulary: Mapping[str, int]  # the place of each term
    starts: NDArray[np.int64]  # (n_ids + 1,)
    terms: NDArray[np.int32]  # (n_pairs,), rising in each row
    counts: NDArray[np.int32]  # (n_pairs,)
    lengths: NDArray[np.int64]  # (n_ids,), terms of each id, repeats counted

    def row(self, number: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return terms and counts of an id."""
        of = slice(int(self.starts[number]), int(self.starts[number + 1]))
        return self.terms[of], self.counts[of]


def count_terms(documents: Iterable[list[str]]) -> TermCounts:
    """Count the terms of each document."""
    import numpy as np

    vocabulary: dict[str, int] = {}
    terms, counts = array("i"), array("i")
    starts, lengths = array("q", [0]), array("q")
    for document in documents:
        places = [vocabulary.setdefault(term, len(vocabulary)) for term in document]
        distinct, times = np.unique(np.array(places, dtype=np.int32), return_counts=True)
        terms.frombytes(distinct.tobytes())
        counts.frombytes(times.astype(np.int32).tobytes())
        starts.append(len(terms))
        lengths.append(len(places))
    return TermCounts(
        vocabulary,
        np.frombuffer(starts, dtype=np.int64),
        np.frombuffer(terms, dtype=np.int32),
        np.frombuffer(counts, dtype=np.int32),
        np.frombuffer(lengths, dtype=np.int64),
    )


def number_terms(connection: Any, corpus: int, vocabulary: Mapping[str, int]) -> NDArray[np.int32]:
    """Return the database's number of each term by its place; new terms get one."""
    import numpy as np

    numbers = np.empty(len(vocabulary), dtype=np.int32)
    terms = list(vocabulary)  # in the order of their places
    for start in range(0, len(terms), _TERMS_AT_ONCE):
        some = terms[start : start + _TERMS_AT_ONCE]
        connection.execute(
            "INSERT INTO kb_term SELECT %s, term, nextval('kb_term_number')"
            " FROM unnest(%s::text[]) AS w(term)"
            " WHERE NOT EXISTS (SELECT FROM kb_term t WHERE t.corpus = %s AND t.term = w.term)",
            (corpus, some, corpus),
        )
        for place, number in connection.execute(
            "SELECT w.place, t.number FROM unnest(%s::text[]) WITH ORDINALITY AS w(term, place)"
            " JOIN kb_term t ON t.corpus = %s AND t.term = w.term",
            (some, corpus),
        ):
            numbers[start + place - 1] = number
    return numbers


def postings(
    counts: TermCounts,
    numbers: NDArray[np.int32],
    frequencies: NDArray[np.int64],
    weights: NDArray[np.float32],
) -> Iterator[tuple[int, int, bytes, bytes]]:
    """Yield number, block, positions and weights of each term, the greatest weights first."""
    import numpy as np

    n_ids = len(counts.lengths)
    positions = np.repeat(np.arange(n_ids, dtype=np.int32), np.diff(counts.starts))
    order = np.argsort(counts.terms, kind="stable")
    positions, sorted_weights = positions[order], weights[order]
    ends = np.cumsum(frequencies)
    for number, start, end in zip(
        numbers.tolist(), (ends - frequencies).tolist(), ends.tolist(), strict=True
    ):
        of, weight = positions[start:end], sorted_weights[start:end]
        if end - start > POSTINGS:
            best = np.argsort(-weight, kind="stable")
            of, weight = of[best], weight[best]
        for block, first in enumerate(range(0, end - start, POSTINGS)):
            yield (
                number,
                block,
                copying.integers(of[first : first + POSTINGS]),
                copying.reals(weight[first : first + POSTINGS]),
            )
