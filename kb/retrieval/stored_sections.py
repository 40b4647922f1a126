"""Sections and chunks in files: rows of headings, and the Markdown beside them.

    sections.jsonl  sections.i64   a row for each section without its Markdown; where rows end
    texts.utf8      texts.i64      the Markdown of all sections; where each one's ends
    chunks.i32                     of each chunk its section, its first and its last line

A small index is read whole. Of a large one nothing is read but what is looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from kb.corpus.chunking import Chunk
from kb.corpus.markdown import split_lines
from kb.retrieval.arrays import Texts, map_array, write_array
from kb.types import Section, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SECTION_FILES", "StoredChunks", "StoredSections", "write_chunks", "write_sections"]

_ROWS, _ROW_ENDS = "sections.jsonl", "sections.i64"
_CHUNKS = "chunks.i32"
SECTION_FILES = frozenset((_ROWS, _ROW_ENDS, "texts.utf8", "texts.i64", _CHUNKS))
_LISTS = ("breadcrumbs", "signatures", "last_signatures")
_FIELDS = ("id", "title", "language", "kind", "level", "parent", *_LISTS)


def write_sections(folder: Path, sections: Iterable[Section]) -> None:
    """Write sections as they come."""
    import numpy as np

    rows, texts = [], []
    n_rows = n_texts = 0
    with (folder / _ROWS).open("wb") as headings, (folder / "texts.utf8").open("wb") as markdown:
        for section in sections:
            source = section.source
            row: dict[str, Any] = {name: getattr(section, name) for name in _FIELDS}
            row["source"] = (source.path, source.start_line, source.end_line)
            n_rows += headings.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
            n_texts += markdown.write(section.markdown.encode())
            rows.append(n_rows)
            texts.append(n_texts)
    write_array(folder / _ROW_ENDS, np.array(rows, dtype=np.int64))
    write_array(folder / "texts.i64", np.array(texts, dtype=np.int64))


def write_chunks(folder: Path, chunks: Iterable[Chunk]) -> None:
    """Write chunks as they come."""
    import numpy as np

    rows = ((c.section, c.source.start_line, c.source.end_line) for c in chunks)
    numbers = np.fromiter((n for row in rows for n in row), dtype=np.int32)
    write_array(folder / _CHUNKS, numbers)


class StoredSections(Sequence[Section]):
    """Sections of a folder, each read when it is asked for."""

    def __init__(self, folder: Path) -> None:
        """Map what `write_sections` wrote."""
        self._rows = Texts(_bytes(folder / _ROWS), map_array(folder / _ROW_ENDS))
        self._texts = Texts.load(folder, "texts")

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._rows)

    def heading(self, number: int) -> Section:
        """Return a section without its Markdown."""
        return _section(self._rows[number], "")

    def headings(self) -> Iterator[Section]:
        """Yield all sections without their Markdown."""
        return map(self.heading, range(len(self)))

    @overload
    def __getitem__(self, place: int) -> Section: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Section, ...]: ...
    def __getitem__(self, place: int | slice) -> Section | tuple[Section, ...]:
        """Return a section, or those of a slice."""
        if isinstance(place, slice):
            return tuple(self[number] for number in range(*place.indices(len(self))))
        return _section(self._rows[place], self._texts[place])


class StoredChunks(Sequence[Chunk]):
    """Chunks of a folder, each cut from its section when it is asked for."""

    def __init__(self, folder: Path, sections: Sequence[Section]) -> None:
        """Map what `write_chunks` wrote."""
        self._numbers = map_array(folder / _CHUNKS).reshape(-1, 3)
        self._sections = sections

    @property
    def owners(self) -> NDArray[np.int32]:
        """Return the position of each chunk's section, `(n_chunks,)`."""
        return self._numbers[:, 0]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> Chunk: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Chunk, ...]: ...
    def __getitem__(self, place: int | slice) -> Chunk | tuple[Chunk, ...]:
        """Return a chunk, or those of a slice."""
        if isinstance(place, slice):
            return tuple(self[number] for number in range(*place.indices(len(self))))
        number, start, end = (int(value) for value in self._numbers[place])
        section = self._sections[number]
        first = section.source.start_line
        text = "".join(split_lines(section.markdown)[start - first : end - first + 1])
        return Chunk(number, text, Source(section.source.path, start, end))


def _bytes(path: Path) -> NDArray[np.uint8]:
    import numpy as np

    if not path.stat().st_size:
        return np.empty(0, dtype=np.uint8)
    return np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))


def _section(row: str, markdown: str) -> Section:
    fields = json.loads(row)
    fields["source"] = Source(*fields["source"])
    for name in _LISTS:
        fields[name] = tuple(fields[name])
    return Section(markdown=markdown, **fields)
