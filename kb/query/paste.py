"""A paste and a question in, a `Query` out: the log is read before it is searched.

Steps: secrets masked → lines, wrapped ones put together → repeats folded → prefixes stripped and
roles given → exceptions in order → the words of a person apart from those of a program → texts for
each retrieval leg.
Time is linear in the paste; only distinct lines are read closely.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kb.query.generic import asks_only_what_it_is
from kb.query.language import detect_language
from kb.query.log_lines import LogLine, Role, is_remark, is_report, read_line
from kb.query.prefixes import common_prefix
from kb.query.programs import ProgramEvidence, find_programs
from kb.query.redaction import redact
from kb.query.search_texts import context_text, error_text
from kb.query.wrapped import Unwrapped, masked_pieces, unwrap
from kb.types import Language

__all__ = ["Paste", "Query", "is_plain", "read_paste", "read_query"]

_DIGITS = b"0123456789"
# Distinct lines that are read closely; past them only lines that speak of trouble are.
MAX_CLOSE_LINES = 20_000
MAX_TROUBLE_LINES = 5_000
_TROUBLE = (b"rror", b"xception", b"raceback", b"ailed", b"emory", b"imeout", b"illed", b"WARN")

# A text this short in which no line is of a kind that only programs print is somebody's words.
MAX_PLAIN_LINES = 2
_PRINTED_ROLES: tuple[Role, ...] = (
    "exception",
    "header",
    "frame",
    "code",
    "stage",
    "batch",
    "config",
    "command",
    "access",
    "progress",
)
MAX_AFTER_STEP = 5
# A line of context that is printed this often tells how the server runs, not how it fails.
ROUTINE_REPEATS = 25
_START_ENDS = "The server is fired up"
_TELLING_ROLES: tuple[Role, ...] = (
    "exception",
    "error",
    "warning",
    "header",
    "frame",
    "prose",
    "other",
)
# What batches of a server print that is worth a look: a queue, a pool nearly full, no CUDA graph,
# a throughput of one digit.
_UNHEALTHY = tuple(
    re.compile(pattern)
    for pattern in (
        r"#queue-req: [1-9]",
        r"token usage: (?:0\.9|1\.0)",
        r"cuda graph: False",
        r"gen throughput \(token/s\): \d\.",
        r"#retracted",
    )
)
_STEP_ROLES: tuple[Role, ...] = ("stage", "progress", "batch")


@dataclass(frozen=True, slots=True)
class Paste:
    """A paste, read: its distinct lines in order, numbered as they stand in `text`."""

    text: str  # what was pasted, secrets masked; lines that a terminal has wrapped put together
    n_lines: int
    lines: tuple[LogLine, ...]  # distinct up to digits, in order, blank ones left out
    prose: str  # the words of a person that were pasted along
    routine: frozenset[int]  # numbers of the `lines` that a server prints that runs
    last_numbers: Mapping[int, int]  # of the last line that each of `lines` stands for, by number
    # Where lines were put together: what was pasted, and the first line there of each in `text`.
    wrapped: str | None = None
    first_numbers: tuple[int, ...] = ()

    @property
    def as_pasted(self) -> str:
        """Return what was pasted, secrets masked, with all its lines."""
        return self.text if self.wrapped is None else self.wrapped

    def pasted_numbers(self, number: int) -> range:
        """Return the numbers in the paste of a line of `text`: several where it was wrapped."""
        if self.wrapped is None or not 1 <= number <= len(self.first_numbers):
            return range(number, number + 1)
        first = self.first_numbers[number - 1]
        if number < len(self.first_numbers):
            return range(first, self.first_numbers[number])
        return range(first, self.n_lines + 1)

    def of_role(self, *roles: Role) -> tuple[LogLine, ...]:
        """Return the lines that have one of `roles`, in order."""
        return tuple(line for line in self.lines if line.role in roles)

    @property
    def last_step(self) -> LogLine | None:
        """Return the line in which a log ends that says nowhere what failed, else None.

        A server that hangs prints no error: the step it began last is the symptom. A few lines of
        another kind may follow it, and any of a server that runs.
        """
        if self.of_role("exception", "header"):
            return None
        telling = [line for line in self.lines if line.number not in self.routine]
        ending = sorted(telling, key=lambda line: self.last_numbers[line.number])
        for line in reversed(ending[-MAX_AFTER_STEP:]):
            if line.role in _STEP_ROLES:
                return line
            if line.role == "error" and line.is_sglang:  # others only tell that it is late
                return None
        return None

    @property
    def is_healthy(self) -> bool:
        """Whether it is the log of a server that serves, and nothing in it is out of the ordinary.

        Such a log answers nothing by itself: no line speaks of trouble, nobody waits, the pool is
        not full, batches run in CUDA graphs.
        """
        if any(line.role in _TELLING_ROLES for line in self.lines):
            return False
        if not self.of_role("batch"):
            return False
        return not any(pattern.search(self.text) for pattern in _UNHEALTHY)

    @property
    def is_log(self) -> bool:
        """Whether any line looks like a program printed it."""
        return any(line.role not in ("prose", "other", "blank") for line in self.lines)


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked: the paste as read, the words, and one text for each purpose."""

    paste: Paste
    question: str  # as it was asked, "" if it was not
    words: str  # the question and the prose of the paste, "" if there are none
    language: Language
    programs: ProgramEvidence
    error_text: str  # exceptions, errors, warnings: at most MAX_ERROR_CHARS
    context_text: str  # stages, batches, commands, last frames: at most MAX_CONTEXT_CHARS
    hidden: int = 0  # secrets that were masked before anything was read


def read_paste(text: str, unwrapped: Unwrapped | None = None) -> Paste:
    """Read a paste; never raises, takes time linear in its length and keeps every line number.

    Lines that a terminal has wrapped are read as one; `unwrapped` are these, where that is known.
    """
    seen: dict[bytes, int] = {}  # number of the first line of a kind
    n_repeats: dict[int, int] = {}
    last_numbers: dict[int, int] = {}
    lines: list[LogLine] = []
    n_trouble = 0
    raw_lines = text.split("\n")
    n_lines = len(raw_lines)
    wrapped: str | None = None
    first_numbers: tuple[int, ...] = ()
    unwrapped = unwrapped or unwrap(raw_lines)
    if unwrapped is not None:
        wrapped, text = text, "\n".join(unwrapped.lines)
        raw_lines, first_numbers = unwrapped.lines, tuple(unwrapped.first_numbers)
    prefix = common_prefix(raw_lines)
    for number, raw in enumerate(raw_lines, start=1):
        if prefix:
            raw = raw.removeprefix(prefix)
        if not raw or raw.isspace():
            continue
        encoded = raw[:2000].encode("utf-8", "surrogatepass")
        key = encoded.translate(None, _DIGITS)
        first = seen.get(key)
        if first is not None:
            n_repeats[first] += 1
            last_numbers[first] = number
            continue
        if len(lines) >= MAX_CLOSE_LINES:
            if n_trouble >= MAX_TROUBLE_LINES:
                continue
            if not any(mark in encoded for mark in _TROUBLE):
                continue
            n_trouble += 1
        seen[key] = number
        n_repeats[number], last_numbers[number] = 1, number
        line = read_line(number, raw)
        if line.role != "blank":
            lines.append(line)
    routine = _routine(lines, n_repeats, last_numbers)
    prose = _prose(lines, routine)
    return Paste(text, n_lines, tuple(lines), prose, routine, last_numbers, wrapped, first_numbers)


def _routine(
    lines: list[LogLine], n_repeats: Mapping[int, int], last_numbers: Mapping[int, int]
) -> frozenset[int]:
    """Return the numbers of the lines that say that a server runs: it is asked, it says them all
    the time, or they are of a start that ended.

    A start ends where the server says so; in a log that does not show it, where batches begin.
    """
    said = [line for line in lines if line.text.startswith(_START_ENDS)]
    ends = said or [line for line in lines if line.role == "batch"]
    start_end = max((last_numbers[line.number] for line in ends), default=0)
    return frozenset(
        line.number
        for line in lines
        if line.role == "access"
        or (line.role in _STEP_ROLES and n_repeats[line.number] >= ROUTINE_REPEATS)
        or (line.role in ("stage", "progress") and last_numbers[line.number] <= start_end)
    )


def _prose(lines: list[LogLine], routine: frozenset[int]) -> str:
    """Return the words of a person: questions and remarks beside a log; prose where nothing else
    fails.
    """
    own = [line for line in lines if line.role == "prose" and not line.is_sglang]
    asked = [
        line.text
        for line in own
        if "?" in line.text
        or not line.text.isascii()
        or is_remark(line.text)
        or is_report(line.text)
    ]
    of_failure = ("exception", "header", "frame", "batch")
    if asked or any(line.role in of_failure and line.number not in routine for line in lines):
        return "\n".join(asked)
    return "\n".join(line.text for line in own)


def read_query(
    text: str,
    question: str | None = None,
    language: Language | None = None,
    *,
    hide_addresses: bool = False,
) -> Query:
    """Read a paste and its question into a `Query`, secrets masked first.

    Both are masked together: a key that stands in one is masked in the other too.
    """
    asked = question or ""
    found = unwrap(text.split("\n"))
    # A secret that the terminal has cut in two is one in the lines put together.
    whole = text if found is None else "\n".join(found.lines)
    redacted = redact(f"{asked}\n{whole}", addresses=hide_addresses)
    lines = redacted.text.split("\n")
    n_asked = asked.count("\n") + 1
    question = "\n".join(lines[:n_asked])
    if found is None:
        text = "\n".join(lines[n_asked:])
        paste = read_paste(text)
    else:
        masked = Unwrapped(lines[n_asked:], found.first_numbers)
        text = masked_pieces(text.split("\n"), found, masked)
        paste = read_paste(text, masked)
    # "이거 왜 이래요?" beside a log says no more than the log.
    said = "" if paste.is_log and asks_only_what_it_is(question) else question.strip()
    # Typed into the box of the log: a question, and neither a program's marks nor its context.
    is_typed = not said and is_plain(paste)
    words = "\n".join(part for part in (said, paste.prose) if part)
    if not words and is_typed:
        words = "\n".join(line.text for line in paste.lines)
    spoken = [] if is_typed else [line.text for line in paste.lines if line.role != "access"]
    programs = find_programs(spoken, words)
    return Query(
        paste=paste,
        question=question,
        words=words,
        language=language or detect_language(question, text),
        programs=programs,
        error_text=error_text(paste),
        context_text="" if is_typed else context_text(paste),
        hidden=redacted.hidden,
    )


def is_plain(paste: Paste) -> bool:
    """Whether the paste is nothing, or a few words typed instead of a log: `out of memory`."""
    return len(paste.lines) <= MAX_PLAIN_LINES and not any(
        line.is_sglang or line.role in _PRINTED_ROLES for line in paste.lines
    )
