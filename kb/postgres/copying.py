"""Rows in, PostgreSQL's binary COPY out: numbers by the million are packed by numpy, not printed.

The formats are those of the types' receive functions, big-endian. pgvector's are described in its
sources: a `vector` is its dimensions (int16), two bytes of zero and the values; a `sparsevec` is
its dimensions, the number of its entries and a zero (int32 each), the places from 0 on, the values.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PACKED", "copy_rows", "integers", "reals", "sparse_vector", "texts", "vector"]

# The type of a column whose values are packed already: COPY names no types, so that bytes pass.
PACKED = "bytea"
_INT4, _FLOAT4, _TEXT = 23, 700, 25  # PostgreSQL's numbers of the types


def copy_rows(
    connection: Any, table: str, columns: Mapping[str, str], rows: Iterable[tuple[Any, ...]]
) -> None:
    """Write rows into the columns of a table; `columns` gives their types by name, in order."""
    statement = f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)"
    with connection.cursor().copy(statement) as copy:
        copy.set_types(list(columns.values()))
        for row in rows:
            copy.write_row(row)


def vector(values: NDArray[Any]) -> bytes:
    """Return a `vector` of `(dim,)` values."""
    return struct.pack(">hh", len(values), 0) + values.astype(">f4").tobytes()


def sparse_vector(numbers: NDArray[Any], weights: NDArray[Any], dimensions: int) -> bytes:
    """Return a `sparsevec`; `numbers` are its dimensions from 1 on, rising, no weight is 0."""
    head = struct.pack(">iii", dimensions, len(numbers), 0)
    return head + (numbers - 1).astype(">i4").tobytes() + weights.astype(">f4").tobytes()


def integers(values: NDArray[Any]) -> bytes:
    """Return an `integer[]`."""
    return _array(values, ">i4", _INT4)


def reals(values: NDArray[Any]) -> bytes:
    """Return a `real[]`."""
    return _array(values, ">f4", _FLOAT4)


def texts(values: Sequence[str]) -> bytes:
    """Return a `text[]`."""
    encoded = [value.encode("utf-8") for value in values]
    packed = b"".join(struct.pack(">i", len(value)) + value for value in encoded)
    return _head(len(values), _TEXT) + packed


def _array(values: NDArray[Any], kind: str, oid: int) -> bytes:
    import numpy as np

    rows = np.empty(len(values), dtype=[("length", ">i4"), ("value", kind)])
    rows["length"] = 4
    rows["value"] = values
    return _head(len(values), oid) + rows.tobytes()


def _head(length: int, oid: int) -> bytes:
    if not length:
        return struct.pack(">iii", 0, 0, oid)
    return struct.pack(">iiiii", 1, 0, oid, length, 1)
