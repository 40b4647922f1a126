"""The shipped content, read once."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.corpus.documents import Corpus, read_corpus
from kb.settings import content_folder


@pytest.fixture(scope="session")
def content() -> Path:
    """Return the folder of the shipped content."""
    return content_folder()


@pytest.fixture(scope="session")
def corpus(content: Path) -> Corpus:
    """Return the shipped content as it is indexed."""
    return read_corpus(content)
