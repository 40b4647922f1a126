"""Sections, chunks and digests in, a generation in the database out: one transaction.

It takes the room of the sections and of two numbers for each of their terms: rows are made one by
one while they are sent.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from kb.corpus.chunking import Chunk
from kb.postgres import copying
from kb.postgres.connections import database_errors
from kb.postgres.schema import MAX_DIMENSIONS
from kb.postgres.term_counts import TermCounts, count_terms, number_terms, postings
from kb.retrieval.index import group_terms, section_links
from kb.retrieval.lexical import term_saturation
from kb.retrieval.tokenization import TOKENIZER_VERSION, tokenize
from kb.types import Section
from kb.version import __version__

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["analyze", "write_generation"]

# pgvector's sparse vectors hold no more entries. A section of more distinct terms (half a
# megabyte of text) keeps its most frequent ones.
MAX_TERMS = 16_000
_KEY = {"corpus": "int4", "generation": "int4"}


def write_generation(
    connection: Any,
    corpus: int,
    encoder: int,
    sections: Sequence[Section],
    chunks: Sequence[Chunk],
    digests: Sequence[str],
    content: str,
    processes: int = 1,
) -> int:
    """Write a generation and point the corpus at it, in one transaction; return its number."""
    grouped: dict[str, list[Section]] = {}
    for section in sections:
        grouped.setdefault(section.id, []).append(section)
    counts = count_terms(group_terms(sections, processes))
    with database_errors(), connection.transaction():
        generation = connection.execute(
            "INSERT INTO kb_generation (corpus, encoder, tokenizer, kb, content, n_ids, n_sections,"
            " n_chunks) VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING generation",
            (
                corpus,
                encoder,
                TOKENIZER_VERSION,
                __version__,
                content,
                len(grouped),
                len(sections),
                len(chunks),
            ),
        ).fetchone()[0]
        key = (corpus, generation)
        numbers = number_terms(connection, corpus, counts.vocabulary)
        _write_lexical(connection, key, counts, numbers, grouped, section_links(sections))
        _write_shown(connection, key, grouped)
        _write_chunks(connection, key, sections, chunks, digests)
        connection.execute(
            "UPDATE kb_corpus SET generation = %s WHERE corpus = %s", (generation, corpus)
        )
    return int(generation)


def analyze(connection: Any, corpus: int) -> None:
    """Count the rows of the corpus's partitions anew: nobody else does right after a build.

    Without, a statement is planned for an empty table.
    """
    with database_errors():
        for table in ("kb_section", "kb_chunk", "kb_vector", "kb_term", "kb_frequency"):
            row = connection.execute(
                f"SELECT tableoid::regclass::text FROM {table} WHERE corpus = %s LIMIT 1",  # noqa: S608
                (corpus,),
            ).fetchone()
            if row is not None:  # the name is PostgreSQL's own, quoted where it has to be
                connection.execute(f"ANALYZE {row[0]}")


def _write_lexical(
    connection: Any,
    key: tuple[int, int],
    counts: TermCounts,
    numbers: NDArray[np.int32],
    grouped: Mapping[str, Sequence[Section]],
    links: Mapping[str, Sequence[str]],
) -> None:
    """Write sections with their sparse vectors, and the postings and frequencies of terms."""
    import numpy as np

    frequencies = np.bincount(counts.terms, minlength=len(numbers))
    weights = np.empty(len(counts.terms), dtype=np.float32)
    columns = {
        **_KEY,
        "position": "int4",
        "id": "text",
        "headings": "text",
        "links": copying.PACKED,
        "terms": copying.PACKED,
        "bm25": copying.PACKED,
    }
    mean = float(counts.lengths.mean())

    def rows() -> Iterator[tuple[Any, ...]]:
        for position, (identifier, members) in enumerate(grouped.items()):
            terms, times = counts.row(position)
            length = float(counts.lengths[position])
            own = term_saturation(times.astype(np.float64), length, mean).astype(np.float32)
            start = int(counts.starts[position])
            weights[start : start + len(own)] = own
            kept = np.argsort(-times, kind="stable")[:MAX_TERMS]
            kept = kept[np.argsort(numbers[terms[kept]])]
            of_section = numbers[terms[kept]]
            yield (
                *key,
                position,
                identifier,
                json.dumps(_headings(members, counts.vocabulary, frequencies, len(grouped))),
                copying.texts(links[identifier]),
                copying.integers(of_section),
                copying.sparse_vector(of_section, own[kept], MAX_DIMENSIONS),
            )

    copying.copy_rows(connection, "kb_section", columns, rows())
    copying.copy_rows(
        connection,
        "kb_frequency",
        {**_KEY, "number": "int4", "n_sections": "int4"},
        (
            (*key, number, times)
            for number, times in zip(numbers.tolist(), frequencies.tolist(), strict=True)
        ),
    )
    copying.copy_rows(
        connection,
        "kb_posting",
        {
            **_KEY,
            "number": "int4",
            "block": "int4",
            "positions": copying.PACKED,
            "weights": copying.PACKED,
        },
        ((*key, *row) for row in postings(counts, numbers, frequencies, weights)),
    )


def _headings(
    members: Sequence[Section],
    vocabulary: Mapping[str, int],
    frequencies: NDArray[np.int64],
    n_ids: int,
) -> list[dict[str, Any]]:
    return [
        {
            "title": member.title,
            "language": member.language,
            "kind": member.kind,
            "parent": member.parent,
            "level": member.level,
            "path": member.source.path,
            "line": member.source.start_line,
            "breadcrumbs": list(member.breadcrumbs),
            "idf": sum(
                math.log1p((n_ids - times + 0.5) / (times + 0.5))
                for term in dict.fromkeys(tokenize(member.title))
                if (times := int(frequencies[vocabulary[term]]))
            ),
        }
        for member in members
    ]


def _write_shown(
    connection: Any, key: tuple[int, int], grouped: Mapping[str, Sequence[Section]]
) -> None:
    copying.copy_rows(
        connection,
        "kb_text",
        {**_KEY, "position": "int4", "sections": "text"},
        (
            (*key, position, json.dumps([asdict(one) for one in members]))
            for position, members in enumerate(grouped.values())
        ),
    )
    copying.copy_rows(
        connection,
        "kb_signature",
        {**_KEY, "number": "int4", "id": "text", "line": "text", "is_last": "bool"},
        (
            (*key, number, *row)
            for number, row in enumerate(
                _signature_rows(s for members in grouped.values() for s in members)
            )
        ),
    )


def _signature_rows(sections: Iterable[Section]) -> Iterator[tuple[str, str, bool]]:
    rows: dict[tuple[str, str, bool], None] = {}
    last: dict[tuple[str, str, bool], None] = {}
    for section in sections:
        rows.update(((section.id, line, False), None) for line in section.signatures)
        last.update(((section.id, line, True), None) for line in section.last_signatures)
    yield from rows
    yield from last


def _write_chunks(
    connection: Any,
    key: tuple[int, int],
    sections: Sequence[Section],
    chunks: Sequence[Chunk],
    digests: Sequence[str],
) -> None:
    positions: dict[str, int] = {}
    for section in sections:
        positions.setdefault(section.id, len(positions))
    copying.copy_rows(
        connection,
        "kb_chunk",
        {
            **_KEY,
            "number": "int4",
            "position": "int4",
            "language": "text",
            "start_line": "int4",
            "end_line": "int4",
            "digest": "text",
        },
        (
            (
                *key,
                number,
                positions[sections[chunk.section].id],
                sections[chunk.section].language,
                chunk.source.start_line,
                chunk.source.end_line,
                digest,
            )
            for number, (chunk, digest) in enumerate(zip(chunks, digests, strict=True))
        ),
    )
