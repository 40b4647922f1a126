"""A vector for each passage, against one for each section."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from measuring import KeptVectors, examples_of, row, shipped, write

from kb import KnowledgeBase
from kb.retrieval.dense import DenseIndex
from kb.retrieval.index import embedding_text

MAX_SECTION_CHARS = 1_600  # about the encoder's 512 tokens

encoder = KeptVectors()
base = shipped(encoder)
index = base.index
flat = index.dense.index
vectors = flat.reconstruct_n(0, flat.ntotal)
of_chunk = np.array([chunk.section for chunk in index.chunks])
groups = index.dense.groups
sections = np.unique(of_chunk)
group_of = np.array([groups[np.flatnonzero(of_chunk == section)[0]] for section in sections])


def with_vectors(rows: np.ndarray) -> KnowledgeBase:
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    dense = DenseIndex.from_vectors(unit.astype(np.float32), group_of)
    return KnowledgeBase(replace(index, dense=dense), encoder, base.settings)


mean = np.stack([vectors[of_chunk == section].mean(axis=0) for section in sections])
first = np.stack([vectors[np.flatnonzero(of_chunk == section)[0]] for section in sections])
whole = encoder.encode_document(
    [
        "\n".join(
            embedding_text(index.sections[section], index.chunks[number])
            for number in np.flatnonzero(of_chunk == section)
        )[:MAX_SECTION_CHARS]
        for section in sections
    ]
)
encoder.save()
write(
    __file__,
    "Passages or sections",
    f"The best of a section's passages ({flat.ntotal} vectors) against one vector for each of"
    f" {len(sections)} sections in its language.",
    [
        row("best passage (present)", *examples_of(base), leg="dense"),
        row("mean of the passages", *examples_of(with_vectors(mean)), leg="dense"),
        row("first passage", *examples_of(with_vectors(first)), leg="dense"),
        row(
            f"first {MAX_SECTION_CHARS:,} characters",
            *examples_of(with_vectors(whole)),
            leg="dense",
        ),
    ],
)
encoder.save()
