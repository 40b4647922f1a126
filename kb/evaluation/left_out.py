"""Examples in, what weights fitted without their topics make of them out.

So the figures are about kinds of failure that the weights have never seen: five folds of whole
topics, the same at every run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb.evaluation.examples import FOLDS, SEED, Example
from kb.evaluation.train import (
    confidence_rows,
    fit_confidence,
    fit_ranking,
    fit_right,
)
from kb.retrieval.confidence import CONFIDENCE_FEATURES, RIGHT_FEATURES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["LeftOut", "figures", "leave_topics_out"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What an example gets from weights that know nothing of its topic."""

    example: Example
    ids: tuple[str, ...]  # the first three
    in_scope: float  # how likely it is in scope; refused below its operating point
    right: float  # how likely the first is right, if it is


def leave_topics_out(
    examples: Sequence[Example], fit: Callable[[Sequence[Example]], Array] = fit_ranking
) -> list[LeftOut]:
    """Return what each example gets from weights that were fitted without its topic.

    `fit` gives the ranking weights for the examples of the other folds.
    """
    import numpy as np

    topics = sorted({example.topic for example in examples})
    np.random.default_rng(SEED).shuffle(topics)
    chosen = [0, *(1 + CONFIDENCE_FEATURES.index(name) for name in RIGHT_FEATURES)]
    results = []
    for fold in range(FOLDS):
        left_out = set(topics[fold::FOLDS])
        kept = [example for example in examples if example.topic not in left_out]
        tested = [example for example in examples if example.topic in left_out]
        if not tested:
            continue
        ranking = fit(kept)
        rows = confidence_rows(tested, ranking)
        in_scope = 1 / (1 + np.exp(-(rows @ fit_confidence(kept, ranking))))
        right = 1 / (1 + np.exp(-(rows[:, chosen] @ fit_right(kept, fit))))
        for example, of_scope, of_first in zip(tested, in_scope, right, strict=True):
            order = np.argsort(-(example.evidence.features @ ranking), kind="stable")
            ids = tuple(example.evidence.ids[int(number)] for number in order[:3])
            results.append(LeftOut(example, ids, float(of_scope), float(of_first)))
    return results


def figures(results: Sequence[LeftOut]) -> dict[str, float]:
    """Return the shares that are right and refused, and the calibration error of the first."""
    import numpy as np

    inside = [result for result in results if result.example.case.in_scope]
    first = [result.ids[0] in result.example.case.topics for result in inside]
    refused = np.array([result.in_scope < result.example.operating_point for result in results])
    scope = np.array([result.example.case.in_scope for result in results])
    sure = np.array([result.right for result in inside])
    values = {
        "top1": np.mean(first),
        "top3": np.mean([not set(r.ids).isdisjoint(r.example.case.topics) for r in inside]),
        "out_of_scope_refused": refused[~scope].mean(),
        "in_scope_refused": refused[scope].mean(),
        "calibration_error": _calibration_error(sure, np.array(first, dtype=float)),
    }
    return {name: round(float(value), 4) for name, value in values.items()}


def _calibration_error(predicted: Array, right: Array, bins: int = 10) -> float:
    """Return the expected calibration error (Naeini et al., 2015) over bins of equal count."""
    import numpy as np

    parts = np.array_split(np.argsort(predicted), bins)
    gaps = [abs(predicted[part].mean() - right[part].mean()) * len(part) for part in parts]
    return float(sum(gaps) / len(predicted))
