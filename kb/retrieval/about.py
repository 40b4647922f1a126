"""The vector of a question in, how much it is about a server of language models out.

What somebody asks without a log often names no program: "the second box never joins". A logistic
model over the vectors of the bundled encoder, fitted on questions that operators ask and on ones
that are asked of other things (`python -m kb.evaluation.train`), tells the two apart where words
alone do not. Another encoder's vectors say nothing to it, and documents of another subject are
asked about other things.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb.query.paste import Query
    from kb.retrieval.evidence import Evidence

    Vector = NDArray[np.float32]

__all__ = [
    "ABOUT_FILE",
    "about_serving",
    "is_its_subject",
    "judged",
    "read_about",
    "share_told",
]

ABOUT_FILE = Path(__file__).with_name("about.json")


@dataclass(frozen=True, slots=True)
class AboutModel:
    """The numbers of the model."""

    encoder: str
    weights: Vector  # (dim,)
    intercept: float
    topics: frozenset[str]  # ids of the sections whose questions it was learned on


@lru_cache(maxsize=1)
def read_about() -> AboutModel:
    """Return the model that ships with the package."""
    import numpy as np

    read = json.loads(ABOUT_FILE.read_text(encoding="utf-8"))
    weights = np.array(read["weights"], dtype=np.float32)
    topics = frozenset(read["topics"])
    return AboutModel(read["encoder"], weights, float(read["intercept"]), topics)


def is_its_subject(identifiers: Sequence[str]) -> bool:
    """Whether sections of these ids are mostly those that the model knows the questions of.

    Among several corpora of a database an id has its corpus in front: `docs:oom-decode`.
    """
    topics = read_about().topics
    known = sum(identifier.rsplit(":", 1)[-1] in topics for identifier in identifiers)
    return 2 * known > len(identifiers)


# Letters, those of Hangul and Han double, from which words begin to tell what they are about, and
# from which they tell it all: a vector of two words is near everything.
_FEW, _ENOUGH = 12, 40


def share_told(words: str) -> float:
    """Return how much words can tell of what they are about, by their length, 0 to 1."""
    letters = len(words) + sum(not character.isascii() for character in words)
    return min(1.0, max(0.0, (letters - _FEW) / (_ENOUGH - _FEW)))


def about_serving(vector: Vector, encoder: str) -> float:
    """Return −1 (about something else) to 1 (about a serving program) for a query vector `(dim,)`.

    0 where it cannot be told: there are no words, or another encoder made the vector.
    """
    model = read_about()
    if encoder != model.encoder or not vector.any():
        return 0.0
    return math.tanh((float(vector @ model.weights) + model.intercept) / 2)


def judged(query: Query, evidence: Evidence, vectors: Vector, encoder: str) -> Evidence:
    """Return `evidence` with what the words of `query` are about.

    `vectors` are those of its `dense_texts`, `(2, dim)`, by the encoder of this name. Documents of
    another subject, those it was compared with, are asked about other things.
    """
    about = about_serving(vectors[0], encoder) if is_its_subject(evidence.ids) else 0.0
    return replace(evidence, about=about, told=share_told(query.words) if about else 0.0)
