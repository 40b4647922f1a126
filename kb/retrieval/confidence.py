"""The evidence for the first section in, how likely it is the right one out.

Two logistic models whose weights are all of known sign, so that more evidence never lowers the
confidence. The first says how likely the question is one for these documents at all: it weighs
not only how well a section matches but who speaks, since vLLM, training jobs and miners fail with
the words of SGLang's failures. The second says how likely the first section is the right one, if
so. The confidence is the product; whether to answer is decided by the first alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb.query.programs import ProgramEvidence
from kb.retrieval.evidence import FEATURES, Evidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "CONFIDENCE_FEATURES",
    "RIGHT_FEATURES",
    "CatalogMarks",
    "confidence_features",
    "probability",
]

CONFIDENCE_FEATURES = (
    "score",  # of the first section
    "margin",  # between the first and the second
    "signature",  # of the first: in the log, in its last step, in a frame
    "signature_words",  # of the first: inside the question
    "dense",  # of the first: the better of question and error
    "idf_words",  # share of the question's idf that the best section holds
    "idf_error",
    "lexical",
    "title",
    "sglang_in_log",  # 1 where the log carries SGLang's marks
    "sglang_in_words",
    "serving_in_log",  # up to four terms of serving language models
    "serving_in_words",
    "catalog_flags",  # 1 where a flag of SGLang's is written
    "catalog_messages",  # 1 where a line is a message of SGLang's
    "not_other_in_words",  # -1 where the question names another program and nothing says SGLang
    "not_other_in_log",  # likewise the log
    "not_foreign_frames",  # -1 where the stack is a script's own
    "about_alone",  # how much a question without a log is about serving, -1 to 1
    "about_beside",  # likewise one beside a log, 0 to 1: "what is this?" says nothing against it
    "log_or_unknown",  # 1 beside a log, and where the words are too few to tell
)
# By which the second model tells a right first section from a wrong one.
RIGHT_FEATURES = ("margin", "signature", "signature_words", "lexical", "dense")
_SERVING_TERMS = 4
_IN_LAST_STEP, _IN_FRAME = 0.8, 0.6  # what such a hit is worth beside one in an error line


@dataclass(frozen=True, slots=True)
class CatalogMarks:
    """What the catalogue recognises in a paste: names that only SGLang's releases have."""

    flags: int = 0  # distinct flags
    messages: int = 0  # lines that are the program's own messages


def confidence_features(
    evidence: Evidence,
    programs: ProgramEvidence,
    marks: CatalogMarks,
    scores: NDArray[np.float32],
    order: Sequence[int],
) -> tuple[float, ...]:
    """Return the values of CONFIDENCE_FEATURES for a ranking; `order` begins with the first."""
    first = int(order[0])
    value = dict(zip(FEATURES, (float(v) for v in evidence.features[first]), strict=True))
    second = float(scores[int(order[1])]) if len(order) > 1 else 0.0
    other = not programs.is_sglang
    named = bool(programs.others_in_words), bool(programs.others_in_log)
    foreign = other and any(named)
    return (
        float(scores[first]),
        float(scores[first]) - second,
        max(
            value["signature"],
            _IN_LAST_STEP * value["signature_last"],
            _IN_FRAME * value["signature_frame"],
        ),
        value["signature_words"],
        max(value["dense_words"], value["dense_error"]),
        evidence.idf_share_words,
        evidence.idf_share_error,
        max(value["lexical_words"], value["lexical_error"]),
        max(value["title_words"], value["title_error"]),
        float(programs.sglang_in_log > 0),
        float(programs.sglang_in_words > 0),
        min(programs.serving_in_log, _SERVING_TERMS) / _SERVING_TERMS,
        min(programs.serving_in_words, _SERVING_TERMS) / _SERVING_TERMS,
        # vLLM's flags and messages are alike: beside its name they say nothing.
        float(marks.flags > 0 and not foreign),
        float(marks.messages > 0 and not foreign),
        -float(other and named[0]),
        -float(other and named[1]),
        -float(other and programs.foreign_frames),
        0.0 if evidence.has_log else evidence.told * evidence.about,
        evidence.told * max(0.0, evidence.about) if evidence.has_log else 0.0,
        1.0 if evidence.has_log else 1.0 - evidence.told,
    )


def probability(features: Sequence[float], weights: Mapping[str, float], intercept: float) -> float:
    """Return a logistic model's probability, 0 to 1.

    `features` are values of CONFIDENCE_FEATURES; one that `weights` do not name does not count.
    """
    total = intercept + sum(
        weights.get(name, 0.0) * value
        for name, value in zip(CONFIDENCE_FEATURES, features, strict=True)
    )
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, total))))
