"""A paste → the releases of SGLang it can come from, and the lines that say so."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import accumulate

from kb.catalog.catalog import Catalog
from kb.catalog.forms import FlagForm
from kb.catalog.server_args_line import server_args_line
from kb.catalog.version_files import SOURCE_FILES
from kb.catalog.version_forms import FORMS, VersionForm
from kb.catalog.version_statements import PROSE, Statement, release_of, statements
from kb.types import MessageMatch, VersionEvidence, VersionRange

__all__ = ["assumed_release", "find_version"]

MAX_TRIES = 300  # occurrences of a form's literal whose surroundings are looked at
AROUND = 200  # characters before and after a literal that its pattern may see
MAX_USAGE_CHARS = 60_000  # of the parser's usage text
MAX_EVIDENCE_CHARS = 160  # of a line shown as evidence

_SOURCE_FILE = re.compile(r"sglang/srt/([\w/-]{1,120}\.py)\b")
_USAGES = ("usage: launch_server.py", "usage: sglang serve")
_USAGE_FLAG = re.compile(r"\[(--[a-z][a-z0-9-]*)(?:\]| \{([^}\n]{1,2000})\}| )")
_LOG_DATE = re.compile(r"(?m)\[?(20\d\d-\d\d-\d\d) \d\d:\d\d:\d\d(?:\.\d{3})?(?: [A-Z_]+\d+)*\] ")

# Keys whose flag keeps its value under another name, so that the flag's releases say nothing.
_RENAMED_FIELDS = frozenset(
    {"tp_size", "dp_size", "ep_size", "pp_size", "attn_cp_size", "moe_dp_size"}
)
# Destinations of flags that are no fields of the configuration line.
_NO_FIELDS = frozenset(
    {
        "help",
        "config",
        "tensor_parallel_size",
        "data_parallel_size",
        "expert_parallel_size",
        "pipeline_parallel_size",
        "attention_context_parallel_size",
        "moe_data_parallel_size",
        "efficient_weight_load",
        "disable_nan_detection",
        "disable_overlap_cg_plan",
    }
)


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
    paste = _Paste(lines)
    log = _agreeing(
        [
            *_forms(paste),
            *_source_files(paste),
            *_fields(paste, catalog),
            *_usage(paste, catalog),
            *_messages(paste, messages, catalog),
        ],
        catalog,
    )
    low, high = _bounds(log, catalog)
    given = release_of(stated, catalog) if stated else None
    if given is not None:
        evidence = (
            VersionEvidence(0, stated or "", given, given, "stated"),
            *_telling(log, catalog),
        )
        ruled_out = given if not _within(given, low, high, catalog) else None
        return VersionRange(given, given, given, evidence, ruled_out)
    said = sorted(statements(paste.text, catalog), key=lambda item: (-item.rank, item.start))
    possible = [item for item in said if _within(item.release, low, high, catalog)]
    if not possible:
        contradiction = said[0].release if said else None
        value = low if low == high else None
        if not said and value is None:
            log = [*log, *_dates(paste, catalog, low, high)]
            low, high = _bounds(log, catalog)
        shown = [*_telling(log, catalog), *(paste.stated(item) for item in said[:1])]
        return VersionRange(value, low, high, _in_order(shown), contradiction)
    best = [item for item in possible if item.rank == possible[0].rank]
    releases = sorted({item.release for item in best}, key=catalog.position)
    shown = [paste.stated(item) for item in _first_of_each(best)]
    if len(releases) == 1:
        release = releases[0]
        return VersionRange(release, release, release, _in_order([*shown, *_telling(log, catalog)]))
    return VersionRange(
        None, releases[0], releases[-1], _in_order([*shown, *_telling(log, catalog)])
    )


def assumed_release(found: VersionRange, catalog: Catalog) -> str | None:
    """Return the release to judge flags by: the value, else the newest of the range; None: open."""
    if found.value is not None or found.high is None:
        return found.value
    return catalog.release(found.high)


class _Paste:
    """The lines as one text, with the way back from an offset to a line."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.text = "\n".join(lines)
        self.starts = [0, *accumulate(len(line) + 1 for line in lines)][: len(lines)]

    def line_at(self, offset: int) -> int:
        """Return the number (1-based) of the line that holds `offset`."""
        return bisect_right(self.starts, offset)

    def around(self, start: int, end: int) -> tuple[int, int]:
        """Return the part of the line that is near, as offsets."""
        low = max(self.text.rfind("\n", 0, start) + 1, start - AROUND)
        high = self.text.find("\n", end, end + AROUND)
        return low, high if high >= 0 else min(len(self.text), end + AROUND)

    def evidence(
        self, start: int, end: int, low: str | None, high: str | None, kind: str
    ) -> VersionEvidence:
        """Return what stands from `start` to `end` as evidence."""
        said = self.text[start:end].strip()[:MAX_EVIDENCE_CHARS]
        return VersionEvidence(self.line_at(start), said, low, high, kind)

    def stated(self, item: Statement) -> VersionEvidence:
        """Return a statement as evidence."""
        kind = "prose" if item.rank == PROSE else "stated"
        return self.evidence(item.start, item.end, item.release, item.release, kind)


def _forms(paste: _Paste) -> Iterator[VersionEvidence]:
    for form in FORMS:
        found = _first_place(form, paste)
        if found is not None:
            yield paste.evidence(*found, form.low, form.high, "format")


def _first_place(form: VersionForm, paste: _Paste) -> tuple[int, int] | None:
    at = paste.text.find(form.literal)
    for _ in range(MAX_TRIES):
        if at < 0:
            return None
        end = at + len(form.literal)
        if form.pattern is None:
            return at, end
        match = re.compile(form.pattern).search(paste.text, *paste.around(at, end))
        if match:
            return match.span()
        at = paste.text.find(form.literal, end)
    return None


def _source_files(paste: _Paste) -> Iterator[VersionEvidence]:
    seen: set[str] = set()
    for match in _SOURCE_FILE.finditer(paste.text):
        path = match.group(1)
        if path in seen:
            continue
        seen.add(path)
        while path and path not in SOURCE_FILES:
            path = path.rstrip("/").rpartition("/")[0]
            path += "/" if path else ""
        if path:
            yield paste.evidence(match.start(1), match.end(1), *SOURCE_FILES[path], "path")


def _fields(paste: _Paste, catalog: Catalog) -> Iterator[VersionEvidence]:
    """Yield what the fields of a `server_args=` line say: those it has, those it lacks."""
    line = server_args_line(paste.text)
    if line is None:
        return
    named = {argument.name: argument for argument in line.arguments}
    spans: dict[str, list[int]] = {}
    needed: list[set[str]] = [set() for _ in catalog.releases]
    for name, history in catalog.flags.items():
        if name != history.name:
            continue
        for run in history.runs:
            first, last = catalog.position(run.first), catalog.position(run.last)
            span = spans.setdefault(run.form.field, [first, last])
            span[:] = [min(first, span[0]), max(last, span[1])]
            if not (run.form.deprecated or run.form.refused):
                for place in range(first, last + 1):
                    needed[place].add(run.form.field)
    newest = len(catalog.releases) - 1
    known = {name: spans[name] for name in named if name in spans and name not in _RENAMED_FIELDS}
    for name, (first, last) in known.items():
        if first > 0 or last < newest:
            yield paste.evidence(
                named[name].start,
                named[name].value_end,
                catalog.releases[first] if first > 0 else None,
                catalog.releases[last] if last < newest else None,
                "flag",
            )
    if not line.is_whole or not known:
        return
    oldest = max(first for first, _ in known.values())
    lacking = [
        place for place in range(oldest, newest + 1) if needed[place] - set(named) - _NO_FIELDS
    ]
    if lacking and lacking[0] > oldest:
        end = line.start + len("server_args=")
        high = catalog.releases[lacking[0] - 1]
        yield paste.evidence(line.start, end, None, high, "flag")


def _usage(paste: _Paste, catalog: Catalog) -> Iterator[VersionEvidence]:
    """Yield what the flags say that the parser's own usage text lists."""
    for usage in _USAGES:
        at = paste.text.find(usage)
        if at < 0:
            continue
        for flag in _USAGE_FLAG.finditer(paste.text, at, at + MAX_USAGE_CHARS):
            history = catalog.flags.get(flag.group(1))
            if history is None:
                continue
            runs = history.runs
            if flag.group(2):
                shown = flag.group(2).split(",")
                runs = tuple(run for run in runs if _choices(run.form) == shown) or runs
            first, last = catalog.position(runs[0].first), catalog.position(runs[-1].last)
            low = catalog.releases[first] if first else None
            high = catalog.releases[last] if catalog.releases[last] != catalog.newest else None
            if low or high:
                yield paste.evidence(flag.start(), flag.end(), low, high, "flag")


def _choices(form: FlagForm) -> list[str]:
    return [str(choice) for choice in form.choices or ()]


def _messages(
    paste: _Paste, messages: Iterable[tuple[int, MessageMatch]], catalog: Catalog
) -> Iterator[VersionEvidence]:
    for number, match in messages:
        low = match.first if match.first != catalog.releases[0] else None
        high = match.last if match.last != catalog.newest else None
        if (low or high) and 0 < number <= len(paste.lines):
            said = paste.lines[number - 1].strip()[:MAX_EVIDENCE_CHARS]
            yield VersionEvidence(number, said, low, high, "message")


def _dates(
    paste: _Paste, catalog: Catalog, low: str | None, high: str | None
) -> Iterator[VersionEvidence]:
    """Yield that a log cannot come from a release made after it; clocks may be wrong, so last."""
    stamps = [match for match, _ in zip(_LOG_DATE.finditer(paste.text), range(50), strict=False)]
    if not stamps:
        return
    latest = max(stamps, key=lambda match: match.group(1))
    try:
        written = date.fromisoformat(latest.group(1)) + timedelta(days=1)  # time zones
    except ValueError:
        return
    out_by_then = [
        release for release in catalog.releases if catalog.dates[release] <= written.isoformat()
    ]
    if not out_by_then or out_by_then[-1] == catalog.newest:
        return
    if _within(out_by_then[-1], low, high, catalog):
        yield paste.evidence(latest.start(), latest.end(), None, out_by_then[-1], "date")


def _agreeing(evidence: list[VersionEvidence], catalog: Catalog) -> list[VersionEvidence]:
    """Return the evidence that holds for the releases most of it holds for.

    All of it, for a log of one release. A paste of two logs is read by its majority.
    """
    votes = [0] * (len(catalog.releases) + 1)
    for item in evidence:
        low, high = _places(item.low, item.high, catalog)
        votes[low] += 1
        votes[high + 1] -= 1
    counts = list(accumulate(votes[:-1]))
    chosen = counts.index(max(counts))
    agreeing = []
    for item in evidence:
        low, high = _places(item.low, item.high, catalog)
        if low <= chosen <= high:
            agreeing.append(item)
    return agreeing


def _places(low: str | None, high: str | None, catalog: Catalog) -> tuple[int, int]:
    newest = len(catalog.releases) - 1
    first = 0 if low is None else catalog.position(low)
    return first, newest if high is None else catalog.position(high)


def _bounds(evidence: Sequence[VersionEvidence], catalog: Catalog) -> tuple[str | None, str | None]:
    lows = [item.low for item in evidence if item.low is not None]
    highs = [item.high for item in evidence if item.high is not None]
    return (
        max(lows, key=catalog.position, default=None),
        min(highs, key=catalog.position, default=None),
    )


def _within(release: str, low: str | None, high: str | None, catalog: Catalog) -> bool:
    first, last = _places(low, high, catalog)
    return first <= catalog.position(release) <= last


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
