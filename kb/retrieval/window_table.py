"""Anchors of signatures in, a sorted table of the hash of one window of each out.

The window is the one that fewest others have; a text's windows are looked up by their hashes (Karp
& Rabin, 1987) behind a filter that most of them do not pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kb.retrieval.signatures import MAX_TRIES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.uint32]
    Hashes = NDArray[np.uint64]

__all__ = ["WINDOWS", "Windows", "choose_windows"]

# Characters of a window; the short one is for anchors that have no long one.
WINDOWS = (12, 6)
_BASE = 1_000_003
_MIX = 0x9E37_79B9_7F4A_7C15  # spreads a hash over its upper bits, which the filter takes
_FILTER_BITS = 24
_COUNTED_BITS = 27  # of the longest table that windows are counted in: 0.5 GB, for 30 million
_ANCHORS = 50_000  # whose windows are hashed at a time
_BLOCK = 1 << 16  # characters that are hashed at a time: they stay in the processor's cache


class Windows:
    """The signatures whose window has one size, by its hash."""

    def __init__(
        self, size: int, keys: Hashes, numbers: NDArray[np.int32], offsets: NDArray[np.int16]
    ) -> None:
        """Take hashes, rising, and for each the signature and where in its anchor the window is."""
        import numpy as np

        self.size, self.keys, self.numbers, self.offsets = size, keys, numbers, offsets
        self._filter = np.zeros(1 << _FILTER_BITS if len(keys) else 0, dtype=bool)
        self._filter[keys >> np.uint64(64 - _FILTER_BITS)] = True

    def find(self, codes: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where windows of signatures are in a text, rising, and the entries of each.

        Of a window that is there again and again the first MAX_TRIES places count.
        """
        import numpy as np

        nothing = np.empty(0, dtype=np.int64)
        if not len(self.keys):
            return nothing, nothing
        places, firsts = [nothing], [nothing]
        for start in range(0, len(codes) - self.size + 1, _BLOCK):
            hashes = _hash(codes[start : start + _BLOCK + self.size - 1], self.size)
            maybe = np.flatnonzero(self._filter[hashes >> np.uint64(64 - _FILTER_BITS)])
            first = np.searchsorted(self.keys, hashes[maybe])
            first = np.minimum(first, len(self.keys) - 1)
            found = self.keys[first] == hashes[maybe]
            places.append(maybe[found] + start)
            firsts.append(first[found])
        place, first = np.concatenate(places), np.concatenate(firsts)
        kept = _repeats(first) < MAX_TRIES
        place, first = place[kept], first[kept]
        sizes = np.searchsorted(self.keys, self.keys[first], side="right") - first
        entry = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        return np.repeat(place, sizes), entry


def _hash(codes: Codes, size: int) -> Hashes:
    """Return the hash of each window of `size` characters, `(len(codes) - size + 1,)`."""
    import numpy as np

    hashes = np.zeros(max(0, len(codes) - size + 1), dtype=np.uint64)
    for place in range(size):
        hashes *= np.uint64(_BASE)
        hashes += codes[place : place + len(hashes)]
    hashes *= np.uint64(_MIX)
    return hashes


def choose_windows(size: int, numbers: Sequence[int], anchors: Sequence[str]) -> Windows:
    """Return the table of the anchors at `numbers`, each by the window that fewest others have."""
    import numpy as np

    empty = np.empty(0, dtype=np.uint64)
    if not numbers:
        return Windows(size, empty, empty.astype(np.int32), empty.astype(np.int16))
    # How many anchors have a window is counted by a part of its hash, in a table several times as
    # long as there are windows: one that is taken for commoner than it is does no harm.
    n_windows = sum(len(anchors[number]) - size + 1 for number in numbers)
    bits = min(max(2 * n_windows, 1 << 10).bit_length(), _COUNTED_BITS)
    shift = np.uint64(64 - bits)
    counts = np.zeros(1 << bits, dtype=np.int32)
    for values, _, _ in _windows_of(size, numbers, anchors):
        np.add.at(counts, (values >> shift).astype(np.int64), 1)
    keys = np.empty(len(numbers), dtype=np.uint64)
    offsets = np.empty(len(numbers), dtype=np.int16)
    done = 0
    for values, member, offset in _windows_of(size, numbers, anchors):
        order = np.lexsort((offset, counts[values >> shift], member))
        best = order[np.flatnonzero(offset == 0)]  # the first of each member, in member's order
        keys[done : done + len(best)] = values[best]
        offsets[done : done + len(best)] = offset[best]
        done += len(best)
    order = np.lexsort((np.asarray(numbers), keys))
    return Windows(size, keys[order], np.asarray(numbers, dtype=np.int32)[order], offsets[order])


def _windows_of(
    size: int, numbers: Sequence[int], anchors: Sequence[str]
) -> Iterator[tuple[Hashes, NDArray[np.int64], NDArray[np.int64]]]:
    """Yield, block by block, the hashes of anchors' windows, whose each is, and where in it."""
    import numpy as np

    for start in range(0, len(numbers), _ANCHORS):
        chosen = [anchors[number] for number in numbers[start : start + _ANCHORS]]
        text = "".join(chosen)
        hashes = _hash(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4"), size)
        lengths = np.array([len(anchor) for anchor in chosen], dtype=np.int64)
        n_windows = lengths - size + 1
        member = np.repeat(np.arange(len(chosen)), n_windows)
        offset = np.arange(len(member)) - np.repeat(np.cumsum(n_windows) - n_windows, n_windows)
        yield hashes[(np.cumsum(lengths) - lengths)[member] + offset], member, offset


def _repeats(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many equal values stand before each one."""
    import numpy as np

    order = np.argsort(values, kind="stable")
    ordered = values[order]
    is_first = np.ones(len(values), dtype=bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    places = np.arange(len(values))
    first = np.maximum.accumulate(np.where(is_first, places, 0)) if len(values) else places
    repeats = np.empty(len(values), dtype=np.int64)
    repeats[order] = places - first
    return repeats
