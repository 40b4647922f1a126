"""Question and log embedded apart, against both as one text."""

from __future__ import annotations

import numpy as np
from measuring import KeptVectors, examples_of, row, shipped, write

from kb import KnowledgeBase
from kb.query.paste import Query
from kb.retrieval.evidence import dense_texts


class Together(KnowledgeBase):
    """Embeds the question and the error lines as one text, in the place of the question."""

    def _embed(self, query: Query) -> np.ndarray:
        text = "\n".join(part for part in dense_texts(query) if part.strip())
        vectors = np.zeros((2, self.index.dense.index.d), dtype=np.float32)
        if text:
            # In the place of the one there is, so that only queries with both differ.
            place = 0 if dense_texts(query)[0].strip() else 1
            vectors[place] = self.encoder.encode_query([text])[0]
        return vectors


encoder = KeptVectors()
base = shipped(encoder)
apart = examples_of(base)
together = examples_of(Together(base.index, encoder, base.settings))
encoder.save()
write(
    __file__,
    "Question and log: apart or together",
    "Two vectors, one of the words and one of the error lines, against one vector of both.",
    [row("apart (present)", *apart, leg="dense"), row("together", *together, leg="dense")],
)
