"""Term lists of sections in, BM25 scores for a query out (Robertson & Zaragoza, 2009).

bm25s weighs every term of every document when the index is built (Lù, 2024), so that a query only
sums columns of a sparse matrix. That sum needs numpy alone: bm25s is not imported to answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.retrieval.arrays import map_array, write_array
from kb.retrieval.vocabulary import MAPPED_TERMS, StoredVocabulary, write_vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LEXICAL_FILES", "LexicalIndex", "largest", "term_saturation"]

# Lucene's variant with its own defaults.
_K1 = 1.2
_B = 0.75
_FILES = ("data.f32", "indices.i32", "indptr.i64")

# Postings that one text's candidates are picked from: half a millisecond.
MAX_POSTINGS = 300_000
_MAX_SAMPLE = 8192
_SAMPLED = 8  # values of a sample that are to be above the least of the largest
LEXICAL_FILES = frozenset((*_FILES, "vocabulary.json"))


def term_saturation(
    counts: NDArray[np.float64], length: float, mean_length: float
) -> NDArray[np.float64]:
    """Return what BM25 makes of a document's counts of terms: its weights, but for their idf.

    `length` is the document's number of terms, repeats counted.
    """
    return counts / (counts + _K1 * (1 - _B + _B * length / mean_length))


class LexicalIndex:
    """BM25 weights by term, compressed by column: `data[indptr[t]:indptr[t + 1]]` is term `t`."""

    def __init__(
        self,
        data: NDArray[np.float32],
        indices: NDArray[np.int32],
        indptr: NDArray[np.int64],
        vocabulary: Mapping[str, int],
        n_documents: int,
    ) -> None:
        """Take weights, the document of each weight, column starts, and the columns of terms."""
        import numpy as np

        self._data, self._indices, self._indptr = data, indices, indptr
        self._vocabulary = vocabulary
        self.n_documents = n_documents
        frequency = np.diff(indptr)
        # Robertson and Spärck Jones' weight in Lucene's form, which is never negative.
        self._idf = np.log1p((n_documents - frequency + 0.5) / (frequency + 0.5))
        self._unknown_idf = float(np.log1p((n_documents + 0.5) / 0.5))

    @classmethod
    def from_terms(cls, documents: Iterable[Sequence[str]]) -> LexicalIndex:
        """Index one list of terms per document; the lists are not held."""
        import bm25s
        import numpy as np

        vocabulary: dict[str, int] = {}
        ids = [
            np.array([vocabulary.setdefault(term, len(vocabulary)) for term in document], np.int32)
            for document in documents
        ]
        retriever = bm25s.BM25(method="lucene", k1=_K1, b=_B)
        retriever.index((ids, vocabulary), show_progress=False, create_empty_token=False)
        scores = retriever.scores
        return cls(
            np.asarray(scores["data"], dtype=np.float32),
            np.asarray(scores["indices"], dtype=np.int32),
            np.asarray(scores["indptr"], dtype=np.int64),
            vocabulary,
            len(ids),
        )

    def save(self, folder: Path) -> None:
        """Write three raw arrays and the terms in column order, few of them into one JSON file."""
        arrays: list[NDArray[Any]] = [self._data, self._indices, self._indptr]
        for name, array in zip(_FILES, arrays, strict=True):
            write_array(folder / name, array)
        described: dict[str, Any] = {"n_documents": self.n_documents}
        if len(self._vocabulary) < MAPPED_TERMS:
            described["terms"] = list(self._vocabulary)
        else:
            write_vocabulary(folder, self._vocabulary)
        text = json.dumps(described, ensure_ascii=False)
        (folder / "vocabulary.json").write_text(text, encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> LexicalIndex:
        """Read what `save` wrote; arrays are mapped, and the terms where they are many."""
        data, indices, indptr = [map_array(folder / name) for name in _FILES]
        described = json.loads((folder / "vocabulary.json").read_text(encoding="utf-8"))
        vocabulary: Mapping[str, int]
        if "terms" in described:
            vocabulary = {term: number for number, term in enumerate(described["terms"])}
        else:
            vocabulary = StoredVocabulary.load(folder)
        return cls(data, indices, indptr, vocabulary, described["n_documents"])

    def scores(self, terms: Iterable[str]) -> NDArray[np.float32]:
        """Return the BM25 score of each document for distinct `terms`, `(n_documents,) float32`."""
        import numpy as np

        scores = np.zeros(self.n_documents, dtype=np.float32)
        for number in self._columns(terms):
            start, end = self._indptr[number], self._indptr[number + 1]
            scores[self._indices[start:end]] += self._data[start:end]
        return scores

    def scores_of(self, documents: NDArray[np.int64], terms: Iterable[str]) -> NDArray[np.float32]:
        """Return the BM25 scores of some documents, rising positions, `(n,) float32`."""
        import numpy as np

        scores = np.zeros(len(documents), dtype=np.float32)
        documents = documents.astype(np.int32)  # as they are stored, else each column is converted
        for number in self._columns(terms):
            start, end = self._indptr[number], self._indptr[number + 1]
            column = self._indices[start:end]
            places = np.minimum(np.searchsorted(column, documents), max(len(column) - 1, 0))
            held = column[places] == documents
            scores[held] += self._data[start:end][places[held]]
        return scores

    def rough_scores(self, terms: Iterable[str]) -> tuple[NDArray[np.float32], bool]:
        """Return the scores that the rarer of distinct `terms` give, and whether these are all.

        `(n_documents,) float32`. Terms are taken from the rarest on until their postings are many:
        what only has the common ones is no candidate. Of all terms it is what `scores` returns.
        """
        import numpy as np

        columns = self._columns(terms)
        spans = [(int(self._indptr[n]), int(self._indptr[n + 1])) for n in columns]
        taken: set[int] = set()
        total = 0
        for start, end in sorted(spans, key=lambda span: span[1] - span[0]):
            if taken and total + end - start > MAX_POSTINGS:
                break
            taken.add(start)
            total += end - start
        scores = np.zeros(self.n_documents, dtype=np.float32)
        for start, end in spans:
            if start in taken:  # faster than an indexed sum: nothing is copied or converted
                np.add.at(scores, self._indices[start:end], self._data[start:end])
        return scores, len(taken) == len(spans)

    def best(self, terms: Iterable[str], top: int) -> list[int]:
        """Return the documents with the highest scores that any of the rarer `terms` is in."""
        terms = list(terms)
        return self.best_of(*self.rough_scores(terms), terms, top)

    def best_of(
        self, rough: NDArray[np.float32], is_whole: bool, terms: Sequence[str], top: int
    ) -> list[int]:
        """Return the same, given the rough scores of `terms`."""
        import numpy as np

        if is_whole:
            documents = largest(rough, top)
            scores = rough[documents]
        else:
            # Scored in full are some more than are asked for: the common terms may reorder them.
            documents = largest(rough, 2 * top)
            scores = self.scores_of(documents, terms)
        return [int(n) for n in documents[np.argsort(-scores, kind="stable")[:top]]]

    def idf(self, terms: Iterable[str]) -> float:
        """Return the summed idf of distinct `terms`; one that no document has counts in full."""
        return sum(
            float(self._idf[self._vocabulary[term]])
            if term in self._vocabulary
            else self._unknown_idf
            for term in set(terms)
        )

    def terms_of(self, document: int, terms: Iterable[str]) -> list[str]:
        """Return those of `terms` that the document holds."""
        import numpy as np

        held = []
        for term in terms:
            number = self._vocabulary.get(term)
            if number is None:
                continue
            column = self._indices[self._indptr[number] : self._indptr[number + 1]]
            # The documents of a term rise.
            place = int(np.searchsorted(column, np.int32(document)))
            if place < len(column) and column[place] == document:
                held.append(term)
        return held

    def numbers(self, terms: Iterable[str]) -> list[int]:
        """Return the columns of those of `terms` that any document holds."""
        return [self._vocabulary[term] for term in terms if term in self._vocabulary]

    def idf_of(self, numbers: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Return the idf of the terms in some columns."""
        weights: NDArray[np.float64] = self._idf[numbers]
        return weights

    def _columns(self, terms: Iterable[str]) -> list[int]:
        return sorted({self._vocabulary[term] for term in terms if term in self._vocabulary})


def largest(values: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Return where the `n` largest of values of 0 and more are, rising; 0 is nowhere.

    Of equal values the first ones are taken. By sorting: NumPy's partition takes 20 times as long
    as that where most values are equal, as shares of titles are.
    """
    import numpy as np

    # What a sample shows to be far from the largest needs no sorting.
    sample = np.sort(values[:: max(1, n // (_SAMPLED // 2), len(values) // _MAX_SAMPLE)])
    least = sample[-_SAMPLED:][0] if len(sample) else 0
    places = np.flatnonzero(values >= least if least > 0 else values > 0)
    if len(places) < n and least > 0:
        places = np.flatnonzero(values > 0)
    if len(places) <= n:
        return places
    found = values[places]
    last = np.sort(found)[-n]
    above = places[found > last]
    return np.sort(np.concatenate((above, places[found == last][: n - len(above)])))
