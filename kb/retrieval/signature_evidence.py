"""Hits of signatures in, the signature features of each section id out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kb.query.log_lines import LogLine, Role, without_colours
from kb.query.paste import Query
from kb.retrieval.searchable import Compared
from kb.retrieval.signatures import Hit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

__all__ = ["STRONG", "failure_line", "hit_worth", "signature_features"]

# What a hit is worth by the line it stands in: an exception's last line says what failed, a frame
# or a source line only where; a line of configuration names flags that need not matter.
_ROLE_WORTH: Mapping[Role, float] = {
    "exception": 1.0,
    "error": 0.95,
    "warning": 0.8,
    "stage": 0.8,
    "batch": 0.7,
    "other": 0.85,
    "prose": 0.85,
    "header": 0.8,
    "frame": 0.75,
    "code": 0.75,
    "progress": 0.7,
    "access": 0.7,
    "command": 0.6,
    "config": 0.5,
}
# Matched letters from which a signature is as specific as it gets.
_FULL_SPECIFICITY = 48
# A signature that matches less than this share of what another one matches in the same line is the
# general form of it: `cannot open shared object file` beside the name of the library.
_GENERAL, _GENERAL_WORTH = 0.6, 0.75
# Hits worth this much take part in the order of causes.
STRONG = 0.45
_SURE = 0.6


def hit_worth(hit: Hit, line: LogLine | None) -> float:
    """Return what a hit proves, 0 to 1: specificity × completeness × role of its line."""
    specificity = min(1.0, math.sqrt(hit.matched / _FULL_SPECIFICITY))
    role = line.role if line is not None else "other"
    return specificity * hit.share * _ROLE_WORTH.get(role, 0.7)


def failure_line(query: Query, hits: Sequence[Hit]) -> int | None:
    """Return the first line in which an exception says beyond doubt what `hits` are for."""
    exceptions = {line.number: line for line in query.paste.of_role("exception")}
    sure = [
        hit.line
        for hit in hits
        if hit.line in exceptions and hit_worth(hit, exceptions[hit.line]) >= _SURE
    ]
    return min(sure, default=None)


def signature_features(
    query: Query,
    index: Compared,
    features: Matrix,
    column: Mapping[str, int],
    position: Mapping[str, int],
) -> dict[str, tuple[Hit, ...]]:
    """Fill the signature columns of `features`; return the hits of each id, the best first."""
    lines = {line.number: line for line in query.paste.lines}
    best: dict[str, dict[str, tuple[float, Hit]]] = {}
    found_hits = _without_quoted(index, index.matcher.match(without_colours(query.paste.text)))
    most: dict[int, int] = {}  # letters of the most specific hit of a line
    for hit in found_hits:
        most[hit.line] = max(most.get(hit.line, 0), hit.matched)
    for hit in found_hits:
        worth = hit_worth(hit, lines.get(hit.line))
        if hit.matched < _GENERAL * most[hit.line]:
            worth *= _GENERAL_WORTH
        of_owner = best.setdefault(hit.signature.owner, {})
        known = of_owner.get(hit.signature.line)
        if known is None or worth > known[0]:
            of_owner[hit.signature.line] = (worth, hit)
    ordered: dict[str, list[tuple[float, Hit]]] = {
        owner: sorted(of_owner.values(), key=lambda item: (-item[0], item[1].line))
        for owner, of_owner in best.items()
    }
    in_frames = {
        hit
        for found in ordered.values()
        for _, hit in found
        if hit.line in lines and lines[hit.line].role in ("frame", "code")
    }
    told = {
        owner: [(worth, hit) for worth, hit in found if hit not in in_frames]
        for owner, found in ordered.items()
    }
    first_lines = {
        owner: min(hit.line for worth, hit in found if worth >= STRONG)
        for owner, found in told.items()
        if found and found[0][0] >= STRONG
    }
    order = sorted(set(first_lines.values()))
    for owner, found in ordered.items():
        row = position[owner]
        frames = [worth for worth, hit in found if hit in in_frames]
        features[row, column["signature"]] = told[owner][0][0] if told[owner] else 0
        features[row, column["signature_frame"]] = max(frames, default=0)
        features[row, column["signature_lines"]] = 1 - math.exp(-sum(_further_lines(found)))
        if not told[owner]:
            features[row, column["signature_linked"]] = max(
                (told[other][0][0] for other in index.links[owner] if told.get(other)), default=0
            )
        if owner in first_lines:
            features[row, column["signature_first"]] = 1 / (1 + order.index(first_lines[owner]))
    _last_line_features(query, index, features[:, column["signature_last"]], ordered, position)
    for hit in index.matcher.match_words(query.words):
        cell = (position[hit.signature.owner], column["signature_words"])
        features[cell] = max(float(features[cell]), hit_worth(hit, None))
    return {owner: tuple(hit for _, hit in found) for owner, found in ordered.items()}


def _further_lines(found: Sequence[tuple[float, Hit]]) -> list[float]:
    """Return the worth of the best hit in each line of the paste but that of the best of all."""
    of_line: dict[int, float] = {}
    for worth, hit in found:
        of_line.setdefault(hit.line, worth)
    return list(of_line.values())[1:]


def _without_quoted(index: Compared, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits without those of causes in the lines of harmless notices.

    A notice quotes the error that it got over: `Ignore import error when loading …: cannot import
    name …`. Its line is its own.
    """
    harmless = index.harmless
    noticed = {hit.line for hit in hits if hit.signature.owner in harmless}
    return [hit for hit in hits if hit.line not in noticed or hit.signature.owner in harmless]


def _last_line_features(
    query: Query,
    index: Compared,
    values: Matrix,
    ordered: dict[str, list[tuple[float, Hit]]],
    position: Mapping[str, int],
) -> None:
    """Fill `values` with the worth of hits in the last step, and add these to the ids' hits."""
    line = query.paste.last_step
    if line is None:
        return
    for hit in index.last_matcher.match(line.text):
        worth = hit_worth(hit, line)
        owner = hit.signature.owner
        values[position[owner]] = max(float(values[position[owner]]), worth)
        ordered.setdefault(owner, []).append((worth, replace(hit, line=line.number)))
