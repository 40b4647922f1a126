"""Term lists of sections in, BM25 scores for a query out (Robertson & Zaragoza, 2009; bm25s)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LexicalIndex"]

# Lucene's variant; k1 and b are its defaults, and moving them gained nothing on the golden set.
_K1 = 1.2
_B = 0.75


class LexicalIndex:
    """BM25 over one term list per section id."""

    def __init__(self, retriever: Any) -> None:
        """Take an indexed `bm25s.BM25` whose vocabulary maps terms to columns."""
        import numpy as np

        self._retriever = retriever
        self.n_documents = int(retriever.scores["num_docs"])
        self._vocabulary: dict[str, int] = retriever.vocab_dict
        frequency = np.diff(retriever.scores["indptr"])
        # Robertson-Spärck Jones weight, Lucene's form: never negative.
        self._idf = np.log1p((self.n_documents - frequency + 0.5) / (frequency + 0.5))
        self._unknown_idf = float(np.log1p((self.n_documents + 0.5) / 0.5))

    @classmethod
    def from_terms(cls, documents: Sequence[Sequence[str]]) -> LexicalIndex:
        """Index one list of terms per document."""
        import bm25s

        vocabulary: dict[str, int] = {}
        ids = [
            [vocabulary.setdefault(term, len(vocabulary)) for term in document]
            for document in documents
        ]
        retriever = bm25s.BM25(method="lucene", k1=_K1, b=_B)
        retriever.index((ids, vocabulary), show_progress=False, create_empty_token=False)
        return cls(retriever)

    def save(self, folder: Path) -> None:
        """Write the arrays and the vocabulary; no pickle."""
        self._retriever.save(str(folder), show_progress=False)

    @classmethod
    def load(cls, folder: Path) -> LexicalIndex:
        """Read what `save` wrote, arrays memory-mapped."""
        import bm25s

        return cls(bm25s.BM25.load(str(folder), mmap=True))

    def scores(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """Return the BM25 score of each document for distinct `terms`, `(n_documents,) float32`."""
        import numpy as np

        known = sorted({self._vocabulary[term] for term in terms if term in self._vocabulary})
        if not known:
            return np.zeros(self.n_documents, dtype=np.float32)
        return np.asarray(self._retriever.get_scores_from_ids(known), dtype=np.float32)

    def idf(self, terms: Sequence[str]) -> float:
        """Return the summed idf of distinct `terms`; one that no document has counts in full."""
        return sum(
            float(self._idf[self._vocabulary[term]])
            if term in self._vocabulary
            else self._unknown_idf
            for term in set(terms)
        )

    def terms_of(self, document: int, terms: Sequence[str]) -> list[str]:
        """Return those of `terms` that the document holds."""
        scores = self._retriever.scores
        held = []
        for term in terms:
            number = self._vocabulary.get(term)
            if number is None:
                continue
            start, end = int(scores["indptr"][number]), int(scores["indptr"][number + 1])
            if document in scores["indices"][start:end]:
                held.append(term)
        return held
