"""A corpus in, a new generation in the database out: written whole, switched to in one statement.

Vectors are kept by the digest of their text, so that only texts that changed are embedded. What
else a generation is made of is written anew: BM25's weights depend on all sections together.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from kb.corpus.chunking import Chunk, chunk_section
from kb.errors import IndexDatabaseError
from kb.postgres.connections import connect, database_errors
from kb.postgres.corpora import admit_reader, collect_garbage, corpus_of, encoder_of
from kb.postgres.embedding import embed_all, enqueue, missing_digests
from kb.postgres.schema import MAX_DIMENSIONS, PUBLISHING, make_dense_index, set_up
from kb.retrieval.embedding import text_digest
from kb.retrieval.encoders import Encoder, index_encoder_name
from kb.retrieval.index import (
    embedding_text,
    group_terms,
    probe,
    section_links,
)
from kb.retrieval.lexical import term_saturation
from kb.retrieval.tokenization import TOKENIZER_VERSION, tokenize
from kb.types import Section
from kb.version import __version__

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["HNSW_FROM_CHUNKS", "publish"]

# Fewer vectors are compared one by one: that is exact, and as fast.
HNSW_FROM_CHUNKS = 20_000
# pgvector's sparse vectors hold no more entries. A section of more distinct terms (half a
# megabyte of text) keeps its most frequent ones.
MAX_TERMS = 16_000
_TRIES = 3


def publish(
    url: str,
    corpus: str,
    sections: Sequence[Section],
    encoder: Encoder,
    encoder_name: str,
    content: str,
    *,
    readers: Sequence[str] = (),
    hnsw: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Embed what is new, write a generation of `corpus` and switch to it; return its number.

    `content` is the digest of the documents. `readers` are roles that may read the corpus from
    now on. `hnsw` makes the approximate dense index, by default from HNSW_FROM_CHUNKS chunks on.
    `progress` is called with the texts embedded and all that wait.
    """
    if not sections:
        raise IndexDatabaseError("there is no section to publish; the folder of documents is empty")
    of_encoder = probe(encoder, index_encoder_name(encoder_name))
    chunks = [
        chunk
        for position, section in enumerate(sections)
        for chunk in chunk_section(section, position)
    ]
    texts = [embedding_text(sections[chunk.section], chunk) for chunk in chunks]
    digests = [text_digest(text) for text in texts]
    with connect(url) as connection:
        set_up(connection)
        number = corpus_of(connection, corpus)
        of = encoder_of(connection, of_encoder)
        for _ in range(_TRIES):
            enqueue(connection, number, of, dict(zip(digests, texts, strict=True)))
            embed_all(connection, number, of, encoder, encoder_name, progress)
            with _only_publisher(connection, number):
                # Vectors that nobody used for a day may have gone since they were looked for.
                if missing_digests(connection, number, of, set(digests)):
                    continue
                if hnsw or (hnsw is None and len(chunks) >= HNSW_FROM_CHUNKS):
                    make_dense_index(connection, len(of_encoder.vector))
                generation = write_generation(
                    connection, number, of, sections, chunks, digests, content
                )
                for role in readers:
                    admit_reader(connection, number, role)
                collect_garbage(connection, number)
                analyze(connection, number)
            return generation
    raise IndexDatabaseError(
        f"the vectors of {corpus!r} vanish while it is published; publish it again when no other"
        " publisher cleans up"
    )


class _only_publisher:  # noqa: N801 - reads as a statement
    """Let one publisher of a corpus at a time write; the others wait for their turn."""

    def __init__(self, connection: Any, corpus: int) -> None:
        self._connection, self._corpus = connection, corpus

    def __enter__(self) -> None:
        with database_errors():
            self._connection.execute("SELECT pg_advisory_lock(%s, %s)", (PUBLISHING, self._corpus))

    def __exit__(self, *_: object) -> None:
        if not self._connection.closed:  # its end has let the lock go
            with database_errors():
                self._connection.execute(
                    "SELECT pg_advisory_unlock(%s, %s)", (PUBLISHING, self._corpus)
                )


def write_generation(
    connection: Any,
    corpus: int,
    encoder: int,
    sections: Sequence[Section],
    chunks: Sequence[Chunk],
    digests: Sequence[str],
    content: str,
) -> int:
    """Write a generation and point the corpus at it, in one transaction; return its number."""
    grouped: dict[str, list[Section]] = {}
    for section in sections:
        grouped.setdefault(section.id, []).append(section)
    positions = {identifier: position for position, identifier in enumerate(grouped)}
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
        documents, numbers = _numbered(connection, corpus, list(group_terms(sections)))
        frequencies = Counter(number for document in documents for number in document)
        _copy(connection, "kb_frequency", ((*key, *row) for row in frequencies.items()))
        _copy(
            connection,
            "kb_section",
            (
                (*key, *row)
                for row in _section_rows(grouped, documents, numbers, frequencies, sections)
            ),
        )
        _copy(
            connection,
            "kb_text",
            (
                (*key, positions[identifier], json.dumps([asdict(one) for one in members]))
                for identifier, members in grouped.items()
            ),
        )
        _copy(
            connection,
            "kb_chunk",
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
        _copy(
            connection,
            "kb_signature",
            ((*key, number, *row) for number, row in enumerate(_signature_rows(sections))),
        )
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


def _copy(connection: Any, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    with connection.cursor().copy(f"COPY {table} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _numbered(
    connection: Any, corpus: int, documents: list[list[str]]
) -> tuple[list[Counter[int]], dict[str, int]]:
    """Return each document as counts of numbered terms, and the numbers; new terms get one."""
    terms = sorted({term for document in documents for term in document})
    connection.execute(
        "INSERT INTO kb_term SELECT %s, term, nextval('kb_term_number')"
        " FROM unnest(%s::text[]) AS w(term)"
        " WHERE NOT EXISTS (SELECT FROM kb_term t WHERE t.corpus = %s AND t.term = w.term)",
        (corpus, terms, corpus),
    )
    numbers: dict[str, int] = dict(
        connection.execute(
            "SELECT term, number FROM kb_term WHERE corpus = %s AND term = ANY(%s)",
            (corpus, terms),
        ).fetchall()
    )
    return [Counter(numbers[term] for term in document) for document in documents], numbers


def _section_rows(
    grouped: dict[str, list[Section]],
    documents: Sequence[Counter[int]],
    numbers: dict[str, int],
    frequencies: Counter[int],
    sections: Sequence[Section],
) -> Iterator[tuple[Any, ...]]:
    import numpy as np

    n = len(grouped)
    lengths = np.array([document.total() for document in documents], dtype=np.float64)
    links = section_links(sections)
    for position, (identifier, members) in enumerate(grouped.items()):
        kept = sorted(documents[position].most_common(MAX_TERMS))
        terms = np.array([number for number, _ in kept], dtype=np.int64)
        counts = np.array([count for _, count in kept], dtype=np.float64)
        weights = term_saturation(counts, float(lengths[position]), float(lengths.mean()))
        headings = [
            {
                "title": member.title,
                "language": member.language,
                "kind": member.kind,
                "parent": member.parent,
                "level": member.level,
                "path": member.source.path,
                "line": member.source.start_line,
                "breadcrumbs": list(member.breadcrumbs),
                "idf": _title_idf(member.title, numbers, frequencies, n),
            }
            for member in members
        ]
        yield (
            position,
            identifier,
            json.dumps(headings),
            list(links[identifier]),
            terms.tolist(),
            sparse_text(terms, weights.astype(np.float32)),
        )


def _title_idf(title: str, numbers: dict[str, int], frequencies: Counter[int], n: int) -> float:
    import math

    return sum(
        math.log1p((n - frequencies[numbers[term]] + 0.5) / (frequencies[numbers[term]] + 0.5))
        for term in dict.fromkeys(tokenize(title))
    )


def sparse_text(numbers: NDArray[np.int64], weights: NDArray[np.float32]) -> str:
    """Return a sparse vector as pgvector reads it; `numbers` are its dimensions, from 1 on."""
    entries = ",".join(
        f"{number}:{weight}" for number, weight in zip(numbers, weights, strict=True)
    )
    return f"{{{entries}}}/{MAX_DIMENSIONS}"


def _signature_rows(sections: Iterable[Section]) -> Iterator[tuple[str, str, bool]]:
    lines = [(s.id, line, False) for s in sections for line in s.signatures]
    lines += [(s.id, line, True) for s in sections for line in s.last_signatures]
    yield from dict.fromkeys(lines)
