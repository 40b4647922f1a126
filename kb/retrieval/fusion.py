"""Evidence in, ranked ids with a calibrated confidence out.

The score of an id is a weighted sum of its features. The weights lie in `weights.json`, learned on
the project's golden cases by `python -m kb.evaluation.train`; the file says how well they do on
topics left out of the training.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from kb.query.programs import ProgramEvidence
from kb.retrieval.confidence import CatalogMarks, confidence_features, probability
from kb.retrieval.evidence import FEATURES, Evidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LEGS", "WEIGHTS_FILE", "FusionWeights", "Ranking", "fuse", "rank", "read_weights"]

WEIGHTS_FILE = Path(__file__).with_name("weights.json")

# Which features each retrieval leg brings; the consequences belong to the fusion itself.
LEGS: Mapping[str, tuple[str, ...]] = {
    "signatures": tuple(name for name in FEATURES if name.startswith("signature")),
    "lexical": tuple(name for name in FEATURES if name.startswith(("lexical", "title"))),
    "dense": tuple(name for name in FEATURES if name.startswith("dense")),
}


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """The learned numbers: of the ranking, and of the confidence in its first id."""

    ranking: Mapping[str, float]  # by FEATURES
    in_scope: Mapping[str, float]  # by CONFIDENCE_FEATURES, none negative
    in_scope_intercept: float
    right: Mapping[str, float]  # by RIGHT_FEATURES, none negative
    right_intercept: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ids from the best on, their scores, and how likely the first is right."""

    ids: tuple[str, ...]
    scores: tuple[float, ...]  # higher is better
    in_scope: float  # 0 to 1: how likely the documents answer this; at 0.5 the operating point
    confidence: float  # 0 to 1: how likely they do and the first id is the right one


@lru_cache(maxsize=1)
def read_weights() -> FusionWeights:
    """Return the weights that ship with the package."""
    read = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    return FusionWeights(
        read["ranking"],
        read["in_scope"]["weights"],
        read["in_scope"]["intercept"],
        read["right"]["weights"],
        read["right"]["intercept"],
    )


def fuse(evidence: Evidence, weights: Mapping[str, float]) -> NDArray[np.float32]:
    """Return the fused score of each id, `(n_ids,) float32`."""
    import numpy as np

    vector = np.array([weights.get(name, 0.0) for name in FEATURES], dtype=np.float32)
    return np.asarray(evidence.features @ vector, dtype=np.float32)


# A signature worth this much names the cause beyond doubt.
_NAMED = 0.35


def _told(evidence: Evidence, identifier: str) -> int:
    """Return how many letters the first hit of an id matched, 0 where it has none."""
    hits = evidence.hits.get(identifier, ())
    first = min((hit.line for hit in hits), default=0)
    return max((hit.matched for hit in hits if hit.line == first), default=0)


def _causes_first(evidence: Evidence, scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the scores with every consequence below the best cause that a signature names.

    Consequences follow from one another, too: of those that signatures name the first in the log
    stands first, and of two in one line the one that tells more of it.
    """
    import numpy as np

    signature = evidence.features[:, FEATURES.index("signature")]
    is_consequence = np.array([i in evidence.consequences for i in evidence.ids])
    chain = np.flatnonzero((signature >= _NAMED) & is_consequence)
    if len(chain) > 1:
        first = evidence.features[chain, FEATURES.index("signature_first")]
        told = np.array([_told(evidence, evidence.ids[int(row)]) for row in chain])
        in_order = chain[np.lexsort((-scores[chain], -told, -first))]
        scores = scores.copy()
        scores[in_order] = np.sort(scores[chain])[::-1]
    named = (signature >= _NAMED) & ~is_consequence
    if not named.any():
        # A stack that was cut before its exception names the cause by its frames alone.
        beside = evidence.features[is_consequence, FEATURES.index("consequence_beside_cause")]
        frames = evidence.features[:, FEATURES.index("signature_frame")]
        named = (frames >= _NAMED) & ~is_consequence & (not beside.any())
    if not named.any():
        return scores
    limit = np.nextafter(scores[named].max(), np.float32(-np.inf))
    return np.where(is_consequence, np.minimum(scores, limit), scores)


def rank(
    evidence: Evidence,
    programs: ProgramEvidence,
    marks: CatalogMarks | None = None,
    legs: frozenset[str] = frozenset(LEGS),
) -> Ranking:
    """Rank all ids by the evidence of `legs`; ties keep corpus order."""
    import numpy as np

    weights = read_weights()
    left_out = {name for leg in LEGS if leg not in legs for name in LEGS[leg]}
    used = {name: value for name, value in weights.ranking.items() if name not in left_out}
    scores = _causes_first(evidence, fuse(evidence, used))
    order = np.argsort(-scores, kind="stable")
    features = confidence_features(
        evidence, programs, marks or CatalogMarks(), scores, order.tolist()
    )
    in_scope = probability(features, weights.in_scope, weights.in_scope_intercept)
    right = probability(features, weights.right, weights.right_intercept)
    return Ranking(
        tuple(evidence.ids[int(number)] for number in order),
        tuple(float(scores[int(number)]) for number in order),
        in_scope,
        in_scope * right,
    )
