"""Generations in the database in, one index in memory out, for when the database is away."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
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
from kb.types import Section, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["read_section", "read_standby"]


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
    positions = {
        identifier: n for n, identifier in enumerate(dict.fromkeys(s.id for s in sections))
    }
    groups = np.array([positions[sections[chunk.section].id] for chunk in chunks], dtype=np.int64)
    return Index(
        sections=tuple(sections),
        chunks=tuple(chunks),
        dense=DenseIndex.from_vectors(np.stack(vectors), groups),
        lexical=LexicalIndex.from_terms(group_terms(sections)),
        encoder=generations[0].probe,
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
