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
from kb.retrieval.folding import fold, line_starts
from kb.retrieval.quotations import quotations
from kb.retrieval.signatures import (
    HEAD_CHARS,
    Hit,
    Signature,
    Tally,
    compile_signature,
    quoted_hits,
    verify,
    verify_cut,
)
from kb.retrieval.window_table import WINDOWS, Windows, choose_windows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.uint32]
    Hashes = NDArray[np.uint64]

__all__ = ["WindowedMatcher"]

_COMPILED = 2048  # signatures that are held as they were compiled: a megabyte


class WindowedMatcher:
    """All signatures at once, as `SignatureMatcher` finds them."""

    def __init__(
        self,
        ids: Sequence[str],
        owners: NDArray[np.int32],
        lines: Sequence[str],
        windows: Sequence[Windows],
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
        windows = [choose_windows(size, numbers, anchors) for size, numbers in of_size.items()]
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
            Windows(
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
        tally = Tally()
        for number, start in self._candidates(codes):
            if start < 0 or not tally.may_try(number):
                continue
            signature = self._signature(number)
            anchor = signature.pieces[signature.anchor]
            if folded.startswith(anchor, start):
                hit = verify(signature, folded, start, start + len(anchor), starts)
            elif len(anchor) > HEAD_CHARS and folded.startswith(anchor[:HEAD_CHARS], start):
                hit = verify_cut(signature, folded, start, start + HEAD_CHARS, starts)
            else:  # another text with this window, or this hash
                continue
            tally.add(number, hit)
        return tally.in_order()

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
