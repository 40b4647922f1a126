"""Texts that wait for a vector in the database, claimed and embedded by any number of machines.

A batch is claimed, embedded and written in one transaction. Who dies in between leaves the batch
to the others; what was committed is never embedded again, by this build or a later one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kb.errors import EncoderError, IndexDatabaseError
from kb.postgres.connections import connect, database_errors
from kb.postgres.schema import check_schema
from kb.retrieval.encoders import (
    Encoder,
    bulk_encoder,
    check_vectors,
    is_same_encoder,
    load_encoder,
)
from kb.retrieval.index import probe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["embed_all", "embed_share", "enqueue", "vector_text"]

# Texts of one claim: what is lost where a machine dies, and what the others wait for at the end.
BATCH = 16
_LOOK_AGAIN_S = 0.2

_MISSING = """
SELECT w.digest FROM unnest(%(digests)s::text[]) AS w(digest)
WHERE NOT EXISTS (SELECT FROM kb_vector v WHERE v.corpus = %(corpus)s
                  AND v.encoder = %(encoder)s AND v.digest = w.digest)
"""
# Apart from the deletion, and once: a subquery in its condition may run again for each row, and
# claim another batch each time.
_CLAIM = """
WITH claimed AS MATERIALIZED (
    SELECT digest FROM kb_waiting WHERE corpus = %(corpus)s AND encoder = %(encoder)s
    ORDER BY digest LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
DELETE FROM kb_waiting w USING claimed
WHERE w.corpus = %(corpus)s AND w.encoder = %(encoder)s AND w.digest = claimed.digest
RETURNING w.digest, w.text
"""


def vector_text(vector: NDArray[np.float32]) -> str:
    """Return a vector as pgvector reads it, every float32 exact."""
    return "[" + ",".join(str(value) for value in vector) + "]"


def missing_digests(
    connection: Any, corpus: int, encoder: int, digests: Iterable[str]
) -> list[str]:
    """Return those of `digests` that have no vector yet."""
    wanted = {"digests": list(digests), "corpus": corpus, "encoder": encoder}
    with database_errors():
        return [row[0] for row in connection.execute(_MISSING, wanted)]


def enqueue(connection: Any, corpus: int, encoder: int, texts: Mapping[str, str]) -> int:
    """Let the texts wait that have no vector, by digest; return how many these are."""
    missing = missing_digests(connection, corpus, encoder, texts)
    with database_errors(), connection.transaction(), connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO kb_waiting VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
            # PostgreSQL has no NUL in texts; encoders are shown a blank for it anyway.
            [(corpus, encoder, digest, texts[digest].replace("\0", " ")) for digest in missing],
        )
    return len(missing)


def embed_all(
    connection: Any,
    corpus: int,
    encoder: int,
    ready: Encoder,
    name: str,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Embed until no text of the corpus waits, here or elsewhere; return how many were ours."""
    done = 0
    total = _waiting(connection, corpus, encoder)
    ready = bulk_encoder(ready, total)
    while True:
        embedded = _embed_batch(connection, corpus, encoder, ready, name)
        done += embedded
        left = _waiting(connection, corpus, encoder)
        if progress is not None and total and (embedded or not left):
            progress(total - min(left, total), total)
        if not left:
            return done
        if not embedded:  # the last ones are being embedded elsewhere
            time.sleep(_LOOK_AGAIN_S)


def _waiting(connection: Any, corpus: int, encoder: int) -> int:
    with database_errors():
        row = connection.execute(
            "SELECT count(*) FROM kb_waiting WHERE corpus = %s AND encoder = %s", (corpus, encoder)
        ).fetchone()
    return int(row[0])


def _embed_batch(connection: Any, corpus: int, encoder: int, ready: Encoder, name: str) -> int:
    claim = {"corpus": corpus, "encoder": encoder, "batch": BATCH}
    with database_errors(), connection.transaction():
        rows = connection.execute(_CLAIM, claim).fetchall()
        if not rows:
            return 0
        vectors = check_vectors(ready.encode_document([text for _, text in rows]), len(rows), name)
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO kb_vector (corpus, encoder, digest, dimensions, vector)"
                " VALUES (%s, %s, %s, %s, %s::vector) ON CONFLICT DO NOTHING",
                [
                    (corpus, encoder, digest, len(vector), vector_text(vector))
                    for (digest, _), vector in zip(rows, vectors, strict=True)
                ],
            )
    return len(rows)


def embed_share(
    url: str,
    corpus: str,
    *,
    encoder: Encoder | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Embed what waits in `corpus` beside others who do; return how many texts were ours.

    Without `encoder` the one is loaded that the build names. Raises EncoderError where it gives
    other vectors than the build's, IndexDatabaseError.
    """
    import numpy as np

    with connect(url) as connection:
        check_schema(connection)
        with database_errors():
            rows = connection.execute(
                "SELECT DISTINCT c.corpus, e.encoder, e.name, e.probe FROM kb_corpus c"
                " JOIN kb_waiting USING (corpus) JOIN kb_encoder e USING (encoder)"
                " WHERE c.name = %s",
                (corpus,),
            ).fetchall()
            known = connection.execute(
                "SELECT FROM kb_corpus WHERE name = %s", (corpus,)
            ).fetchone()
        if known is None:
            raise IndexDatabaseError(
                f"the database holds no corpus {corpus!r}; start `kb build --index URL --corpus"
                " NAME` first, which says what is to be embedded"
            )
        done = 0
        for number, of, name, vector in rows:
            ready = encoder if encoder is not None else load_encoder(name)
            ours = np.array(probe(ready, name).vector, dtype=np.float32)
            theirs = np.array(vector, dtype=np.float32)
            if not is_same_encoder(ours, theirs):
                raise EncoderError(
                    f"the build is embedded by {name}, and the encoder at hand gives other vectors;"
                    " use the one that the build names"
                )
            done += embed_all(connection, number, of, ready, name, progress)
        return done
