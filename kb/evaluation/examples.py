"""Cases in, examples out: every way of asking each, with its evidence and its words' vector."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kb.evaluation.golden import Case
from kb.knowledge_base import KnowledgeBase
from kb.retrieval.confidence import CatalogMarks
from kb.retrieval.encoders import DEFAULT_ENCODER, Encoder
from kb.retrieval.evidence import Evidence, dense_texts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb.query.programs import ProgramEvidence

__all__ = [
    "FOLDS",
    "LOG_POINT",
    "OPERATING_POINT",
    "SEED",
    "Example",
    "RememberingEncoder",
    "collect_examples",
    "judge_words",
]

SEED, FOLDS = 7, 5
# Where the answer is given, on the fitted probability: chosen on left-out topics so that at least
# 95 % of what is out of scope is refused and at most 2 % of the logs in scope. The intercept is
# then moved so that this point is 0.5. A log has its own evidence.
OPERATING_POINT, LOG_POINT = 0.7, 0.5


@dataclass(frozen=True, slots=True)
class Example:
    """One way of asking a case, with its evidence."""

    case: Case
    topic: str  # the fold it belongs to: its first topic, or its file where out of scope
    evidence: Evidence
    programs: ProgramEvidence
    marks: CatalogMarks
    vector: NDArray[np.float32] | None = None  # of the words, None where there are none

    @property
    def operating_point(self) -> float:
        """Return the fitted probability from which it is answered."""
        told = 0.0 if self.evidence.has_log else self.evidence.told
        odds = told * _logit(OPERATING_POINT) + (1 - told) * _logit(LOG_POINT)
        return 1 / (1 + math.exp(-odds))

    @property
    def is_asked(self) -> bool:
        """Whether it is of the questions that were asked without a log."""
        return self.case.id.startswith("asked-")


def collect_examples(
    base: KnowledgeBase, cases: Sequence[Case], progress: Callable[[int, int], None] | None = None
) -> list[Example]:
    """Return every way of asking each case: log alone, with the English, the Korean question."""
    examples = []
    for number, case in enumerate(cases, start=1):
        questions = [q for q in (case.question, case.question_ko) if q]
        if case.paste and (not questions or (case.in_scope and case.log_alone)):
            questions.insert(0, "")
        for question in questions:
            query, evidence, marks = base.evidence_for(case.paste, question or None)
            topic = case.topics[0] if case.in_scope else case.id.split("/")[0]
            words = dense_texts(query)[0]
            vector = base.encoder.encode_query([words])[0] if words.strip() else None
            examples.append(Example(case, topic, evidence, query.programs, marks, vector))
        if progress is not None:
            progress(number, len(cases))
    return examples


def judge_words(examples: Sequence[Example]) -> tuple[list[Example], dict[str, Any]]:
    """Return the examples with what their words are about, and what `about.json` holds.

    What an example is said to be about comes from a model that was fitted without its topic.
    """
    import numpy as np

    from kb.evaluation.fit_about import fit_about, left_out_about

    spoken = [example for example in examples if example.vector is not None]
    vectors = np.array([example.vector for example in spoken], dtype=np.float64)
    in_scope = np.array([example.case.in_scope for example in spoken])
    values = left_out_about(vectors, in_scope, [e.topic for e in spoken], FOLDS, SEED)
    of_example = {id(example): float(v) for example, v in zip(spoken, values, strict=True)}
    judged = [
        replace(e, evidence=replace(e.evidence, about=of_example.get(id(e), 0.0))) for e in examples
    ]
    weights, intercept = fit_about(vectors, in_scope)
    model = {
        "encoder": DEFAULT_ENCODER,
        "intercept": round(intercept, 4),
        "topics": sorted({e.topic for e in spoken if e.case.in_scope}),
        "weights": [round(float(weight), 3) for weight in weights],
    }
    return judged, model


def _logit(probability: float) -> float:
    return math.log(probability / (1 - probability))


class RememberingEncoder:
    """An encoder that embeds each query text once: a run asks many cases in several ways."""

    def __init__(self, encoder: Encoder) -> None:
        """Take the encoder that embeds what is new."""
        self._encoder = encoder
        self._known: dict[str, NDArray[np.float32]] = {}

    def encode_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed queries; returns `(n, dim) float32`, unit length."""
        import numpy as np

        for text in texts:
            if text not in self._known:
                self._known[text] = self._encoder.encode_query([text])[0]
        return np.stack([self._known[text] for text in texts])

    def encode_document(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed passages as the encoder does."""
        return self._encoder.encode_document(texts)
