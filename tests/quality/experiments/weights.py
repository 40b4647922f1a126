"""Learned ranking weights against the priors alone, equal weights, and a free fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from measuring import KeptVectors, examples_of, row, shipped, write
from numpy.typing import NDArray

from kb.evaluation.train import FITTED_SHARE, RANKING_PRIOR, Example, fit_ranking
from kb.retrieval.evidence import FEATURES

PRIOR = np.array([RANKING_PRIOR[name] for name in FEATURES])


def prior(examples: Sequence[Example]) -> NDArray[np.float64]:
    return PRIOR


def equal(examples: Sequence[Example]) -> NDArray[np.float64]:
    return np.sign(PRIOR)


def fitted(examples: Sequence[Example]) -> NDArray[np.float64]:
    """Return the fit without the blend: blend = (1 - share) · prior + share · fit."""
    return PRIOR + (fit_ranking(examples) - PRIOR) / FITTED_SHARE


encoder = KeptVectors()
golden, dev = examples_of(shipped(encoder))
encoder.save()
write(
    __file__,
    "Ranking weights",
    "Listwise softmax with known signs, blended with the priors, against other ways to weights.",
    [
        row("blend of priors and fit (present)", golden, dev),
        row("priors alone", golden, dev, prior),
        row("fit alone", golden, dev, fitted),
        row("equal weights", golden, dev, equal),
    ],
)
