"""A corpus in, a new generation in the database out: written whole, switched to in one statement.

Vectors are kept by the digest of their text, so that only texts that changed are embedded. What
else a generation is made of is written anew: BM25's weights depend on all sections together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kb.errors import IndexDatabaseError
from kb.postgres.connections import connect, database_errors
from kb.postgres.corpora import admit_reader, collect_garbage, corpus_of, encoder_of
from kb.postgres.embedding import embed_all, enqueue, missing_digests
from kb.postgres.generation import analyze, write_generation
from kb.postgres.schema import PUBLISHING, make_dense_index, set_up
from kb.retrieval.embedding import text_digest
from kb.retrieval.encoders import Encoder, index_encoder_name
from kb.retrieval.index import chunk_sections, embedding_text, probe
from kb.types import Section

__all__ = ["HNSW_FROM_CHUNKS", "publish"]

# Fewer vectors are compared one by one: that is exact, and as fast.
HNSW_FROM_CHUNKS = 20_000
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
    processes: int = 1,
) -> int:
    """Embed what is new, write a generation of `corpus` and switch to it; return its number.

    `content` is the digest of the documents. `readers` are roles that may read the corpus from
    now on. `hnsw` makes the approximate dense index, by default from HNSW_FROM_CHUNKS chunks on.
    `progress` is called with the texts embedded and all that wait. `processes` processes cut many
    sections into chunks and terms, see `kb.corpus.parallel.parallel_map`.
    """
    if not sections:
        raise IndexDatabaseError("there is no section to publish; the folder of documents is empty")
    of_encoder = probe(encoder, index_encoder_name(encoder_name))
    chunks = chunk_sections(sections, processes)
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
                    connection, number, of, sections, chunks, digests, content, processes
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
