"""Questions asked in, how far their confidence can be trusted out.

Where the weights were learned on these very cases, the confidence is that of weights fitted
without a case's topic.
"""

from __future__ import annotations

from collections.abc import Sequence

from kb.evaluation.left_out import LeftOut
from kb.evaluation.markdown_tables import percent, share, table
from kb.evaluation.metrics import proportion
from kb.evaluation.quality import Asked

__all__ = [
    "calibration_section",
    "operating_point_section",
    "predictions",
    "reliability_bins",
    "risk_curve",
]

_THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_COVERAGES = (0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0)


def predictions(
    asked: Sequence[Asked], left_out: Sequence[LeftOut] | None
) -> list[tuple[float, bool]]:
    """Return confidence and whether the first section is right, of every question, surest first."""
    if left_out is None:
        pairs = [(r.ranking.confidence, r.ranking.ids[0] in r.case.topics) for r in asked]
    else:
        pairs = [(r.in_scope * r.right, r.ids[0] in r.example.case.topics) for r in left_out]
    return sorted(pairs, key=lambda pair: (-pair[0], not pair[1]))


def reliability_bins(predicted: Sequence[tuple[float, bool]]) -> list[tuple[float, float, int]]:
    """Return mean confidence, share right and number of questions of each tenth of confidence."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for sure, right in predicted:
        bins.setdefault(min(9, int(sure * 10)), []).append((sure, right))
    return [
        (sum(s for s, _ in held) / len(held), sum(r for _, r in held) / len(held), len(held))
        for _, held in sorted(bins.items())
    ]


def risk_curve(predicted: Sequence[tuple[float, bool]]) -> list[tuple[float, float]]:
    """Return coverage and share wrong, from the surest question alone to all of them."""
    points, wrong = [], 0
    for number, (_, right) in enumerate(predicted, start=1):
        wrong += not right
        points.append((number / len(predicted), wrong / number))
    return points


def calibration_section(
    reliability: Sequence[tuple[float, float, int]],
    risk: Sequence[tuple[float, float]],
    plot: str,
    is_left_out: bool,
) -> str:
    """Return the section with the plot, its bins and points of its curve."""
    by = "weights fitted without its topic" if is_left_out else "the shipped weights"
    total = sum(count for *_, count in reliability)
    error = sum(abs(sure - right) * count for sure, right, count in reliability) / total
    bins = table(
        ("mean confidence", "share right", "questions"),
        [(f"{sure:.2f}", f"{right:.2f}", count) for sure, right, count in reliability],
    )
    at = [risk[max(0, round(coverage * len(risk)) - 1)] for coverage in _COVERAGES]
    curve = table(
        ("answered, the surest first", *(f"{coverage:.0%}" for coverage in _COVERAGES)),
        [("wrong among them", *(percent(wrong) for _, wrong in at))],
    )
    return (
        f"## Calibration\n\nOver all {total} questions, those out of scope among them, for which no"
        f" section is right; confidence by {by}. Expected calibration error {error:.3f}.\n\n"
        f"![Reliability and risk-coverage]({plot})\n\n{bins}\n\n{curve}"
    )


def operating_point_section(asked: Sequence[Asked], left_out: Sequence[LeftOut] | None) -> str:
    """Return the section that tells what is refused at each threshold."""
    shipped = [(r.ranking.in_scope, r.case.in_scope) for r in asked]
    # Fitted anew, the scale is the one before the operating point was moved to 0.5.
    anew = [
        (_moved(r.in_scope, r.example.operating_point), r.example.case.in_scope)
        for r in left_out or ()
    ]
    rows = []
    for threshold in _THRESHOLDS:
        mark = " (shipped)" if threshold == 0.5 else ""
        cells = [f"{threshold}{mark}", *_refused(shipped, threshold)]
        rows.append(cells + (_refused(anew, threshold) if anew else []))
    head = ["threshold", "in scope refused", "out of scope refused"]
    if anew:
        head += ["in scope, topic left out", "out of scope, topic left out"]
    return (
        "## Operating point\n\nAn answer is given where the documents answer the question with at"
        " least this probability.\n\n" + table(head, rows)
    )


def _moved(probability: float, point: float) -> float:
    odds = probability / max(1e-12, 1 - probability) * (1 - point) / point
    return odds / (1 + odds)


def _refused(values: Sequence[tuple[float, bool]], threshold: float) -> list[str]:
    return [
        share(proportion([sure < threshold for sure, of_scope in values if of_scope is wanted]))
        for wanted in (True, False)
    ]
