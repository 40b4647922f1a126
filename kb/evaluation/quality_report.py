"""What was measured in, a quality report in Markdown with its plot out.

The same code, index and cases give the same bytes: no date, no durations.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.evaluation.calibration import (
    calibration_section,
    operating_point_section,
    predictions,
    reliability_bins,
    risk_curve,
)
from kb.evaluation.left_out import LeftOut, figures
from kb.evaluation.markdown_tables import Row, percent, share, table
from kb.evaluation.metrics import Outcome, Proportion, Summary, proportion, summarize
from kb.evaluation.noise import PLACES
from kb.evaluation.plot import calibration_svg
from kb.evaluation.quality import LEG_SETS, Asked, NoiseRun, as_ranked

__all__ = ["Configuration", "write_report"]

PLOT = "calibration.svg"
REPORT = "REPORT.md"
TRIED = "experiments"  # folder beside the report: its *.md are what was tried
_METRICS = (
    ("top1", "right section first"),
    ("top3", "right section among the first three"),
    ("in_scope_refused", "in scope, refused"),
    ("out_of_scope_refused", "out of scope, refused"),
    ("flags_printed", "an expected flag printed"),
    ("decisive_matched", "deciding line among the matched lines"),
)
_WAYS = {
    "log": "log alone",
    "question": "with its question",
    "question_ko": "with its Korean question",
}


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the figures were made by; equal configurations give equal figures."""

    kb_version: str
    encoder: str
    content: str  # digest of the indexed documents
    index: str  # checksum of the index
    cases: str  # where the cases were read from
    weights: Mapping[str, object]  # `made_by` of the learned weights


def write_report(
    folder: Path,
    made_by: Configuration,
    asked: Sequence[Asked],
    noise: NoiseRun,
    left_out: Sequence[LeftOut] | None,
) -> Path:
    """Write REPORT.md and its plot into `folder`; returns the path of the report.

    The `*.md` of `folder`/experiments, where there are any, become its last section.
    """
    predicted = predictions(asked, left_out)
    reliability = reliability_bins(predicted)
    risk = risk_curve(predicted)
    sections = (
        "# Quality report\n\nWritten by `kb eval CASES --report FOLDER`; not edited by hand.",
        _configuration(made_by),
        _overall(asked),
        _by_kind(asked),
        _by_language(asked),
        _legs(asked),
        _noise(noise),
        _learning(left_out),
        calibration_section(reliability, risk, PLOT, left_out is not None),
        operating_point_section(asked, left_out),
        _tried(folder / TRIED),
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PLOT).write_text(calibration_svg(reliability, risk), encoding="utf-8")
    text = "\n\n".join(section for section in sections if section) + "\n"
    (folder / REPORT).write_text(text, encoding="utf-8")
    return folder / REPORT


def _first(asked: Sequence[Asked]) -> list[Asked]:
    return [result for result in asked if result.is_first]


def _configuration(made_by: Configuration) -> str:
    learned = made_by.weights
    rows = (
        ("kb", made_by.kb_version),
        ("Python", ".".join(platform.python_version_tuple()[:2])),
        ("encoder", made_by.encoder),
        ("documents (SHA-256)", f"`{made_by.content[:16]}`"),
        ("index (SHA-256)", f"`{made_by.index[:16]}`"),
        ("cases", f"`{made_by.cases}`"),
        ("weights by", f"`{learned.get('command')}`, seed {learned.get('seed')}"),
        (
            "weights learned on",
            f"{learned.get('in_scope')} questions in scope, {learned.get('out_of_scope')} outside",
        ),
    )
    return "## Configuration\n\n" + table(("", ""), rows)


def _overall(asked: Sequence[Asked]) -> str:
    first = _first(asked)
    summary = summarize([result.outcome for result in first])
    alone = proportion([r.right for r in asked if r.way == "log" and r.case.in_scope])
    rows = [_with_interval(meaning, getattr(summary, name)) for name, meaning in _METRICS]
    rows.append(_with_interval("right section first, from the log alone", alone))
    return (
        "## Overall\n\nA refused case in scope counts as wrong."
        f" {summary.n} cases, MRR {summary.mrr:.3f}; intervals: Wilson, 95 %.\n\n"
        + table(("", "share", "interval", "n"), rows)
    )


def _with_interval(name: str, value: Proportion) -> Row:
    return (name, share(value), f"{percent(value.low)} to {percent(value.high)}", value.n)


def _by_kind(asked: Sequence[Asked]) -> str:
    first = _first(asked)
    kinds = sorted({result.case.kind for result in first})
    rows = [
        (kind, *_cells(summarize([r.outcome for r in first if r.case.kind == kind])))
        for kind in kinds
    ]
    return "## By kind\n\n" + table(("kind", *_HEAD), rows)


_HEAD = ("n", "top-1", "top-3", "MRR", "in scope refused", "out of scope refused", "flags", "line")


def _cells(summary: Summary) -> Row:
    return (
        summary.n,
        share(summary.top1),
        share(summary.top3),
        f"{summary.mrr:.3f}",
        *(share(getattr(summary, name)) for name, _ in _METRICS[2:]),
    )


def _by_language(asked: Sequence[Asked]) -> str:
    both = _ids(asked, "question") & _ids(asked, "question_ko")
    rows: list[Row] = []
    for way, name in _WAYS.items():
        of_way = [r.outcome for r in asked if r.way == way]
        if of_way:
            rows.append((name, *_cells(summarize(of_way))))
    for way in ("question", "question_ko"):
        paired = [r.outcome for r in asked if r.way == way and r.case.id in both]
        if paired:
            rows.append((f"{_WAYS[way]}, cases with both", *_cells(summarize(paired))))
    return (
        "## By language\n\nEvery way of asking counts here: a case may be asked three times.\n\n"
        + table(("asked", *_HEAD), rows)
    )


def _ids(asked: Sequence[Asked], way: str) -> set[str]:
    return {result.case.id for result in asked if result.way == way}


def _legs(asked: Sequence[Asked]) -> str:
    inside = [result for result in asked if result.case.in_scope]
    groups: dict[str, Callable[[Asked], bool]] = {
        "all": lambda r: r.is_first,
        **{
            kind: lambda r, kind=kind: r.is_first and r.case.kind == kind  # type: ignore[misc]
            for kind in sorted({result.case.kind for result in inside})
        },
        **{
            name: lambda r, way=way: r.way == way  # type: ignore[misc]
            for way, name in _WAYS.items()
        },
    }
    groups = {name: wanted for name, wanted in groups.items() if any(map(wanted, inside))}
    rows = []
    for legs in LEG_SETS:
        cells = []
        for wanted in groups.values():
            summary = summarize([as_ranked(r, legs) for r in inside if wanted(r)])
            cells.append(f"{share(summary.top1)} / {share(summary.top3)}")
        rows.append((" + ".join(legs), *cells))
    return (
        "## Retrieval legs alone, in pairs, together\n\nTop-1 / top-3 over the cases in scope as"
        " if nothing were refused; the first columns count each case once, the last three each way"
        " of asking.\n\n" + table(("legs", *groups), rows)
    )


def _noise(noise: NoiseRun) -> str:
    none = summarize(noise.alone)
    rows: list[Row] = [("none", none.n, share(none.top1), share(none.top3), "", "")]
    for place in PLACES:
        buried = summarize(noise.buried[place])
        lost = _lost(noise.alone, noise.buried[place])
        gained = _lost(noise.buried[place], noise.alone)
        change = f"{100 * (buried.top1.value - none.top1.value):+.1f} (-{lost}, +{gained})"
        line = share(buried.decisive_matched)
        rows.append((place, buried.n, share(buried.top1), share(buried.top3), change, line))
    return (
        f"## Noise\n\nEach log that decides by itself in {noise.n_lines:,} lines that its server"
        " prints in health, ranks in mixed order.\n\n"
        + table(
            ("log stands", "n", "top-1", "top-3", "change in points (logs lost, gained)", "line"),
            rows,
        )
    )


def _lost(before: Sequence[Outcome], after: Sequence[Outcome]) -> int:
    return sum(b.rank == 1 and a.rank != 1 for b, a in zip(before, after, strict=True))


def _learning(left_out: Sequence[LeftOut] | None) -> str:
    if left_out is None:
        return ""
    values = figures(left_out)
    return (
        "## Learned parts on topics left out\n\nThe weights were learned on these cases. Here each"
        " topic is judged by weights that were fitted without it: five folds of whole topics, every"
        " way of asking, as if nothing were refused.\n\n"
        + table(
            ("right first", "right among three", "out of scope refused", "in scope refused", "ECE"),
            [
                (
                    percent(values["top1"]),
                    percent(values["top3"]),
                    percent(values["out_of_scope_refused"]),
                    percent(values["in_scope_refused"]),
                    f"{values['calibration_error']:.3f}",
                )
            ],
        )
    )


def _tried(folder: Path) -> str:
    parts = [
        path.read_text(encoding="utf-8").strip()
        for path in sorted(folder.glob("*.md"))
        if path.name != "README.md"
    ]
    return "\n\n".join(["## What was tried", *parts]) if parts else ""
