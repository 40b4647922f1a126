from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.retrieval.lexical import LexicalIndex

DOCUMENTS = st.lists(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12), min_size=1, max_size=10
)


def _bm25(documents: list[list[str]], terms: set[str]) -> list[float]:
    """Lucene's BM25 from its formula, one term and document at a time."""
    n, average = len(documents), sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        score = 0.0
        for term in terms:
            frequency = document.count(term)
            with_term = sum(term in other for other in documents)
            idf = math.log1p((n - with_term + 0.5) / (with_term + 0.5))
            norm = 1.2 * (1 - 0.75 + 0.75 * len(document) / average)
            score += idf * frequency / (frequency + norm)
        scores.append(score)
    return scores


@given(DOCUMENTS, st.sets(st.sampled_from("abcdefghz"), max_size=5))
def test_scores_are_those_of_the_formula(documents, terms):
    index = LexicalIndex.from_terms(documents)
    assert index.scores(terms) == pytest.approx(_bm25(documents, terms), abs=1e-5)


def test_a_saved_index_scores_as_before(tmp_path):
    index = LexicalIndex.from_terms([["서버", "hang"], ["oom"]])
    index.save(tmp_path)
    loaded = LexicalIndex.load(tmp_path)
    assert np.array_equal(index.scores(["서버"]), loaded.scores(["서버"]))
    assert loaded.idf(["서버", "none"]) == index.idf(["서버", "none"])


def test_terms_of_a_document_are_those_it_holds():
    index = LexicalIndex.from_terms([["a", "b"], ["c"]])
    assert index.terms_of(0, ["a", "c", "z"]) == ["a"]
