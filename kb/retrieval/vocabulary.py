"""The terms of a large index and their columns, in files that are mapped, not read.

A dictionary of three million terms takes half a gigabyte and seconds to fill. Here the column of a
term is found by its hash in a sorted table, and the term that stands there is compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from kb.retrieval.arrays import Texts, map_array, write_array, write_texts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MAPPED_TERMS", "StoredVocabulary", "write_vocabulary"]

# Terms from which a vocabulary is mapped: fewer are read in a few milliseconds.
MAPPED_TERMS = 50_000
_NAME, _HASHES, _COLUMNS = "terms", "term_hashes.u64", "term_columns.i32"
_KNOWN = 4096  # terms whose columns are held: those of a query are asked for again and again


def write_vocabulary(folder: Path, terms: Iterable[str]) -> None:
    """Write terms, given in the order of their columns."""
    import numpy as np

    hashes = np.fromiter(map(_hash, terms), dtype=np.uint64)
    order = np.argsort(hashes, kind="stable")
    write_texts(folder, _NAME, terms)
    write_array(folder / _HASHES, hashes[order])
    write_array(folder / _COLUMNS, order)


class StoredVocabulary(Mapping[str, int]):
    """The column of each term, looked up in what `write_vocabulary` wrote."""

    def __init__(
        self, terms: Texts, hashes: NDArray[np.uint64], columns: NDArray[np.int32]
    ) -> None:
        """Take the terms by column, and the column of each of the rising hashes."""
        self._terms, self._hashes, self._columns = terms, hashes, columns
        self._column = lru_cache(maxsize=_KNOWN)(self._find)

    @classmethod
    def load(cls, folder: Path) -> StoredVocabulary:
        """Map the files."""
        hashes, columns = map_array(folder / _HASHES), map_array(folder / _COLUMNS)
        return cls(Texts.load(folder, _NAME), hashes, columns)

    def __getitem__(self, term: str) -> int:
        """Return the column of a term; KeyError where there is none."""
        column = self._column(term)
        if column < 0:
            raise KeyError(term)
        return column

    def __iter__(self) -> Iterator[str]:
        """Yield the terms in the order of their columns."""
        return iter(self._terms)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._terms)

    def __contains__(self, term: object) -> bool:
        """Whether any document has a term."""
        return isinstance(term, str) and self._column(term) >= 0

    def _find(self, term: str) -> int:
        import numpy as np

        wanted = np.uint64(_hash(term))
        place = int(np.searchsorted(self._hashes, wanted))
        while place < len(self._hashes) and self._hashes[place] == wanted:
            column = int(self._columns[place])
            if self._terms[column] == term:
                return column
            place += 1
        return -1


def _hash(term: str) -> int:
    raw = term.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, digest_size=8).digest(), "little")
