"""Documents and an encoder for the tests of an index in PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from kb.corpus.documents import read_corpus
from kb.postgres.publish import publish
from kb.retrieval.tokenization import tokenize

NAME = "words"


class WordsEncoder:
    """A pure function of a text: its words, hashed into 32 dimensions."""

    def __init__(self, pause: Callable[[], None] = lambda: None) -> None:
        self.embedded: list[str] = []
        self._pause = pause

    def encode_query(self, texts):
        return np.stack([_vector(text) for text in texts])

    def encode_document(self, texts):
        self._pause()
        self.embedded += [text for text in texts if not text.startswith("passage that an index")]
        return np.stack([_vector(text) for text in texts])


def _vector(text: str) -> np.ndarray:
    vector = np.full(32, 0.05, dtype=np.float32)
    for term in tokenize(text):
        vector[sum(term.encode()) % 32] += 1
    return vector / np.linalg.norm(vector)


def put(url: str, folder: Path, corpus: str = "docs", encoder: Any = None, **options: Any) -> int:
    """Publish a folder of documents."""
    sections = read_corpus(folder).sections
    return publish(url, corpus, sections, encoder or WordsEncoder(), NAME, "digest", **options)


def page(*topics: str, mark: str = "") -> dict[str, str]:
    """Return documents in two languages with a section for each topic, an id."""
    english = "".join(
        f"\n## The {topic} fails {{#{topic}}}\n\n```log\nRuntimeError: {topic} broke at …\n```\n\n"
        f"The {topic} is at fault. {mark}\n\n1. `--restart-{topic}`: start it anew.\n"
        for topic in topics
    )
    korean = english.replace("The ", "이 ").replace(" fails", " 실패").replace("at fault", "원인")
    return {"en/page.md": f"# Page\n{english}", "ko/page.md": f"# 쪽\n{korean}"}


@contextmanager
def own_database(server: Any, name: str) -> Iterator[str]:
    """Yield the URL of a database made for one module's tests, dropped after them."""
    from kb.postgres.connections import connect

    with connect(server.get_uri()) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE kb_template")
    yield server.get_uri(name)
    with connect(server.get_uri()) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def wait_until(condition: Callable[[], Any], seconds: float = 30.0) -> None:
    """Wait for what happens in another thread or process."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
