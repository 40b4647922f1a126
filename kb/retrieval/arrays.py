"""Arrays and texts in files that are mapped into memory: read where they are looked at.

Raw little-endian numbers: numpy's own format is parsed by `ast`, which CPython 3.11 cannot do in
two threads at once ("AST constructor recursion depth mismatch").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Texts", "map_array", "ranges", "write_array", "write_texts"]

_TYPES = {"f32": "<f4", "f64": "<f8", "i16": "<i2", "i32": "<i4", "i64": "<i8", "u64": "<u8"}
TEXTS, ENDS = ".utf8", ".i64"


def write_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array; the end of the file's name is its type: `data.f32`."""
    with path.open("wb") as file:
        file.write(array.astype(_TYPES[path.suffix[1:]], copy=False).tobytes())


def map_array(path: Path) -> NDArray[Any]:
    """Return the array in a file, mapped into memory; the end of the name is its type."""
    import numpy as np

    dtype = _TYPES[path.suffix[1:]]
    if not path.stat().st_size:  # there is nothing to map
        return np.empty(0, dtype=dtype)
    return np.asarray(np.memmap(path, dtype=dtype, mode="r"))


def write_texts(folder: Path, name: str, texts: Iterable[str]) -> None:
    """Write texts one after the other, and where each one ends."""
    import numpy as np

    ends = []
    length = 0
    with (folder / f"{name}{TEXTS}").open("wb") as file:
        for text in texts:
            length += file.write(text.encode("utf-8", "surrogatepass"))
            ends.append(length)
    write_array(folder / f"{name}{ENDS}", np.array(ends, dtype=np.int64))


class Texts(Sequence[str]):
    """Texts in a file, each read when it is asked for."""

    def __init__(self, raw: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        """Take the bytes of all texts and where each one ends."""
        self._raw, self._ends = raw, ends

    @classmethod
    def load(cls, folder: Path, name: str) -> Texts:
        """Map what `write_texts` wrote."""
        import numpy as np

        path = folder / f"{name}{TEXTS}"
        raw = (
            np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
            if path.stat().st_size
            else np.empty(0, dtype=np.uint8)
        )
        return cls(raw, map_array(folder / f"{name}{ENDS}"))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._ends)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        """Return one text, or those of a slice."""
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        start = int(self._ends[number - 1]) if number else 0
        raw = self._raw[start : int(self._ends[number])]
        return raw.tobytes().decode("utf-8", "surrogatepass")


def ranges(
    ends: NDArray[np.int64], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what lies in the chosen ranges `ends[c]` to `ends[c + 1]`, and whose each one is."""
    import numpy as np

    sizes = ends[chosen + 1] - ends[chosen]
    owners = np.repeat(np.arange(len(chosen)), sizes)
    before = np.cumsum(sizes) - sizes
    return np.arange(len(owners)) - before[owners] + ends[chosen][owners], owners
