"""Outcomes of cases in, retrieval metrics with confidence intervals out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Outcome", "Proportion", "Summary", "proportion", "summarize"]

_Z = 1.959964  # of a two-sided 95 % interval


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one case was answered with, against what is right."""

    case: str
    in_scope: bool
    found: bool
    ranks: tuple[str, ...]  # section ids shown, then the nearest ones, best first
    n_shown: int  # how many of `ranks` were shown as the answer
    acceptable: tuple[str, ...]
    flags_expected: tuple[str, ...]
    flags_printed: bool
    decisive_matched: bool | None  # None where the case names no deciding line
    confidence: float

    @property
    def rank(self) -> int | None:
        """The 1-based rank of the first acceptable id; None if refused or not ranked."""
        if not self.found:
            return None
        return next((n for n, i in enumerate(self.ranks, 1) if i in self.acceptable), None)


@dataclass(frozen=True, slots=True)
class Proportion:
    """A share of `n`, with its 95 % Wilson interval (Wilson, 1927)."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The metrics of a set of outcomes; a refused case in scope counts as wrong throughout."""

    n: int
    top1: Proportion
    top3: Proportion
    mrr: float
    in_scope_refused: Proportion
    out_of_scope_refused: Proportion
    flags_printed: Proportion
    decisive_matched: Proportion


def proportion(hits: Sequence[bool]) -> Proportion:
    """Return the share of true values and its interval; 0 of 0 is 0 with the interval 0 to 1."""
    n = len(hits)
    if n == 0:
        return Proportion(0.0, 0.0, 1.0, 0)
    share = sum(hits) / n
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    margin = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
    return Proportion(share, max(0.0, centre - margin), min(1.0, centre + margin), n)


def summarize(outcomes: Sequence[Outcome]) -> Summary:
    """Return the metrics over `outcomes`; ranks count over the ids shown, then the nearest."""
    inside = [outcome for outcome in outcomes if outcome.in_scope]
    outside = [outcome for outcome in outcomes if not outcome.in_scope]
    ranks = [outcome.rank for outcome in inside]
    return Summary(
        n=len(outcomes),
        top1=proportion([rank == 1 for rank in ranks]),
        top3=proportion([rank is not None and rank <= 3 for rank in ranks]),
        mrr=sum(1 / rank for rank in ranks if rank) / len(ranks) if ranks else 0.0,
        in_scope_refused=proportion([not outcome.found for outcome in inside]),
        out_of_scope_refused=proportion([not outcome.found for outcome in outside]),
        flags_printed=proportion([o.flags_printed for o in inside if o.flags_expected]),
        decisive_matched=proportion(
            [o.decisive_matched for o in inside if o.decisive_matched is not None]
        ),
    )
