"""Vectors of chunks in, the sections nearest to a query out; FAISS, inner product of unit vectors.

Up to EXACT_CHUNKS every vector is compared. Beyond, an inverted file (IVF) compares those of the
lists nearest to the query, with their full vectors: what is found has its exact cosine, and the
vectors can be read back for the next build.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

__all__ = ["EXACT_CHUNKS", "DenseIndex", "read_faiss", "write_faiss"]

# Below, comparing all takes less time than the lists save; see `tests/benchmarks/scale.py`.
EXACT_CHUNKS = 20_000
TOP_CHUNKS = 200
_RECALL = 0.99  # at 10, of the lists that are looked into
_SAMPLE = 256  # queries that their number is chosen by
# A query is no passage: the sample's queries lie as far from their nearest passages.
_QUERY_COSINE = 0.85
_TRAINING_PER_LIST = 48
_SEED = 20


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
        index = _exact(vectors) if len(vectors) <= EXACT_CHUNKS else _approximate(vectors)
        return cls(index, groups, int(groups.max()) + 1 if len(groups) else 0)

    def scores(self, query: Vectors, top_chunks: int = TOP_CHUNKS) -> Vectors:
        """Return the best cosine of each group for each query, `(n_queries, n_groups) float32`.

        Groups with no chunk among the `top_chunks` nearest get the least of those found.
        """
        import numpy as np

        if self.index.ntotal == 0:
            return np.zeros((len(query), self.n_groups), dtype=np.float32)
        scores = np.empty((len(query), self.n_groups), dtype=np.float32)
        for row in range(len(query)):
            cosines, groups = self._search(query[row], top_chunks)
            scores[row] = cosines[-1]
            np.maximum.at(scores[row], groups, cosines)
        return scores

    def nearest(
        self, vector: Vectors, top_chunks: int = TOP_CHUNKS
    ) -> tuple[Mapping[int, float], float]:
        """Return the best cosine of each group among the nearest chunks, and the least of them."""
        if self.index.ntotal == 0:
            return {}, 0.0
        cosines, groups = self._search(vector, top_chunks)
        best: dict[int, float] = {}
        for group, cosine in zip(groups.tolist(), cosines.tolist(), strict=True):
            best.setdefault(group, cosine)
        return best, float(cosines[-1])

    def _search(self, vector: Vectors, top_chunks: int) -> tuple[Vectors, NDArray[np.int64]]:
        """Return cosines, falling, and groups of the nearest chunks; at least one of each."""
        found, positions = self.index.search(
            vector.reshape(1, -1), min(top_chunks, self.index.ntotal)
        )
        held = positions[0] >= 0  # the lists looked into may hold fewer
        return found[0][held], self.groups[positions[0][held]]


def _exact(vectors: Vectors) -> Any:
    import faiss

    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return index


def _approximate(vectors: Vectors) -> Any:
    """Return an IVF whose number of lists to look into reaches the recall on a sample.

    About four lists for each square root of the number of vectors, as FAISS advises; trained on a
    seeded sample, so that the same vectors make the same file.
    """
    import faiss
    import numpy as np

    n, dimension = vectors.shape
    n_lists = int(4 * np.sqrt(n))
    generator = np.random.default_rng(_SEED)
    chosen = generator.choice(n, min(n, n_lists * _TRAINING_PER_LIST), replace=False)
    quantizer = faiss.IndexFlatIP(dimension)
    index = faiss.IndexIVFFlat(quantizer, dimension, n_lists, faiss.METRIC_INNER_PRODUCT)
    index.cp.niter = 8
    index.cp.spherical = True
    index.train(np.ascontiguousarray(vectors[np.sort(chosen)]))
    index.add(vectors)
    queries = vectors[generator.choice(n, min(n, _SAMPLE), replace=False)]
    noise = generator.normal(size=queries.shape).astype(np.float32)
    noise -= (noise * queries).sum(axis=1, keepdims=True) * queries
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    queries = _QUERY_COSINE * queries + np.float32(np.sqrt(1 - _QUERY_COSINE**2)) * noise
    exact = [set(row) for row in _nearest(vectors, queries, 10).tolist()]
    for n_probes in (2**power for power in range(2, n_lists.bit_length())):
        index.nprobe = min(n_probes, n_lists)
        found = index.search(queries, 10)[1].tolist()
        held = sum(len(right & set(row)) for right, row in zip(exact, found, strict=True))
        if held >= _RECALL * sum(map(len, exact)):
            break
    return index


def _nearest(vectors: Vectors, queries: Vectors, top: int) -> NDArray[np.int64]:
    import faiss

    _, positions = faiss.knn(queries, vectors, top, metric=faiss.METRIC_INNER_PRODUCT)
    return positions


def _same_lists(index: Any, vectors: Vectors) -> Any:
    """Return an IVF in memory with the lists that `index` has."""
    import faiss

    quantizer = faiss.IndexFlatIP(index.d)
    quantizer.add(faiss.downcast_index(index.quantizer).reconstruct_n(0, index.nlist))
    same = faiss.IndexIVFFlat(quantizer, index.d, index.nlist, faiss.METRIC_INNER_PRODUCT)
    same.cp.niter, same.cp.spherical = index.cp.niter, index.cp.spherical
    same.is_trained, same.nprobe = True, index.nprobe
    same.add(vectors)
    return same


def write_faiss(index: Any, path: Path) -> None:
    """Write a FAISS index whole, also one whose lists lie in another file.

    By Python: FAISS reports a full disk as a RuntimeError, after closing the file.
    """
    import faiss

    lists = getattr(index, "invlists", None)
    if lists is not None and not isinstance(
        faiss.downcast_InvertedLists(lists), faiss.ArrayInvertedLists
    ):
        # Written as they are, they would only name the file they lie in.
        index = _same_lists(index, index.reconstruct_n(0, index.ntotal))
    path.write_bytes(faiss.serialize_index(index).tobytes())


def read_faiss(path: Path) -> Any:
    """Read a FAISS index; the lists of an approximate one stay in the file, mapped to memory."""
    import faiss
    import numpy as np

    # Read by Python: a file that is gone is then a FileNotFoundError, as for the others.
    with path.open("rb") as file:
        is_lists = file.read(4) == b"IwFl"
        if not is_lists:
            file.seek(0)
            return faiss.deserialize_index(np.frombuffer(file.read(), dtype=np.uint8))
        return faiss.read_index(str(path), faiss.IO_FLAG_MMAP)
