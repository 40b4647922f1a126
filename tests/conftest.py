"""Fixtures shared by all tests: the shipped knowledge base, loaded once, and small folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kb import KnowledgeBase

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run browser tests last: Playwright's event loop stays open and asyncio.run needs none."""
    items.sort(key=lambda item: "e2e" in item.path.parts)
