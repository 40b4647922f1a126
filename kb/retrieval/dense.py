"""Vectors of chunks in, the sections nearest to a query out; FAISS, exact inner product."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

__all__ = ["DenseIndex"]


class DenseIndex:
    """Chunk vectors, unit length, and the group (section id) each chunk belongs to."""

    def __init__(self, index: Any, groups: NDArray[np.int64], n_groups: int) -> None:
        """Take a FAISS index over `(n_chunks, dim)` and `groups` of shape `(n_chunks,)`."""
        self.index = index
        self.groups = groups
        self.n_groups = n_groups

    @classmethod
    def from_vectors(cls, vectors: Vectors, groups: NDArray[np.int64]) -> DenseIndex:
        """Build from unit vectors `(n_chunks, dim) float32`."""
        import faiss

        index = faiss.IndexFlatIP(vectors.shape[1])
        index.add(vectors)
        return cls(index, groups, int(groups.max()) + 1 if len(groups) else 0)

    def scores(self, query: Vectors, top_chunks: int = 200) -> Vectors:
        """Return the best cosine of each group for each query, `(n_queries, n_groups) float32`.

        Groups with no chunk among the `top_chunks` nearest get the least of those found.
        """
        import numpy as np

        if self.index.ntotal == 0:
            return np.zeros((len(query), self.n_groups), dtype=np.float32)
        found, positions = self.index.search(query, min(top_chunks, self.index.ntotal))
        scores = np.repeat(found[:, -1:], self.n_groups, axis=1)
        for row in range(len(query)):
            np.maximum.at(scores[row], self.groups[positions[row]], found[row])
        return scores
