"""An index in, the encoder that made it out: loaded when it is first needed, and compared."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from kb.errors import EncoderError
from kb.query.paste import Query
from kb.retrieval.encoders import Encoder, check_vectors, is_same_encoder, load_encoder
from kb.retrieval.evidence import dense_texts
from kb.retrieval.index import PROBE_TEXT
from kb.retrieval.searchable import Searchable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["IndexEncoder", "is_encoder_of"]


class IndexEncoder:
    """The encoder of an index; safe from several threads."""

    def __init__(self, index: Searchable, encoder: Encoder | None = None) -> None:
        """Take an index, and its encoder where it is at hand already."""
        self._index, self._encoder = index, encoder
        self._is_checked = False
        self._lock = threading.Lock()

    def get(self) -> Encoder:
        """Return the encoder, loaded once and compared once with the one the index was made by.

        EncoderError where it gives other vectors.
        """
        with self._lock:
            if self._encoder is None:
                self._encoder = load_encoder(self._index.encoder.name)
            if not self._is_checked:
                if not is_encoder_of(self._index, self._encoder):
                    raise EncoderError(
                        f"the index was made by the encoder {self._index.encoder.name}, and the one"
                        " at hand gives other vectors; build the index anew with `kb build"
                        " --encoder NAME`, or load it with its own encoder"
                    )
                self._is_checked = True
            return self._encoder

    def embed(self, query: Query) -> NDArray[np.float32]:
        """Return the vectors of a query's `dense_texts`, `(2, dim) float32`; 0 for an empty one."""
        import numpy as np

        texts = dense_texts(query)
        vectors = np.zeros((2, len(self._index.encoder.vector)), dtype=np.float32)
        asked = [row for row, text in enumerate(texts) if text.strip()]
        if asked:
            encoded = self.get().encode_query([texts[row] for row in asked])
            vectors[asked] = check_vectors(encoded, len(asked), self._index.encoder.name)
        return vectors

    def take_over(self, older: IndexEncoder) -> None:
        """Use what `older` has loaded where it has the same name; it is still compared."""
        encoder = older._encoder
        with self._lock:
            if self._index.encoder.name == older._index.encoder.name:
                self._encoder = self._encoder or encoder


def is_encoder_of(index: Searchable, encoder: Encoder) -> bool:
    """Whether `encoder` gives the vectors that `index` was made of."""
    import numpy as np

    vector = check_vectors(encoder.encode_document([PROBE_TEXT]), 1, index.encoder.name)[0]
    return is_same_encoder(vector, np.array(index.encoder.vector, dtype=np.float32))
