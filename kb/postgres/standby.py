"""Generations in the database in, an index in memory out, for when the database is away."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kb.corpus.chunking import Chunk
from kb.corpus.markdown import split_lines
from kb.errors import OutdatedError
from kb.postgres.candidates import OUTDATED
from kb.postgres.connections import database_errors
from kb.postgres.corpora import Generation
from kb.retrieval.dense import DenseIndex
from kb.retrieval.index import Index, group_terms
from kb.retrieval.lexical import LexicalIndex
from kb.retrieval.searchable import EncoderProbe
from kb.types import Section, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Standby", "read_section", "read_standby"]

_PARTS = 4  # indexes of some of the corpora that are kept, those asked for last


class Standby:
    """Corpora in memory, asked together or some of them; safe from several threads."""

    def __init__(
        self, index: Index, generations: Sequence[Generation], name: Callable[[str, str], str]
    ) -> None:
        """Take the index of all of them, the generations it is of, and how it calls their ids."""
        self._index = index
        self._name = name
        self._parts: dict[frozenset[str], Index] = {}
        self._making = threading.Lock()
        self.of = tuple(one.generation for one in generations)
        self.corpora = frozenset(one.name for one in generations)

    def part(self, corpora: Collection[str]) -> Index | None:
        """Return the index of some corpora as if there were no others, None where one is not here.

        The first question about some of them waits until it is made, a second for 2,000 sections.
        """
        wanted = frozenset(corpora)
        if not wanted <= self.corpora:
            return None
        if wanted == self.corpora:
            return self._index
        with self._making:
            part = self._parts.pop(wanted, None)
            if part is None:
                part = _part(self._index, tuple(self._name(one, "") for one in wanted))
            self._parts[wanted] = part  # the newest last
            while len(self._parts) > _PARTS:
                del self._parts[next(iter(self._parts))]
        return part


def _part(index: Index, prefixes: tuple[str, ...]) -> Index:
    """Return the index of the sections whose ids begin so."""
    vectors = index.dense.index.reconstruct_n(0, index.dense.index.ntotal)
    numbers = {
        before: now
        for now, before in enumerate(
            number for number, one in enumerate(index.sections) if one.id.startswith(prefixes)
        )
    }
    rows = [row for row, chunk in enumerate(index.chunks) if chunk.section in numbers]
    return _indexed(
        tuple(index.sections[number] for number in numbers),
        tuple(replace(index.chunks[r], section=numbers[index.chunks[r].section]) for r in rows),
        vectors[rows],
        index.encoder,
    )


def read_section(row: dict[str, Any]) -> Section:
    """Return the section that `asdict` made a row of."""
    row = {**row, "source": Source(**row["source"])}
    for key in ("breadcrumbs", "signatures", "last_signatures"):
        row[key] = tuple(row[key])
    return Section(**row)


def read_standby(
    connection: Any, generations: Sequence[Generation], name: Callable[[str, str], str]
) -> Index:
    """Return generations as one index in memory, ids as `name` makes them of corpus and id.

    OutdatedError where one was dropped meanwhile.
    """
    import numpy as np

    sections: list[Section] = []
    chunks: list[Chunk] = []
    vectors: list[NDArray[np.float32]] = []
    with database_errors(), connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        for generation in generations:
            _read_generation(connection, generation, name, sections, chunks, vectors)
    return _indexed(tuple(sections), tuple(chunks), np.stack(vectors), generations[0].probe)


def _indexed(
    sections: tuple[Section, ...],
    chunks: tuple[Chunk, ...],
    vectors: NDArray[np.float32],
    encoder: EncoderProbe,
) -> Index:
    import numpy as np

    positions = {
        identifier: n for n, identifier in enumerate(dict.fromkeys(s.id for s in sections))
    }
    groups = np.array([positions[sections[chunk.section].id] for chunk in chunks], dtype=np.int64)
    return Index(
        sections=sections,
        chunks=chunks,
        dense=DenseIndex.from_vectors(vectors, groups),
        lexical=LexicalIndex.from_terms(group_terms(sections)),
        encoder=encoder,
    )


def _read_generation(
    connection: Any,
    generation: Generation,
    name: Callable[[str, str], str],
    sections: list[Section],
    chunks: list[Chunk],
    vectors: list[NDArray[np.float32]],
) -> None:
    import numpy as np

    key = (generation.corpus, generation.generation)
    rows = connection.execute(
        "SELECT position, sections FROM kb_text WHERE corpus = %s AND generation = %s"
        " ORDER BY position",
        key,
    ).fetchall()
    if len(rows) != generation.n_ids:
        raise OutdatedError(OUTDATED)
    numbers: dict[tuple[int, str], int] = {}
    for position, members in rows:
        for row in json.loads(members):
            section = read_section(row)
            numbers[position, section.language] = len(sections)
            sections.append(
                replace(
                    section,
                    id=name(generation.name, section.id),
                    parent=section.parent and name(generation.name, section.parent),
                )
            )
    lines = {number: split_lines(sections[number].markdown) for number in numbers.values()}
    for position, language, start, end, vector in connection.execute(
        "SELECT c.position, c.language, c.start_line, c.end_line, v.vector::real[]"
        " FROM kb_chunk c JOIN kb_vector v ON v.corpus = c.corpus AND v.digest = c.digest"
        " WHERE c.corpus = %s AND c.generation = %s AND v.encoder = %s ORDER BY c.number",
        (*key, generation.encoder),
    ):
        number = numbers[position, language]
        first = sections[number].source.start_line
        text = "".join(lines[number][start - first : end - first + 1])
        source = Source(sections[number].source.path, start, end)
        chunks.append(Chunk(number, text, source))
        vectors.append(np.array(vector, dtype=np.float32))
