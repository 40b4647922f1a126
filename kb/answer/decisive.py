"""Evidence without its dense leg in, whether that leg can still change the answer out.

The dense features lie between 0 and 1 and their weights are positive, so what they add to any
section's score is bounded by the sum of those weights. Where a signature's section is ahead by
more than that, no vector can bring another one before it, and encoding the query, most of the time
of an ask, is left out.
"""

from __future__ import annotations

import math

from kb.answer.compose import MIN_IN_SCOPE, SECOND_SHARE
from kb.query.paste import Query
from kb.retrieval.evidence import FEATURES, Evidence
from kb.retrieval.fusion import Ranking, read_weights
from kb.retrieval.signature_evidence import STRONG

__all__ = ["is_decided"]


def is_decided(query: Query, evidence: Evidence, ranking: Ranking) -> bool:
    """Whether a ranking without dense features shows the sections that one with them would.

    Its first section is a cause that a signature names; none of the others can overtake it, nor
    come near enough to be shown beside it; and that something is found stays true whatever they
    gain, since a larger score and dense features only raise the confidence.
    """
    weights = read_weights()
    if len(ranking.ids) < 2 or ranking.ids[0] in evidence.consequences:
        return False
    row = evidence.ids.index(ranking.ids[0])
    if float(evidence.features[row, FEATURES.index("signature")]) < STRONG:
        return False
    gain = sum(
        weights.ranking[name]
        for name, text in (("dense_words", query.words), ("dense_error", query.error_text))
        if text.strip()
    )
    first, second = ranking.scores[:2]
    if second + gain >= SECOND_SHARE * first:
        return False
    lost = weights.in_scope.get("margin", 0.0) * gain
    return _logit(ranking.in_scope) - lost >= _logit(MIN_IN_SCOPE)


def _logit(probability: float) -> float:
    bounded = min(max(probability, 1e-12), 1 - 1e-12)
    return math.log(bounded / (1 - bounded))
