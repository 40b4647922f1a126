"""The tables of an index in PostgreSQL: made where there are none, refused where they are others.

Everything but the small registers is partitioned by the hash of the corpus: all rows of a corpus
lie in one partition, so a question touches one, and a distributed PostgreSQL can place each.

    kb_corpus      a name, and the generation that readers are shown
    kb_generation  what a build published: its encoder, its sizes
    kb_section     one row an id: what a query is compared with
    kb_text        what is shown of it, in all its languages
    kb_chunk       which texts of a section are embedded
    kb_vector      the vector of a text, by the text's digest: kept from generation to generation
    kb_term        the number of a term, which is its dimension in the sparse vectors
    kb_frequency   in how many sections of a generation a term is
    kb_signature   lines of `log` fences
    kb_waiting     texts that wait for a vector
    kb_reader      which role may read which corpus
"""

from __future__ import annotations

from typing import Any

from kb.errors import IndexDatabaseError
from kb.postgres.connections import database_errors, driver

__all__ = [
    "LEASE",
    "MAX_DIMENSIONS",
    "PUBLISHING",
    "SCHEMA_VERSION",
    "TABLES",
    "check_schema",
    "maintenance_memory",
    "make_dense_index",
    "set_up",
]

SCHEMA_VERSION = 2
# Terms are numbered through the whole database; pgvector's sparse vectors have 10⁹ dimensions.
MAX_DIMENSIONS = 1_000_000_000
MAX_HNSW_DIMENSIONS = 4_000  # of pgvector's index over half precision
DEFAULT_PARTITIONS = 16

# What building HNSW may take on the server: the most is room for about two million vectors of 384
# dimensions in one corpus.
_LEAST_MEMORY_MB, _MOST_MEMORY_MB = 64, 4_096

# Classes of advisory locks. A publisher holds (PUBLISHING, corpus), a reader (LEASE, generation).
PUBLISHING, LEASE = 662_032, 662_033
_SET_UP_LOCK = 6_620_312

_REGISTERS = """
CREATE TABLE kb_schema (version integer NOT NULL, partitions integer NOT NULL);
CREATE TABLE kb_corpus (
    corpus integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    generation integer
);
CREATE TABLE kb_encoder (
    encoder integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    probe real[] NOT NULL
);
CREATE TABLE kb_reader (
    corpus integer NOT NULL REFERENCES kb_corpus ON DELETE CASCADE,
    role name NOT NULL,
    PRIMARY KEY (corpus, role)
);
CREATE TABLE kb_generation (
    generation integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    corpus integer NOT NULL REFERENCES kb_corpus ON DELETE CASCADE,
    encoder integer NOT NULL REFERENCES kb_encoder,
    tokenizer integer NOT NULL,
    kb text NOT NULL,
    content text NOT NULL,
    n_ids integer NOT NULL,
    n_sections integer NOT NULL,
    n_chunks integer NOT NULL,
    published timestamptz NOT NULL DEFAULT now()
);
CREATE SEQUENCE kb_term_number AS integer MAXVALUE 1000000000;
"""
_PARTITIONED = {
    "kb_section": """
        corpus integer NOT NULL, generation integer NOT NULL, position integer NOT NULL,
        id text NOT NULL, headings text NOT NULL, links text[] NOT NULL,
        terms integer[] NOT NULL, bm25 sparsevec(1000000000) NOT NULL,
        PRIMARY KEY (corpus, generation, position), UNIQUE (corpus, generation, id)""",
    "kb_text": """
        corpus integer NOT NULL, generation integer NOT NULL, position integer NOT NULL,
        sections text NOT NULL,
        PRIMARY KEY (corpus, generation, position)""",
    "kb_chunk": """
        corpus integer NOT NULL, generation integer NOT NULL, number integer NOT NULL,
        position integer NOT NULL, language text NOT NULL,
        start_line integer NOT NULL, end_line integer NOT NULL, digest text NOT NULL,
        PRIMARY KEY (corpus, generation, number)""",
    "kb_vector": """
        corpus integer NOT NULL, encoder integer NOT NULL, digest text NOT NULL,
        dimensions integer NOT NULL, vector vector NOT NULL,
        made timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (corpus, encoder, digest)""",
    "kb_term": """
        corpus integer NOT NULL, term text NOT NULL, number integer NOT NULL,
        PRIMARY KEY (corpus, term), UNIQUE (corpus, number)""",
    "kb_frequency": """
        corpus integer NOT NULL, generation integer NOT NULL, number integer NOT NULL,
        n_sections integer NOT NULL,
        PRIMARY KEY (corpus, generation, number)""",
    "kb_posting": """
        corpus integer NOT NULL, generation integer NOT NULL, number integer NOT NULL,
        block integer NOT NULL, positions integer[] NOT NULL, weights real[] NOT NULL,
        PRIMARY KEY (corpus, generation, number, block)""",
    "kb_signature": """
        corpus integer NOT NULL, generation integer NOT NULL, number integer NOT NULL,
        id text NOT NULL, line text NOT NULL, is_last boolean NOT NULL,
        PRIMARY KEY (corpus, generation, number)""",
    "kb_waiting": """
        corpus integer NOT NULL, encoder integer NOT NULL, digest text NOT NULL,
        text text NOT NULL,
        PRIMARY KEY (corpus, encoder, digest)""",
}
_INDEXES = """
CREATE INDEX kb_section_links ON kb_section USING gin (links);
CREATE INDEX kb_chunk_digest ON kb_chunk (corpus, generation, digest);
"""
# What readers may see of every table that has a corpus.
_POLICY = """
CREATE POLICY kb_read ON {table} FOR SELECT USING (corpus IN (
    SELECT r.corpus FROM kb_reader r JOIN pg_roles p ON p.rolname = r.role
    WHERE pg_has_role(p.oid, 'member')))
"""
_READER_POLICY = """
CREATE POLICY kb_read ON kb_reader FOR SELECT USING (EXISTS (
    SELECT FROM pg_roles p WHERE p.rolname = role AND pg_has_role(p.oid, 'member')))
"""
_WITH_CORPUS = ("kb_corpus", "kb_generation", *_PARTITIONED)
# What a reader is granted; the texts that wait are for those who publish.
TABLES = ("kb_schema", "kb_encoder", "kb_reader", *_WITH_CORPUS)


def set_up(connection: Any, partitions: int = DEFAULT_PARTITIONS) -> None:
    """Make the tables where there are none; IndexDatabaseError where others are in their place."""
    with database_errors(), connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SET_UP_LOCK,))
        if _exists(connection):
            check_schema(connection)
            return
        _make_extension(connection)
        connection.execute(_REGISTERS)
        connection.execute("INSERT INTO kb_schema VALUES (%s, %s)", (SCHEMA_VERSION, partitions))
        for table, columns in _PARTITIONED.items():
            connection.execute(f"CREATE TABLE {table} ({columns}) PARTITION BY HASH (corpus)")
            for number in range(partitions):
                # Vectors stay in their rows: fetching each from a side table costs more than it.
                connection.execute(
                    f"CREATE TABLE {table}_{number} PARTITION OF {table}"
                    f" FOR VALUES WITH (MODULUS {partitions}, REMAINDER {number})"
                    " WITH (toast_tuple_target = 8160)"
                )
        connection.execute(_INDEXES)
        for table in _WITH_CORPUS:
            connection.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
            connection.execute(_POLICY.format(table=table))
        connection.execute("ALTER TABLE kb_reader ENABLE ROW LEVEL SECURITY")
        connection.execute(_READER_POLICY)


def check_schema(connection: Any) -> None:
    """Raise IndexDatabaseError unless the tables are those of this version."""
    with database_errors():
        if not _exists(connection):
            raise IndexDatabaseError(
                "the database holds no index; publish one with `kb build --index URL"
                " --corpus NAME`, or name its schema in the URL:"
                " ?options=-csearch_path%3Dschema,public"
            )
        version = connection.execute("SELECT max(version) FROM kb_schema").fetchone()[0]
    if version != SCHEMA_VERSION:
        older = version is None or version < SCHEMA_VERSION
        remedy = (
            "an index is made of documents alone, so publish it anew into a schema of its own"
            " (`CREATE SCHEMA kb2`, ?options=-csearch_path%3Dkb2,public) and drop the old tables"
            " when no replica reads them"
            if older
            else "install the version of this program that made them"
        )
        raise IndexDatabaseError(
            f"the tables in the database have version {version}, this version of the program has"
            f" {SCHEMA_VERSION}; {remedy}"
        )


def make_dense_index(connection: Any, dimensions: int) -> None:
    """Make the HNSW index over vectors of `dimensions`, in half precision, where there is none.

    The distances that count are computed anew from the full vectors. The graph is built in memory
    where `maintenance_memory` has room for it; beyond, pgvector builds on far more slowly.
    """
    if dimensions > MAX_HNSW_DIMENSIONS:
        return
    dimensions = int(dimensions)
    errors = driver().errors
    statement = (
        f"CREATE INDEX IF NOT EXISTS kb_vector_hnsw_{dimensions} ON kb_vector USING hnsw"
        f" ((vector::halfvec({dimensions})) halfvec_ip_ops) WHERE dimensions = {dimensions}"
    )
    with database_errors(), connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SET_UP_LOCK,))
        largest = connection.execute(
            "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM kb_vector"
            " WHERE dimensions = %s GROUP BY tableoid) AS partition",
            (dimensions,),
        ).fetchone()[0]
        memory = maintenance_memory(largest, dimensions)
        connection.execute(f"SET LOCAL maintenance_work_mem = '{memory}MB'")
        try:
            with connection.transaction():
                connection.execute(statement)
        # Several processes share the graph in /dev/shm, of which a container has 64 MB by default.
        except (errors.DiskFull, errors.OutOfMemory):
            connection.execute("SET LOCAL max_parallel_maintenance_workers = 0")
            connection.execute(statement)


def maintenance_memory(n_vectors: int, dimensions: int) -> int:
    """Return the megabytes that a graph of `n_vectors` is built in, within bounds.

    A node takes its vector, 2 bytes a dimension, and about 900 bytes for its neighbours.
    """
    needed = 1.25 * n_vectors * (2 * dimensions + 900) / 1e6
    return max(_LEAST_MEMORY_MB, min(_MOST_MEMORY_MB, round(needed)))


def _exists(connection: Any) -> bool:
    return connection.execute("SELECT to_regclass('kb_schema')").fetchone()[0] is not None


def _make_extension(connection: Any) -> None:
    errors = driver().errors
    try:
        with connection.transaction():
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (
        errors.FeatureNotSupported,
        errors.UndefinedFile,
        errors.InsufficientPrivilege,
    ) as error:
        raise IndexDatabaseError(
            f"the database has no pgvector ({' '.join(str(error).split())[:200]}); install it on"
            " the server (Debian: postgresql-17-pgvector), then let a superuser run"
            " `CREATE EXTENSION vector` in this database"
        ) from error
