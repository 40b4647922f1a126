"""Vectors of chunks in, the sections nearest to a query out; inner product of unit vectors.

Up to EXACT_CHUNKS FAISS compares every vector. Beyond, what it compares is each vector's code of 4
bits for every two dimensions (product quantisation, Jégou et al., 2011; scanned in registers, André
et al., 2015), and the best by code are compared with their full vectors, which stay on the disk.
Lists (IVF) and graphs (HNSW) lose: vectors of one encoder and one subject lie so near each other
that half the lists have to be looked into, see `tests/benchmarks/scale.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

__all__ = [
    "EXACT_CHUNKS",
    "CodedIndex",
    "DenseIndex",
    "all_vectors",
    "read_vectors",
    "write_vectors",
]

# Comparing all takes a millisecond here, and grows with the number; codes take half of that.
EXACT_CHUNKS = 20_000
TOP_CHUNKS = 200
# That are compared in full, at least; of more vectors so many times their number's square root:
# 1,000 of 200,000 have a recall@10 of 0.996, of 590,000 one of 0.992, of 2,000,000 one of 0.978.
_CODES = 1_000
_CODES_BY_ROOT = 2
_TRAINING = 20_000  # vectors that the codes are learned from
_SEED = 20
VECTORS = "vectors.faiss"
FULL_VECTORS = "vectors.f32"


class CodedIndex:
    """Vectors found by their codes and compared in full; asked like an index of FAISS."""

    def __init__(self, codes: Any, vectors: Vectors) -> None:
        """Take FAISS's index of the codes, and `(n, dim) float32`, which may be memory-mapped."""
        self.codes = codes
        self.vectors = vectors
        self.ntotal, self.d = vectors.shape

    @classmethod
    def from_vectors(cls, vectors: Vectors) -> CodedIndex:
        """Learn codes from a seeded sample: the same vectors make the same files."""
        import faiss
        import numpy as np

        n, dimension = vectors.shape
        codes = faiss.index_factory(
            dimension, f"PQ{dimension // 2}x4fs", faiss.METRIC_INNER_PRODUCT
        )
        # Of what all have in common nothing can be told: it is left out of the codes. What a query
        # shares with it adds the same to every vector.
        mean = vectors.mean(axis=0)
        chosen = np.random.default_rng(_SEED).choice(n, min(n, _TRAINING), replace=False)
        with _one_thread():
            codes.train(vectors[np.sort(chosen)] - mean)
            for start in range(0, n, _TRAINING):
                codes.add(vectors[start : start + _TRAINING] - mean)
        return cls(codes, vectors)

    def search(self, queries: Vectors, top: int) -> tuple[Vectors, NDArray[np.int64]]:
        """Return cosines, falling, and positions of the nearest, `(n_queries, top)` each."""
        import numpy as np

        top = min(top, self.ntotal)
        n_full = min(max(_CODES, int(_CODES_BY_ROOT * self.ntotal**0.5), 5 * top), self.ntotal)
        _, by_code = self.codes.search(queries, n_full)
        cosines = np.empty((len(queries), top), dtype=np.float32)
        positions = np.empty((len(queries), top), dtype=np.int64)
        for row, found in enumerate(by_code):
            found = np.sort(found)  # in the order of the file
            full = self.vectors[found] @ queries[row]
            best = np.argsort(-full, kind="stable")[:top]
            cosines[row], positions[row] = full[best], found[best]
        return cosines, positions

    def reconstruct(self, position: int) -> Vectors:
        """Return one vector, `(dim,) float32`."""
        import numpy as np

        return np.array(self.vectors[position])

    def reconstruct_n(self, start: int, n: int) -> Vectors:
        """Return `n` vectors from `start` on."""
        import numpy as np

        return np.array(self.vectors[start : start + n])


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let FAISS work in the thread that calls it.

    Codes are learned in thousands of short steps; on a busy machine threads wait for each other at
    the end of each one for longer than they all take.
    """
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


class DenseIndex:
    """Chunk vectors, unit length, and the group (section id) each chunk belongs to."""

    def __init__(self, index: Any, groups: NDArray[np.int64], n_groups: int) -> None:
        """Take an index over `(n_chunks, dim)` and `groups` of shape `(n_chunks,)`."""
        self.index = index
        self.groups = groups
        self.n_groups = n_groups

    @classmethod
    def from_vectors(cls, vectors: Vectors, groups: NDArray[np.int64]) -> DenseIndex:
        """Build from unit vectors `(n_chunks, dim) float32`."""
        index = (
            _exact(vectors)
            if len(vectors) <= EXACT_CHUNKS or vectors.shape[1] % 2
            else CodedIndex.from_vectors(vectors)
        )
        return cls(index, groups, int(groups.max()) + 1 if len(groups) else 0)

    def scores(self, query: Vectors, top_chunks: int = TOP_CHUNKS) -> Vectors:
        """Return the best cosine of each group for each query, `(n_queries, n_groups) float32`.

        Groups with no chunk among the `top_chunks` nearest get the least of those found.
        """
        import numpy as np

        if self.index.ntotal == 0:
            return np.zeros((len(query), self.n_groups), dtype=np.float32)
        scores = np.empty((len(query), self.n_groups), dtype=np.float32)
        for row, (cosines, groups) in enumerate(zip(*self._search(query, top_chunks), strict=True)):
            scores[row] = cosines[-1]
            np.maximum.at(scores[row], groups, cosines)
        return scores

    def nearest(
        self, vectors: Vectors, top_chunks: int = TOP_CHUNKS
    ) -> list[tuple[Mapping[int, float], float]]:
        """Return for each query the best cosine of each group among the nearest, and the least."""
        if self.index.ntotal == 0 or not len(vectors):
            return [({}, 0.0) for _ in vectors]
        found: list[tuple[Mapping[int, float], float]] = []
        for cosines, groups in zip(*self._search(vectors, top_chunks), strict=True):
            best: dict[int, float] = {}
            for group, cosine in zip(groups.tolist(), cosines.tolist(), strict=True):
                best.setdefault(group, cosine)
            found.append((best, float(cosines[-1])))
        return found

    def _search(self, vectors: Vectors, top_chunks: int) -> tuple[Vectors, NDArray[np.int64]]:
        """Return cosines, falling, and groups of the nearest chunks, `(n_queries, n)` each."""
        found, positions = self.index.search(vectors, min(top_chunks, self.index.ntotal))
        return found, self.groups[positions]


def _exact(vectors: Vectors) -> Any:
    import faiss

    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return index


def all_vectors(index: Any) -> Vectors:
    """Return the vectors of a `DenseIndex`, `(n, dim) float32`; mapped where they lie in a file."""
    if isinstance(index, CodedIndex):
        return index.vectors
    vectors: Vectors = index.reconstruct_n(0, index.ntotal)
    return vectors


def write_vectors(index: Any, folder: Path) -> None:
    """Write the vectors of a `DenseIndex` into a folder.

    By Python: FAISS reports a full disk as a RuntimeError, after closing the file.
    """
    import faiss

    if isinstance(index, CodedIndex):
        with (folder / FULL_VECTORS).open("wb") as file:
            for start in range(0, index.ntotal, _TRAINING):
                file.write(index.reconstruct_n(start, _TRAINING).astype("<f4").tobytes())
        index = index.codes
    (folder / VECTORS).write_bytes(faiss.serialize_index(index).tobytes())


def read_vectors(folder: Path) -> Any:
    """Read what `write_vectors` wrote; full vectors of a large index stay on the disk."""
    import faiss
    import numpy as np

    # Read by Python: a file that is gone is then a FileNotFoundError, as for the others.
    index = faiss.deserialize_index(np.frombuffer((folder / VECTORS).read_bytes(), dtype=np.uint8))
    if not (folder / FULL_VECTORS).exists():
        return index
    mapped = np.memmap(folder / FULL_VECTORS, "<f4", "r", shape=(index.ntotal, index.d))
    return CodedIndex(index, np.asarray(mapped))
