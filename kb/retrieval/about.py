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
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb.query.paste import Query
    from kb.retrieval.evidence import Evidence
    from kb.retrieval.searchable import Searchable
    from kb.types import Section

    Vector = NDArray[np.float32]

__all__ = [
    "ABOUT_FILE",
    "QuestionJudge",
    "about_serving",
    "is_its_subject",
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


class QuestionJudge:
    """Tells what questions of an index are about."""

    def __init__(self, index: Searchable) -> None:
        """Take the index that is asked."""
        self._index = index
        self._subject: tuple[tuple[Section, ...], bool] | None = None

    def judged(self, query: Query, evidence: Evidence, vectors: Vector) -> Evidence:
        """Return `evidence` with what the words of `query` are about; `vectors` are `(2, dim)`."""
        about = 0.0
        if self._is_its_subject():
            about = about_serving(vectors[0], self._index.encoder.name)
        return replace(evidence, about=about, told=share_told(query.words) if about else 0.0)

    def _is_its_subject(self) -> bool:
        listed = self._index.listed
        if self._subject is None or self._subject[0] is not listed:  # published anew
            self._subject = listed, is_its_subject(section.id for section in listed)
        return self._subject[1]


@lru_cache(maxsize=1)
def read_about() -> AboutModel:
    """Return the model that ships with the package."""
    import numpy as np

    read = json.loads(ABOUT_FILE.read_text(encoding="utf-8"))
    weights = np.array(read["weights"], dtype=np.float32)
    topics = frozenset(read["topics"])
    return AboutModel(read["encoder"], weights, float(read["intercept"]), topics)


def is_its_subject(identifiers: Iterable[str]) -> bool:
    """Whether sections of these ids are those that the model knows the questions of, or most.

    In a database of several corpora an id has its corpus in front: `docs/oom-decode`.
    """
    topics = read_about().topics
    known = topics.intersection(identifier.rsplit("/", 1)[-1] for identifier in identifiers)
    return 2 * len(known) >= len(topics)


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
