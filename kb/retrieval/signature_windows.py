"""The signatures of a large index, found through a table that is mapped into memory.

An automaton over a million lines takes gigabytes and a minute to make. Here each signature enters a
sorted table by the hash of one window of its anchor, the one that fewest others have; the hashes of
all windows of a text are looked up in one pass (Karp & Rabin, 1987), and what is found is verified
as the automaton's matches are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from kb.retrieval.arrays import Texts, map_array, write_array, write_texts
from kb.retrieval.signatures import (
    HEAD_CHARS,
    MAX_HITS,
    MAX_TRIES,
    Hit,
    Signature,
    compile_signature,
    fold,
    line_starts,
    quotations,
    quoted_hits,
    verify,
    verify_cut,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.uint32]
    Hashes = NDArray[np.uint64]

__all__ = ["WindowedMatcher"]

# Characters of a window; the short one is for anchors that have no long one.
WINDOWS = (12, 6)
_BASE = 1_000_003
_MIX = 0x9E37_79B9_7F4A_7C15  # spreads a hash over its upper bits, which the filter takes
_FILTER_BITS = 24
_COMPILED = 2048  # signatures that are held as they were compiled: a megabyte
_COUNTED_BITS = 27  # of the longest table that windows are counted in: 0.5 GB, for 30 million
_ANCHORS = 50_000  # whose windows are hashed at a time
_BLOCK = 1 << 16  # characters that are hashed at a time: they stay in the processor's cache


class _Windows:
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


class WindowedMatcher:
    """All signatures at once, as `SignatureMatcher` finds them."""

    def __init__(
        self,
        ids: Sequence[str],
        owners: NDArray[np.int32],
        lines: Sequence[str],
        windows: Sequence[_Windows],
    ) -> None:
        """Take the owner of each line, positions among `ids` that rise, and the lines' windows."""
        self._ids, self._owners, self._lines, self._windows = ids, owners, lines, tuple(windows)
        # The texts of one query meet the same signatures.
        self._signature = lru_cache(maxsize=_COMPILED)(self._compile)

    @classmethod
    def from_lines(cls, ids: Sequence[str], owned: Iterable[tuple[int, str]]) -> WindowedMatcher:
        """Take lines, each with the position of its owner among `ids`; equal pairs enter once."""
        import numpy as np

        owners, lines, anchors = [], [], []
        for owner, line in sorted(dict.fromkeys(owned), key=lambda pair: pair[0]):
            signature = compile_signature("", line)
            if signature is not None:
                owners.append(owner)
                lines.append(line)
                anchors.append(signature.pieces[signature.anchor][:HEAD_CHARS])
        long, short = WINDOWS
        of_size: dict[int, list[int]] = {long: [], short: []}
        for number, anchor in enumerate(anchors):
            of_size[long if len(anchor) >= long else short].append(number)
        windows = [_choose(size, numbers, anchors) for size, numbers in of_size.items()]
        return cls(ids, np.array(owners, dtype=np.int32), lines, windows)

    def save(self, folder: Path, name: str) -> None:
        """Write it as files whose names begin with `name`."""
        write_array(folder / f"{name}_owners.i32", self._owners)
        write_texts(folder, f"{name}_lines", self._lines)
        for windows in self._windows:
            path = f"{name}_{windows.size}"
            write_array(folder / f"{path}_keys.u64", windows.keys)
            write_array(folder / f"{path}_numbers.i32", windows.numbers)
            write_array(folder / f"{path}_offsets.i16", windows.offsets)

    @classmethod
    def load(cls, folder: Path, name: str, ids: Sequence[str]) -> WindowedMatcher:
        """Map what `save` wrote."""
        windows = [
            _Windows(
                size,
                map_array(folder / f"{name}_{size}_keys.u64"),
                map_array(folder / f"{name}_{size}_numbers.i32"),
                map_array(folder / f"{name}_{size}_offsets.i16"),
            )
            for size in WINDOWS
        ]
        lines = Texts.load(folder, f"{name}_lines")
        return cls(ids, map_array(folder / f"{name}_owners.i32"), lines, windows)

    def __len__(self) -> int:
        """Return how many signatures there are."""
        return len(self._lines)

    def match(self, text: str) -> list[Hit]:
        """Return the hits in `text`, in line order, as `SignatureMatcher.match` does."""
        import numpy as np

        if not len(self._lines):
            return []
        folded, starts = fold(text), line_starts(text)
        codes = np.frombuffer(folded.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        n_hits: dict[int, int] = {}
        n_tries: dict[int, int] = {}
        hits: list[Hit] = []
        for number, start in self._candidates(codes):
            tried = n_tries.get(number, 0)
            if n_hits.get(number, 0) >= MAX_HITS or tried >= MAX_TRIES or start < 0:
                continue
            signature = self._signature(number)
            anchor = signature.pieces[signature.anchor]
            if folded.startswith(anchor, start):
                hit = verify(signature, folded, start, start + len(anchor), starts)
            elif len(anchor) > HEAD_CHARS and folded.startswith(anchor[:HEAD_CHARS], start):
                hit = verify_cut(signature, folded, start, start + HEAD_CHARS, starts)
            else:  # another text with this window, or this hash
                continue
            n_tries[number] = tried + 1
            if hit is not None:
                n_hits[number] = n_hits.get(number, 0) + 1
                hits.append(hit)
        hits.sort(key=lambda hit: (hit.line, -hit.matched))
        return hits

    def match_words(self, text: str, among: Collection[int] | None = None) -> list[Hit]:
        """Return the hits in a person's words: signatures, and pieces of them that are quoted.

        Quoted pieces are looked for in the signatures of the owners at `among`, by default all.
        """
        return self.match(text) + self.match_quoted(text, among)

    def match_quoted(self, text: str, among: Collection[int] | None = None) -> list[Hit]:
        """Return the hits of what is quoted in a person's words."""
        hits: list[Hit] = []
        quoted = list(quotations(text))
        lines = list(self._lines_of(among)) if quoted else []
        for piece in quoted:
            owners: dict[str, Signature] = {}
            for number, line in lines:
                if piece not in line:  # before it is cut into pieces, which takes longer
                    continue
                signature = self._signature(number)
                if any(piece in part for part in signature.pieces):
                    owners.setdefault(signature.owner, signature)
            hits += quoted_hits(owners.values(), piece)
        return hits

    def _candidates(self, codes: Codes) -> Iterator[tuple[int, int]]:
        """Yield signatures that may be in a text and where their anchors begin, in its order."""
        import numpy as np

        numbers, starts = [], []
        for windows in self._windows:
            places, entries = windows.find(codes)
            numbers.append(windows.numbers[entries].astype(np.int64))
            starts.append(places - windows.offsets[entries])
        number, start = np.concatenate(numbers), np.concatenate(starts)
        order = np.argsort(start, kind="stable")
        yield from zip(number[order].tolist(), start[order].tolist(), strict=True)

    def _compile(self, number: int) -> Signature:
        owner = self._ids[int(self._owners[number])]
        signature = compile_signature(owner, self._lines[number])
        assert signature is not None  # only such lines were taken
        return signature

    def _lines_of(self, among: Collection[int] | None) -> Iterator[tuple[int, str]]:
        """Yield the signatures of some owners, and their lines as their pieces are written."""
        import numpy as np

        numbers: Iterable[int] = range(len(self._lines))
        if among is not None:
            asked = np.array(sorted(among), dtype=np.int32)
            starts = np.searchsorted(self._owners, asked).tolist()
            ends = np.searchsorted(self._owners, asked, side="right").tolist()
            spans = zip(starts, ends, strict=True)
            numbers = (number for start, end in spans for number in range(start, end))
        for number in numbers:
            yield number, self._lines[number].lower().replace("\t", " ")


def _hash(codes: Codes, size: int) -> Hashes:
    """Return the hash of each window of `size` characters, `(len(codes) - size + 1,)`."""
    import numpy as np

    hashes = np.zeros(max(0, len(codes) - size + 1), dtype=np.uint64)
    for place in range(size):
        hashes *= np.uint64(_BASE)
        hashes += codes[place : place + len(hashes)]
    hashes *= np.uint64(_MIX)
    return hashes


def _choose(size: int, numbers: Sequence[int], anchors: Sequence[str]) -> _Windows:
    """Return the table of the anchors at `numbers`, each by the window that fewest others have."""
    import numpy as np

    empty = np.empty(0, dtype=np.uint64)
    if not numbers:
        return _Windows(size, empty, empty.astype(np.int32), empty.astype(np.int16))
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
    return _Windows(size, keys[order], np.asarray(numbers, dtype=np.int32)[order], offsets[order])


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
