"""Named corpora of a database: their generations, their encoders, and who may read them."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kb.errors import IndexDatabaseError
from kb.postgres.connections import connect, database_errors, driver
from kb.postgres.schema import LEASE, PUBLISHING, TABLES, check_schema
from kb.retrieval.encoders import is_same_encoder
from kb.retrieval.searchable import EncoderProbe
from kb.retrieval.tokenization import TOKENIZER_VERSION

__all__ = [
    "Generation",
    "admit_reader",
    "collect_garbage",
    "corpus_of",
    "current_generations",
    "drop_corpus",
    "encoder_of",
]

_GENERATIONS = (
    "kb_section",
    "kb_text",
    "kb_chunk",
    "kb_frequency",
    "kb_posting",
    "kb_signature",
)
# A vector that no generation uses may belong to one that is being built just now.
_UNUSED_FOR = "1 day"
MAX_NAME_CHARS = 200


@dataclass(frozen=True, slots=True)
class Generation:
    """What readers are shown of a corpus."""

    corpus: int
    name: str  # of the corpus
    generation: int
    encoder: int
    probe: EncoderProbe
    n_ids: int
    n_sections: int
    n_chunks: int


def corpus_of(connection: Any, name: str) -> int:
    """Return the number of the corpus `name`, which is made where there is none."""
    if not name.strip() or len(name) > MAX_NAME_CHARS or "\0" in name or ":" in name:
        raise IndexDatabaseError(
            f"a corpus cannot be called {name[:60]!r}; expected 1 to {MAX_NAME_CHARS} characters"
            " without a colon, such as a team, a product or a version"
        )
    with database_errors():
        connection.execute(
            "INSERT INTO kb_corpus (name) VALUES (%s) ON CONFLICT (name) DO NOTHING", (name,)
        )
        row = connection.execute("SELECT corpus FROM kb_corpus WHERE name = %s", (name,)).fetchone()
    return int(row[0])


def encoder_of(connection: Any, probe: EncoderProbe) -> int:
    """Return the number of an encoder; two that give the same vectors for the probe are one."""
    import numpy as np

    vector = np.array(probe.vector, dtype=np.float32)
    with database_errors(), connection.transaction():
        connection.execute("LOCK TABLE kb_encoder IN SHARE ROW EXCLUSIVE MODE")
        for number, known in connection.execute(
            "SELECT encoder, probe FROM kb_encoder WHERE name = %s ORDER BY encoder", (probe.name,)
        ):
            other = np.array(known, dtype=np.float32)
            if is_same_encoder(vector, other):
                return int(number)
        row = connection.execute(
            "INSERT INTO kb_encoder (name, probe) VALUES (%s, %s) RETURNING encoder",
            (probe.name, list(probe.vector)),
        ).fetchone()
    return int(row[0])


def current_generations(connection: Any, names: Sequence[str] | None) -> tuple[Generation, ...]:
    """Return the current generations of the corpora `names`, by default of all that may be read.

    IndexDatabaseError where one is not there, was made by another version of this program, or
    where their encoders differ.
    """
    with database_errors():
        check_schema(connection)
        rows = connection.execute(
            "SELECT c.corpus, c.name, g.generation, g.encoder, e.name, e.probe, g.n_ids,"
            " g.n_sections, g.n_chunks, g.tokenizer"
            " FROM kb_corpus c JOIN kb_generation g USING (generation)"
            " JOIN kb_encoder e USING (encoder)"
            " WHERE %(all)s OR c.name = ANY(%(names)s) ORDER BY c.name",
            {"all": names is None, "names": list(names or ())},
        ).fetchall()
    found = tuple(
        Generation(corpus, name, generation, encoder, EncoderProbe(of, tuple(probe)), *sizes)
        for corpus, name, generation, encoder, of, probe, *sizes, _ in rows
    )
    missing = sorted(set(names or ()) - {generation.name for generation in found})
    if missing or not found:
        what = f"no corpus {missing[0]!r}" if missing else "no corpus"
        raise IndexDatabaseError(
            f"the database holds {what} that this role may read; publish it with `kb build --index"
            " URL --corpus NAME`, and let the role read it by adding `--reader ROLE`"
        )
    for (_, name, *_, tokenizer), generation in zip(rows, found, strict=True):
        if tokenizer != TOKENIZER_VERSION:
            raise IndexDatabaseError(
                f"the corpus {name!r} is stale: made with tokenizer {tokenizer}, this version has"
                f" {TOKENIZER_VERSION}; publish it anew with `kb build --index URL --corpus NAME`"
            )
        if generation.encoder != found[0].encoder:
            raise IndexDatabaseError(
                f"the corpora {found[0].name!r} and {name!r} were embedded by different encoders"
                f" ({found[0].probe.name}, {generation.probe.name}); publish both with one, or ask"
                " them apart"
            )
    order = {name: number for number, name in enumerate(names or ())}
    return tuple(sorted(found, key=lambda one: order.get(one.name, 0)))


def admit_reader(connection: Any, corpus: int, role: str) -> None:
    """Let a role read a corpus, and no other that it is not named for."""
    driver()
    sql = importlib.import_module("psycopg.sql")
    with database_errors(), connection.transaction():
        schema = connection.execute("SELECT current_schema()").fetchone()[0]
        rights = [("USAGE ON SCHEMA", schema)]
        rights += [("SELECT ON", table) for table in TABLES if table != "kb_waiting"]
        for right, of in rights:
            connection.execute(
                sql.SQL(f"GRANT {right} {{}} TO {{}}").format(
                    sql.Identifier(of), sql.Identifier(role)
                )
            )
        connection.execute(
            "INSERT INTO kb_reader (corpus, role) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            (corpus, role),
        )


def collect_garbage(connection: Any, corpus: int) -> None:
    """Drop the generations of a corpus that are not current and that no reader holds.

    A reader holds a generation by a shared advisory lock, which ends with its connection.
    """
    with database_errors():
        old = connection.execute(
            "SELECT g.generation FROM kb_generation g JOIN kb_corpus c USING (corpus)"
            " WHERE corpus = %s AND g.generation IS DISTINCT FROM c.generation",
            (corpus,),
        ).fetchall()
        for (generation,) in old:
            with connection.transaction():
                free = connection.execute(
                    "SELECT pg_try_advisory_xact_lock(%s, %s)", (LEASE, generation)
                ).fetchone()[0]
                if free:
                    _drop(connection, corpus, generation)
        connection.execute(
            "DELETE FROM kb_vector v WHERE corpus = %(corpus)s"
            " AND made < now() - %(unused)s::interval AND NOT EXISTS ("
            "  SELECT FROM kb_chunk c JOIN kb_generation g USING (corpus, generation)"
            "  WHERE c.corpus = %(corpus)s AND c.digest = v.digest AND g.encoder = v.encoder)",
            {"corpus": corpus, "unused": _UNUSED_FOR},
        )


def _drop(connection: Any, corpus: int, generation: int) -> None:
    for table in _GENERATIONS:
        connection.execute(
            f"DELETE FROM {table} WHERE corpus = %s AND generation = %s",  # noqa: S608 - our names
            (corpus, generation),
        )
    connection.execute("DELETE FROM kb_generation WHERE generation = %s", (generation,))


def drop_corpus(url: str, name: str) -> None:
    """Remove a corpus and all that belongs to it; IndexDatabaseError where there is none."""
    with connect(url) as connection, database_errors(), connection.transaction():
        check_schema(connection)
        row = connection.execute("SELECT corpus FROM kb_corpus WHERE name = %s", (name,)).fetchone()
        if row is None:
            raise IndexDatabaseError(f"the database holds no corpus {name!r}")
        connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (PUBLISHING, row[0]))
        for table in (*_GENERATIONS, "kb_vector", "kb_term", "kb_waiting", "kb_corpus"):
            connection.execute(f"DELETE FROM {table} WHERE corpus = %s", row)  # noqa: S608
