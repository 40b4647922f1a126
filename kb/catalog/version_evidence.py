"""A paste → evidence of the releases it can come from, one generator for each kind of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from itertools import accumulate

from kb.catalog.catalog import Catalog
from kb.catalog.forms import FlagForm
from kb.catalog.server_args_line import server_args_line
from kb.catalog.version_files import SOURCE_FILES
from kb.catalog.version_forms import FORMS, VersionForm
from kb.catalog.version_statements import PROSE, Statement
from kb.types import MessageMatch, VersionEvidence

__all__ = [
    "Paste",
    "from_dates",
    "from_fields",
    "from_forms",
    "from_launch_command",
    "from_messages",
    "from_source_files",
    "from_usage",
    "is_within",
    "places",
]

MAX_TRIES = 300  # occurrences of a form's literal whose surroundings are looked at
AROUND = 200  # characters before and after a literal that its pattern may see
MAX_USAGE_CHARS = 60_000  # of the parser's usage text
MAX_EVIDENCE_CHARS = 4_000  # of a line shown as evidence, which is cut again where it is shown

_SOURCE_FILE = re.compile(r"sglang/srt/([\w/-]{1,120}\.py)\b")
_USAGES = ("usage: launch_server.py", "usage: sglang serve")
_USAGE_FLAG = re.compile(r"\[(--[a-z][a-z0-9-]*)(?:\]| \{([^}\n]{1,2000})\}| )")
# The launch command was accepted if the server wrote any of these lines, and no argparse error.
_RAN = re.compile(r"Load weight |Decode batch|Prefill batch|server_args=|Init torch distributed")
_REFUSED = re.compile(r"error: (?:unrecognized arguments|ambiguous option|argument )")
_PROGRAMS = ("sglang.launch_server ", "sglang serve ")
_FLAG = re.compile(r"(?<=[\s\"'])--[a-z][a-z0-9-]*(?=[\s=\"']|\Z)")
_NEXT_FLAG = re.compile(r"\n[ \t]*--[a-z]")
MAX_COMMAND_CHARS = 8_000
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
        "model_type",  # `sglang serve` takes it before the parser does
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


class Paste:
    """The lines as one text, with the way back from an offset to a line."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Join `lines`; offsets are into the joined text."""
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
        """Return what stands from `start` to `end` as evidence, no word of it cut."""
        while start > 0 and self.text[start - 1].isalnum() and self.text[start].isalnum():
            start -= 1
        said = self.text[start:end].strip()[:MAX_EVIDENCE_CHARS]
        return VersionEvidence(self.line_at(start), said, low, high, kind)

    def stated(self, item: Statement) -> VersionEvidence:
        """Return a statement as evidence."""
        kind = "prose" if item.rank == PROSE else "stated"
        return self.evidence(item.start, item.end, item.release, item.release, kind)


def from_forms(paste: Paste) -> Iterator[VersionEvidence]:
    """Yield the forms of `version_forms` that occur, each once."""
    for form in FORMS:
        found = _first_place(form, paste)
        if found is not None:
            yield paste.evidence(*found, form.low, form.high, "format")


def _first_place(form: VersionForm, paste: Paste) -> tuple[int, int] | None:
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


def from_source_files(paste: Paste) -> Iterator[VersionEvidence]:
    """Yield what the source files say that tracebacks name, each once."""
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


@lru_cache(maxsize=2)  # a server that reloads its documents holds two catalogues for a while
def _fields(catalog: Catalog) -> tuple[Mapping[str, tuple[int, int]], Sequence[frozenset[str]]]:
    """Return the first and last place of each field's releases, and the fields each release has.

    Places are in `catalog.releases`. A field that a release keeps for old commands alone may lack.
    """
    spans: dict[str, tuple[int, int]] = {}
    needed: list[set[str]] = [set() for _ in catalog.releases]
    for name, history in catalog.flags.items():
        if name != history.name:
            continue
        for run in history.runs:
            first, last = catalog.position(run.first), catalog.position(run.last)
            known = spans.get(run.form.field, (first, last))
            spans[run.form.field] = (min(first, known[0]), max(last, known[1]))
            if not (run.form.deprecated or run.form.refused):
                for place in range(first, last + 1):
                    needed[place].add(run.form.field)
    return spans, tuple(frozenset(fields) for fields in needed)


def from_fields(paste: Paste, catalog: Catalog) -> Iterator[VersionEvidence]:
    """Yield what the fields of a `server_args=` line say: those it has, those it lacks."""
    line = server_args_line(paste.text)
    if line is None:
        return
    named = {argument.name: argument for argument in line.arguments}
    spans, needed = _fields(catalog)
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


def from_usage(paste: Paste, catalog: Catalog) -> Iterator[VersionEvidence]:
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


def from_launch_command(paste: Paste, catalog: Catalog) -> Iterator[VersionEvidence]:
    """Yield what the flags of the launch command say, where the log shows that it was accepted."""
    if not _RAN.search(paste.text) or _REFUSED.search(paste.text):
        return
    seen: set[str] = set()
    for program in _PROGRAMS:
        start = paste.text.find(program)
        if start < 0:
            continue
        end = _command_end(paste.text, start)
        for flag in _FLAG.finditer(paste.text, start, end):
            name = flag.group()
            if name in seen or name not in catalog.flags:
                continue
            seen.add(name)
            spans = catalog.spans_of(name)
            low = spans[0][0] if spans[0][0] != catalog.releases[0] else None
            high = spans[-1][1] if spans[-1][1] != catalog.newest else None
            if low or high:
                yield paste.evidence(*flag.span(), low, high, "flag")


def _command_end(text: str, start: int) -> int:
    """Return where the command at `start` ends: at a line that no backslash continues."""
    stop = min(len(text), start + MAX_COMMAND_CHARS)
    at = text.find("\n", start, stop)
    while at >= 0 and (text[start:at].rstrip().endswith("\\") or _NEXT_FLAG.match(text, at)):
        at = text.find("\n", at + 1, stop)
    return stop if at < 0 else at


def _choices(form: FlagForm) -> list[str]:
    return [str(choice) for choice in form.choices or ()]


def from_messages(
    paste: Paste, messages: Iterable[tuple[int, MessageMatch]], catalog: Catalog
) -> Iterator[VersionEvidence]:
    """Yield what recognised messages say: those that only some releases have."""
    for number, match in messages:
        low = match.first if match.first != catalog.releases[0] else None
        high = match.last if match.last != catalog.newest else None
        if (low or high) and 0 < number <= len(paste.lines):
            said = paste.lines[number - 1].strip()[:MAX_EVIDENCE_CHARS]
            yield VersionEvidence(number, said, low, high, "message")


def from_dates(
    paste: Paste, catalog: Catalog, low: str | None, high: str | None
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
    if is_within(out_by_then[-1], low, high, catalog):
        yield paste.evidence(latest.start(), latest.end(), None, out_by_then[-1], "date")


def is_within(release: str, low: str | None, high: str | None, catalog: Catalog) -> bool:
    """Whether `release` lies from `low` to `high`, both included; None is no bound."""
    first, last = places(low, high, catalog)
    return first <= catalog.position(release) <= last


def places(low: str | None, high: str | None, catalog: Catalog) -> tuple[int, int]:
    """Return the bounds as places in `catalog.releases`."""
    newest = len(catalog.releases) - 1
    first = 0 if low is None else catalog.position(low)
    return first, newest if high is None else catalog.position(high)
