"""Lines that a terminal has wrapped in, the lines as they were printed out, with their numbers.

What is copied from a terminal of 80 columns may be cut there, in the middle of words: then most
lines end at one and the same column, none reaches beyond it, and what follows such a line begins
like no line that a program prints. Anything less is left as it is: lines that are equally long by
themselves (access logs, tables) begin alike.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from unicodedata import east_asian_width

from kb.query.log_lines import Role, read_line

__all__ = ["Unwrapped", "masked_pieces", "unwrap"]

MIN_COLUMNS, MAX_COLUMNS = 40, 400  # of a terminal
_MAX_SAMPLE = 2_000  # lines by which it is decided whether a paste is wrapped
_MIN_FULL, _FULL_SHARE = 3, 0.15  # lines that end at the last column
_WIDER_SHARE = 0.05  # a question may stand above the log
_CONTINUED_SHARE = 0.6  # of the full lines, those that go on in the next one
_MIN_INSIDE_WORDS = 2  # of these, breaks between two letters or digits
_MAX_PIECES = 500  # of one line: 20,000 characters are read of it

# A line of a program begins with its own prefix, its level, or in one of these roles.
_STARTING_ROLES: tuple[Role, ...] = ("header", "frame", "config", "command", "stage", "batch")
_STARTS = re.compile(
    r"\s{2,}|\t|(?:INFO|DEBUG|WARNING|ERROR|CRITICAL|NOTICE)\b|[#>$|]\s|\[|[-=*+#~^]{3,}"
    # the whole name of an exception; `Error: …` and `yError: …` are rests of one
    r"|(?:[A-Za-z_]\w*\.)*[A-Z]\w+(?:Error|Exception|Warning)\b"
)
_SHAPE_CHARS = 6


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """The lines as they were printed."""

    lines: list[str]
    first_numbers: list[int]  # of each line's first piece in the paste, 1-based, rising


def unwrap(raw_lines: list[str]) -> Unwrapped | None:
    """Return the lines put together again, None where nothing says that they were wrapped."""
    columns = _columns(raw_lines[:_MAX_SAMPLE])
    if columns is None:
        return None
    if not _is_wrapped(raw_lines[:_MAX_SAMPLE], columns):
        return None
    lines: list[str] = []
    first_numbers: list[int] = []
    pieces: list[str] = []
    for number, line in enumerate(raw_lines, start=1):
        if pieces and len(pieces) < _MAX_PIECES and _goes_on(pieces[-1], line, pieces[0], columns):
            pieces.append(line)
            continue
        if pieces:
            lines.append("".join(pieces))
        pieces = [line]
        first_numbers.append(number)
    lines.append("".join(pieces))
    return Unwrapped(lines, first_numbers)


def _columns(sample: list[str]) -> int | None:
    """Return the column at which lines end that no line reaches beyond, None without one."""
    widths = [_width(line) for line in sample if line and not line.isspace()]
    counts = Counter(width for width in widths if MIN_COLUMNS <= width <= MAX_COLUMNS)
    if not counts:
        return None
    columns = max(counts, key=lambda width: (counts[width], width))
    wider = sum(width > columns for width in widths)
    if counts[columns] < max(_MIN_FULL, _FULL_SHARE * len(widths)):
        return None
    return columns if wider <= _WIDER_SHARE * len(widths) else None


def _is_wrapped(sample: list[str], columns: int) -> bool:
    full = continued = inside = 0
    start = sample[0]
    for line, following in pairwise(sample):
        if _width(line) != columns:
            start = following
            continue
        full += 1
        if _goes_on(line, following, start, columns):
            continued += 1
            inside += line[-1].isalnum() and following[0].isalnum()
        else:
            start = following
    return continued >= _CONTINUED_SHARE * full and inside >= _MIN_INSIDE_WORDS


def _goes_on(line: str, following: str, start: str, columns: int) -> bool:
    """Whether `following` is the rest of `line`, which belongs to what begins with `start`."""
    if _width(line) != columns or not following or following.isspace():
        return False
    if _STARTS.match(following) or _shape(following) == _shape(start):
        return False
    read = read_line(1, following)
    return not read.is_sglang and not read.rank and read.role not in _STARTING_ROLES


def _shape(line: str) -> str:
    return re.sub(r"\d", "0", line[:_SHAPE_CHARS])


def _width(line: str) -> int:
    """Return how many columns of a terminal a line takes."""
    line = line.rstrip("\r")
    if line.isascii():
        return len(line)
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in line[:1_000])


def masked_pieces(raw_lines: list[str], found: Unwrapped, masked: Unwrapped) -> str:
    """Return what was pasted with the masked lines in it; the others keep their pieces.

    A line with something masked stands whole where it began, and its other lines are empty.
    """
    ends = [*(number - 1 for number in found.first_numbers[1:]), len(raw_lines)]
    pieces: list[str] = []
    for first, end, was, now in zip(
        found.first_numbers, ends, found.lines, masked.lines, strict=True
    ):
        if was == now:
            pieces += raw_lines[first - 1 : end]
        else:
            pieces += [now, *("" for _ in range(end - first))]
    return "\n".join(pieces)
