"""Vectors as they are embedded, on disk until the index is written: a killed build goes on there.

One file beside the index: a header that holds the encoder's probe, then records of one size, each
a text's digest, its vector and a checksum. A kill can only cut the last record, which fails its
checksum and is dropped; a journal of another encoder is begun anew.
"""

from __future__ import annotations

import fcntl
import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from kb.errors import IndexFolderError
from kb.retrieval.encoders import is_same_encoder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

__all__ = ["JOURNAL", "VectorJournal", "open_journal"]

JOURNAL = ".journal"
_HEADER = struct.Struct("<4sI")  # magic, dimension; the probe's vector follows
_MAGIC = b"kbj1"
_DIGEST_BYTES = 12
_CHECKSUM_BYTES = 4


class VectorJournal:
    """The vectors an interrupted build has left, and the file that this build adds its own to."""

    def __init__(self, file: IO[bytes], probe: Sequence[float], folder: Path) -> None:
        """Take an unbuffered file to read and append, the encoder's probe, and the index folder."""
        import numpy as np

        self._file = file
        self._folder = folder  # for messages
        self.vectors: dict[str, Vector] = {}
        given = np.array(probe, dtype="<f4")
        file.seek(0)
        header = file.read(_HEADER.size)
        if header == _HEADER.pack(_MAGIC, len(given)):
            raw = file.read(given.nbytes)
            if len(raw) == given.nbytes and is_same_encoder(np.frombuffer(raw, "<f4"), given):
                file.truncate(self._read_records(len(given)))
                return
        file.truncate(0)
        self._write(_HEADER.pack(_MAGIC, len(given)) + given.tobytes())

    def _read_records(self, dimension: int) -> int:
        """Read whole records into `vectors`; return where the last of them ends."""
        import numpy as np

        size = _DIGEST_BYTES + 4 * dimension
        end = self._file.tell()
        while len(record := self._file.read(size + _CHECKSUM_BYTES)) == size + _CHECKSUM_BYTES:
            body = record[:size]
            if _checksum(body) != record[size:]:
                break
            vector = np.frombuffer(body, "<f4", offset=_DIGEST_BYTES)
            self.vectors[body[:_DIGEST_BYTES].hex()] = vector.astype(np.float32)
            end += len(record)
        return end

    def append(self, digests: Sequence[str], rows: Vector) -> None:
        """Write the vectors `(n, dim)` of texts; a kill after this loses none of them."""
        bodies = [
            bytes.fromhex(digest) + row.astype("<f4").tobytes()
            for digest, row in zip(digests, rows, strict=True)
        ]
        self._write(b"".join(body + _checksum(body) for body in bodies))

    def _write(self, raw: bytes) -> None:
        left = memoryview(raw)
        try:
            while left:
                left = left[os.write(self._file.fileno(), left) :]
        except OSError as error:
            raise _unwritable(self._folder, error) from error


def _checksum(body: bytes) -> bytes:
    return zlib.crc32(body).to_bytes(_CHECKSUM_BYTES, "little")


def _unwritable(folder: Path, error: OSError) -> IndexFolderError:
    return IndexFolderError(
        f"the index cannot be written to {folder}: {error.strerror or error};"
        " the index that was there is unchanged. Give a folder that can be written to and has"
        " room; a build begun here goes on where it stopped"
    )


@contextmanager
def open_journal(folder: Path, probe: Sequence[float]) -> Iterator[VectorJournal | None]:
    """Open the journal of an index folder; it is removed when the block ends without an error.

    None where another build is writing it: that one keeps its vectors, this one does without.
    Raises IndexFolderError where the folder or the file cannot be written.
    """
    path = folder / JOURNAL
    try:
        # A link is not followed: what it points to would be overwritten.
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        file = os.fdopen(os.open(path, flags, 0o644), "a+b", buffering=0)
    except OSError as error:
        raise _unwritable(folder, error) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        yield VectorJournal(file, probe, folder)
        # While the lock is held: no other build can have taken this file for its own.
        path.unlink(missing_ok=True)
