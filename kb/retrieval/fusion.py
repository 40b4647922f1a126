"""Evidence in, ranked ids with a calibrated confidence out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb.query.programs import ProgramEvidence
from kb.retrieval.evidence import FEATURES, Evidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LEGS", "WEIGHTS", "Ranking", "rank"]

# Which features each retrieval leg brings; "consequence" belongs to the fusion itself.
LEGS: Mapping[str, tuple[str, ...]] = {
    "signatures": tuple(name for name in FEATURES if name.startswith("signature")),
    "lexical": tuple(name for name in FEATURES if name.startswith(("lexical", "title"))),
    "dense": tuple(name for name in FEATURES if name.startswith("dense")),
}

WEIGHTS: Mapping[str, float] = {
    "signature": 3.0,
    "signature_frame": 1.2,
    "signature_linked": 1.5,
    "title_words": 1.0,
    "title_error": 0.5,
    "signature_lines": 0.8,
    "signature_first": 0.5,
    "signature_last": 2.5,
    "signature_words": 1.2,
    "lexical_words": 2.0,
    "lexical_error": 1.5,
    "lexical_context": 0.5,
    "lexical_words_relative": 0.8,
    "lexical_error_relative": 0.6,
    "lexical_context_relative": 0.2,
    "dense_words": 1.5,
    "dense_error": 0.8,
    "consequence": -0.8,
    "consequence_beside_cause": -1.0,
}


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ids from the best on, their scores, and how likely the first is right."""

    ids: tuple[str, ...]
    scores: tuple[float, ...]  # higher is better
    confidence: float  # 0 to 1


def fuse(evidence: Evidence, weights: Mapping[str, float] = WEIGHTS) -> NDArray[np.float32]:
    """Return the fused score of each id, `(n_ids,) float32`."""
    import numpy as np

    vector = np.array([weights.get(name, 0.0) for name in FEATURES], dtype=np.float32)
    return np.asarray(evidence.features @ vector, dtype=np.float32)


def rank(
    evidence: Evidence, programs: ProgramEvidence, legs: frozenset[str] = frozenset(LEGS)
) -> Ranking:
    """Rank all ids by the evidence of `legs`; ties keep corpus order."""
    import numpy as np

    left_out = {name for leg in LEGS if leg not in legs for name in LEGS[leg]}
    weights = {name: weight for name, weight in WEIGHTS.items() if name not in left_out}
    scores = fuse(evidence, weights)
    order = np.argsort(-scores, kind="stable")
    confidence = _confidence(evidence, programs, scores, order)
    return Ranking(
        tuple(evidence.ids[int(number)] for number in order),
        tuple(float(scores[int(number)]) for number in order),
        confidence,
    )


def _confidence(
    evidence: Evidence,
    programs: ProgramEvidence,
    scores: NDArray[np.float32],
    order: NDArray[np.int64],
) -> float:
    first = int(order[0])
    z = -3.0 + 1.1 * float(scores[first])
    z += 1.0 * max(evidence.idf_share_words, evidence.idf_share_error)
    if programs.is_sglang:
        z += 1.0
    elif programs.others_in_words:
        z -= 6.0
    elif programs.others_in_log:
        z -= 2.5
    return 1 / (1 + math.exp(-z))
