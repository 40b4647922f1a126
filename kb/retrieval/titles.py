"""Titles in, how much of each one a query says out: a title is the shortest summary there is."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.retrieval.arrays import map_array, ranges, write_array
from kb.retrieval.lexical import MAX_POSTINGS, LexicalIndex, largest
from kb.retrieval.tokenization import tokenize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["TITLE_FILES", "TitleIndex", "TitleTerms"]

TITLE_FILES = (
    "title_terms.i32",
    "title_ends.i64",
    "title_idf.f64",
    "title_firsts.i64",
    "title_sorted.i32",
    "title_postings.i32",
)


class TitleIndex:
    """How much of a document's title a query says."""

    def __init__(self, titles: Sequence[Sequence[str]], lexical: LexicalIndex) -> None:
        """Take the titles of each document, one a language; terms weigh their idf in `lexical`."""
        self._n_documents = len(titles)
        # term → (title, idf); a title is (document, summed idf)
        self._postings: dict[str, list[tuple[int, float]]] = {}
        self._titles: list[tuple[int, float]] = []
        for document, versions in enumerate(titles):
            for title in versions:
                weights = {term: lexical.idf([term]) for term in tokenize(title)}
                number = len(self._titles)
                self._titles.append((document, sum(weights.values())))
                for term, weight in weights.items():
                    self._postings.setdefault(term, []).append((number, weight))

    def shares(self, terms: Iterable[str]) -> NDArray[np.float32]:
        """Return the share of the best title's idf among distinct `terms`, `(n_documents,)`."""
        import numpy as np

        found = [0.0] * len(self._titles)
        for term in set(terms):
            for title, weight in self._postings.get(term, ()):
                found[title] += weight
        shares = np.zeros(self._n_documents, dtype=np.float32)
        for (document, total), weight in zip(self._titles, found, strict=True):
            if total > 0:
                shares[document] = max(shares[document], weight / total)
        return shares


class TitleTerms:
    """The titles of a large index: what `TitleIndex` says, for some documents, from arrays."""

    def __init__(self, lexical: LexicalIndex, arrays: Sequence[NDArray[Any]]) -> None:
        """Take the arrays that `from_titles` makes, or that lie in `TITLE_FILES`."""
        import numpy as np

        self._lexical, self._arrays = lexical, tuple(arrays)
        # The terms of all titles, and where each title's end; each title's summed idf; where each
        # document's titles begin; then term by term, rising, the titles that hold it.
        self._numbers, self._ends, self._totals, self._firsts, self._sorted, self._by_term = arrays
        self._owners = np.repeat(np.arange(len(self._firsts) - 1), np.diff(self._firsts))
        self._inverse = (1 / np.maximum(self._totals, 1e-6)).astype(np.float32)

    @classmethod
    def from_titles(cls, titles: Iterable[Sequence[str]], lexical: LexicalIndex) -> TitleTerms:
        """Take the titles of each document, one a language; terms weigh their idf in `lexical`."""
        import numpy as np

        numbers, ends, firsts = array("i"), array("q", [0]), array("q", [0])
        totals = array("d")
        for versions in titles:
            for title in versions:
                terms = set(tokenize(title))
                numbers.extend(lexical.numbers(terms))
                ends.append(len(numbers))
                totals.append(lexical.idf(terms))
            firsts.append(len(totals))
        terms_of = np.array(numbers, dtype=np.int32)
        ends_of = np.array(ends, dtype=np.int64)
        order = np.argsort(terms_of, kind="stable")
        by_term = np.repeat(np.arange(len(totals), dtype=np.int32), np.diff(ends_of))[order]
        return cls(
            lexical,
            (
                terms_of,
                ends_of,
                np.array(totals, dtype=np.float64),
                np.array(firsts, dtype=np.int64),
                terms_of[order],
                by_term,
            ),
        )

    def save(self, folder: Path) -> None:
        """Write the arrays."""
        for name, values in zip(TITLE_FILES, self._arrays, strict=True):
            write_array(folder / name, values)

    @classmethod
    def load(cls, folder: Path, lexical: LexicalIndex) -> TitleTerms:
        """Map what `save` wrote."""
        return cls(lexical, [map_array(folder / name) for name in TITLE_FILES])

    def best(self, terms: Iterable[str], top: int) -> list[int]:
        """Return the documents of the `top` titles with the largest shares among `terms`."""
        import numpy as np

        asked = np.array(sorted(self._lexical.numbers(set(terms))), dtype=np.int32)
        starts = np.searchsorted(self._sorted, asked)
        ends = np.searchsorted(self._sorted, asked, side="right")
        shares = np.zeros(len(self._totals), dtype=np.float32)
        weights = self._lexical.idf_of(asked).astype(np.float32)
        taken = 0
        for number in np.argsort(ends - starts, kind="stable").tolist():
            start, end = int(starts[number]), int(ends[number])
            if taken and taken + end - start > MAX_POSTINGS:
                break
            np.add.at(shares, self._by_term[start:end], weights[number])
            taken += end - start
        shares *= self._inverse
        return sorted(set(self._owners[largest(shares, top)].tolist()))

    def shares_of(self, documents: NDArray[np.int64], terms: Iterable[str]) -> NDArray[np.float32]:
        """Return the share of the best title's idf among distinct `terms`, `(n,) float32`."""
        import numpy as np

        asked = np.array(sorted(self._lexical.numbers(set(terms))), dtype=np.int32)
        shares = np.zeros(len(documents), dtype=np.float32)
        titles, rows = ranges(self._firsts, documents)
        if not len(asked) or not len(titles):
            return shares
        places, of_title = ranges(self._ends, titles)
        numbers = self._numbers[places]
        at = np.minimum(np.searchsorted(asked, numbers), len(asked) - 1)
        weights = np.where(asked[at] == numbers, self._lexical.idf_of(numbers), 0.0)
        said = np.bincount(of_title, weights, minlength=len(titles))
        total = self._totals[titles]
        share = np.divide(said, total, out=np.zeros_like(said), where=total > 0)
        np.maximum.at(shares, rows, share.astype(np.float32))
        return shares
