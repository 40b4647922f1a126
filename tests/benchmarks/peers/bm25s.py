"""bm25s alone: whole sections, its own tokenizer, Lucene's variant; with and without a stemmer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bm25s
import Stemmer

from tests.benchmarks.embedding import CachedEncoder
from tests.benchmarks.peers.sections import section_texts
from tests.benchmarks.task import Page, Query

PACKAGES = ("bm25s", "PyStemmer")
MODES = ("words", "stems")


class Bm25s:
    """`bm25s.tokenize`, `BM25.index`, `BM25.retrieve`."""

    def __init__(
        self, mode: str, pages: Sequence[Page], encoder: CachedEncoder, folder: Path
    ) -> None:
        self._stemmer = Stemmer.Stemmer("english") if mode == "stems" else None
        sections = section_texts(pages)
        self.pieces = [text for _, text in sections]
        self._ids = [identifier for identifier, _ in sections]
        self._bm25 = bm25s.BM25(method="lucene")
        self._bm25.index(self._tokens(self.pieces), show_progress=False)

    def _tokens(self, texts: list[str]) -> object:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)

    def search(self, query: Query, text: str, k: int) -> list[tuple[str, ...]]:
        found, _ = self._bm25.retrieve(
            self._tokens([text]), k=min(4 * k, len(self._ids)), show_progress=False
        )
        return [(self._ids[int(number)],) for number in found[0]]


CONTESTANT = Bm25s
