"""Texts in, their vectors out: what is known is not embedded again, what is new is kept at once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from kb.retrieval.encoders import Encoder, bulk_encoder, check_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb.retrieval.vector_journal import VectorJournal

    Vector = NDArray[np.float32]

__all__ = ["embed_texts", "text_digest"]

# Texts per call of the encoder: small enough for a progress bar that moves and for little to be
# lost by a kill, large enough to fill an encoder that works in batches.
BATCH = 16


def text_digest(text: str) -> str:
    """Return the name under which the vector of a text is kept: 24 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def embed_texts(
    texts: Iterable[str],
    encoder: Encoder,
    encoder_name: str,
    *,
    known: Mapping[str, Vector] | None = None,
    journal: VectorJournal | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Vector]:
    """Return the vector of each distinct text by its digest; those in `known` come from there.

    Each batch goes into `journal` before the next is embedded; what an interrupted build has left
    there is taken from it. `progress` is called with the texts embedded so far, those that the
    journal holds included, and all there are to embed.
    """
    wanted = {text_digest(text): text for text in texts}
    vectors = {digest: known[digest] for digest in wanted if digest in known} if known else {}
    to_embed = [digest for digest in wanted if digest not in vectors]
    if journal is not None:
        vectors.update((d, journal.vectors[d]) for d in to_embed if d in journal.vectors)
    missing = [digest for digest in to_embed if digest not in vectors]
    # Texts of one length fill a batch without padding.
    missing.sort(key=lambda digest: len(wanted[digest]))
    done = len(to_embed) - len(missing)
    if done and progress is not None:
        progress(done, len(to_embed))
    encoder = bulk_encoder(encoder, len(missing))
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        encoded = encoder.encode_document([wanted[digest] for digest in batch])
        rows = check_vectors(encoded, len(batch), encoder_name)
        if journal is not None:
            journal.append(batch, rows)
        vectors.update(zip(batch, rows, strict=True))
        if progress is not None:
            progress(done + start + len(batch), len(to_embed))
    return vectors
