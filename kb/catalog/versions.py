"""A paste → the releases of SGLang it can come from, and the lines that say so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from kb.catalog.catalog import Catalog
from kb.catalog.version_evidence import (
    Paste,
    from_dates,
    from_fields,
    from_forms,
    from_launch_command,
    from_messages,
    from_source_files,
    from_usage,
    is_within,
    places,
)
from kb.catalog.version_statements import Statement, release_of, statements
from kb.errors import CatalogError
from kb.types import MessageMatch, VersionEvidence, VersionRange

__all__ = ["assumed_release", "find_version"]


def find_version(
    lines: Sequence[str],
    catalog: Catalog,
    stated: str | None = None,
    messages: Iterable[tuple[int, MessageMatch]] = (),
) -> VersionRange:
    """Return the releases `lines` can come from; linear in their length, never raises on them.

    `stated` is the caller's version and wins. A version the paste states is the value unless the
    log rules it out: then it is the `contradiction` and the log's range stands. `messages` are
    catalogued messages that were recognised, with their line numbers (1-based).
    """
    paste = Paste(lines)
    log = _agreeing(
        [
            *from_forms(paste),
            *from_source_files(paste),
            *from_fields(paste, catalog),
            *from_usage(paste, catalog),
            *from_launch_command(paste, catalog),
            *from_messages(paste, messages, catalog),
        ],
        catalog,
    )
    low, high = _bounds(log, catalog)
    given = _given(stated, catalog) if stated else None
    if given is not None:
        as_said = None if catalog.release(stated or "") else stated
        evidence = (
            VersionEvidence(0, stated or "", given, given, "stated"),
            *_telling(log, catalog),
        )
        ruled_out = given if not is_within(given, low, high, catalog) else None
        return VersionRange(given, given, given, evidence, ruled_out, as_said)
    said = sorted(statements(paste.text, catalog), key=lambda item: (-item.rank, item.start))
    possible = [item for item in said if is_within(item.release, low, high, catalog)]
    if not possible:
        contradiction = said[0].release if said else None
        value = low if low == high else None
        if not said and value is None:
            log = [*log, *from_dates(paste, catalog, low, high)]
            low, high = _bounds(log, catalog)
        shown = [*_telling(log, catalog), *(paste.stated(item) for item in said[:1])]
        return VersionRange(value, low, high, _in_order(shown), contradiction)
    best = [item for item in possible if item.rank == possible[0].rank]
    releases = sorted({item.release for item in best}, key=catalog.position)
    shown = [paste.stated(item) for item in _first_of_each(best)]
    if len(releases) == 1:
        release = releases[0]
        lines_of_it = _in_order([*shown, *_telling(log, catalog)])
        return VersionRange(release, release, release, lines_of_it, said=best[0].said)
    return VersionRange(
        None, releases[0], releases[-1], _in_order([*shown, *_telling(log, catalog)])
    )


def _given(stated: str, catalog: Catalog) -> str | None:
    """Return the release for the caller's version, the nearest where it is none that is known."""
    try:
        return release_of(stated, catalog) or catalog.judge(stated).release
    except CatalogError:
        return None


def assumed_release(found: VersionRange, catalog: Catalog) -> str | None:
    """Return the release to judge flags by: the value, else the newest of the range; None: open."""
    if found.value is not None or found.high is None:
        return found.value
    return catalog.release(found.high)


def _agreeing(evidence: list[VersionEvidence], catalog: Catalog) -> list[VersionEvidence]:
    """Return the evidence that holds for the releases most of it holds for.

    All of it, for a log of one release. A paste of two logs is read by its majority.
    """
    votes = [0] * (len(catalog.releases) + 1)
    for item in evidence:
        low, high = places(item.low, item.high, catalog)
        votes[low] += 1
        votes[high + 1] -= 1
    counts = list(accumulate(votes[:-1]))
    chosen = counts.index(max(counts))
    agreeing = []
    for item in evidence:
        low, high = places(item.low, item.high, catalog)
        if low <= chosen <= high:
            agreeing.append(item)
    return agreeing


def _bounds(evidence: Sequence[VersionEvidence], catalog: Catalog) -> tuple[str | None, str | None]:
    lows = [item.low for item in evidence if item.low is not None]
    highs = [item.high for item in evidence if item.high is not None]
    return (
        max(lows, key=catalog.position, default=None),
        min(highs, key=catalog.position, default=None),
    )


def _telling(evidence: Sequence[VersionEvidence], catalog: Catalog) -> list[VersionEvidence]:
    """Return the evidence that sets the bounds: the first that says the low, and the high."""
    low, high = _bounds(evidence, catalog)
    setting_low = [item for item in evidence if low is not None and item.low == low]
    setting_high = [item for item in evidence if high is not None and item.high == high]
    chosen = setting_low[:1]
    chosen += [item for item in setting_high[:1] if item not in chosen]
    return chosen


def _first_of_each(said: Sequence[Statement]) -> list[Statement]:
    first: dict[str, Statement] = {}
    for item in said:
        first.setdefault(item.release, item)
    return list(first.values())


def _in_order(evidence: Iterable[VersionEvidence]) -> tuple[VersionEvidence, ...]:
    return tuple(sorted(evidence, key=lambda item: item.line))
