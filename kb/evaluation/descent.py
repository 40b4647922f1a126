"""A gradient in, the weights that it leads to out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["adam"]


def adam(
    gradient: Callable[[Array], Array],
    start: Array,
    steps: int,
    rate: float,
    *,
    keep_signs: bool = False,
) -> Array:
    """Minimise by Adam (Kingma & Ba, 2015); with `keep_signs` no weight crosses zero."""
    import numpy as np

    weights, first, second = start.copy(), np.zeros_like(start), np.zeros_like(start)
    sign = np.sign(start)
    for step in range(1, steps + 1):
        g = gradient(weights)
        first = 0.9 * first + 0.1 * g
        second = 0.999 * second + 0.001 * g * g
        weights -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-9)
        if keep_signs:
            weights = np.where(sign * weights < 0, 0.0, weights)
    return weights
