"""Vectors of questions in, the model of `kb.retrieval.about` out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kb.evaluation.descent import adam

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["about_of", "fit_about", "left_out_about"]

# Vectors of one encoder differ in a narrow cone: centred and spread, one rate fits all weights.
_SPREAD = 20.0
_L2 = 1e-2


def fit_about(vectors: Array, in_scope: NDArray[np.bool_]) -> tuple[Array, float]:
    """Return weights `(dim,)` and intercept of a logistic model; both classes count alike."""
    mean = vectors.mean(axis=0)
    rows = np.c_[(vectors - mean) * _SPREAD, np.ones(len(vectors))]
    balance = np.where(in_scope, 0.5 / in_scope.sum(), 0.5 / (~in_scope).sum())
    drawn = np.ones(rows.shape[1])
    drawn[-1] = 0.0  # the intercept is free

    def gradient(weights: Array) -> Array:
        predicted = 1 / (1 + np.exp(-(rows @ weights)))
        return np.asarray(rows.T @ (balance * (predicted - in_scope)) + _L2 * drawn * weights)

    fitted = adam(gradient, np.zeros(rows.shape[1]), steps=600, rate=0.1)
    weights = fitted[:-1] * _SPREAD
    return weights, float(fitted[-1] - weights @ mean)


def about_of(vectors: Array, model: tuple[Array, float]) -> Array:
    """Return what `kb.retrieval.about.about_serving` makes of vectors, `(n,)`."""
    weights, intercept = model
    return np.asarray(np.tanh((vectors @ weights + intercept) / 2))


def left_out_about(
    vectors: Array, in_scope: NDArray[np.bool_], topics: Sequence[str], folds: int, seed: int
) -> Array:
    """Return for each question what a model makes of it that was fitted without its topic."""
    names = sorted(set(topics))
    np.random.default_rng(seed).shuffle(names)
    fold_of = {name: number % folds for number, name in enumerate(names)}
    fold = np.array([fold_of[topic] for topic in topics])
    about = np.zeros(len(vectors))
    for number in range(folds):
        kept = fold != number
        if kept.all():
            continue
        about[~kept] = about_of(vectors[~kept], fit_about(vectors[kept], in_scope[kept]))
    return about
