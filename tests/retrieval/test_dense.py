from __future__ import annotations

import numpy as np

from kb.retrieval.dense import DenseIndex


def test_a_group_scores_as_its_nearest_chunk_by_brute_force():
    generator = np.random.default_rng(5)
    vectors = generator.normal(size=(60, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    groups = generator.integers(0, 7, size=60).astype(np.int64)
    groups[:7] = np.arange(7)
    query = vectors[3:5]
    expected = np.stack(
        [[(vectors[groups == group] @ q).max() for group in range(7)] for q in query]
    )
    found = DenseIndex.from_vectors(vectors, groups).scores(query)
    assert np.allclose(found, expected, atol=1e-5)
