"""Which of the program's own messages a line of a paste is: templates matched in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kb.catalog.catalog import Catalog
from kb.types import MessageMatch

__all__ = ["MessageMatcher"]

VARIES = "…"
WINDOW_CHARS = 12  # of a template's longest literal piece, by which a line is looked up
MIN_LITERAL_CHARS = 18  # the specificity floor: "Error: …" or "… is not supported" never match
MIN_WORDS = 3  # of three letters or more
MAX_LINE_CHARS = 4000  # a longer line is dumped data; its beginning decides
MAX_STARTS = 16  # places of a line at which one template is tried

_WORD = re.compile(r"[A-Za-z]{3,}")
_AFTER = frozenset(" \t\"'`\\)]}<,;|\x1b")  # what may follow a message inside a line


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of one or several templates."""

    pieces: tuple[str, ...]  # literal, in order; the first or last is "" where it varies there
    literal_chars: int
    rows: list[int]  # places in the catalogue's list of messages


class MessageMatcher:
    """All templates of all releases, looked up by a window of their longest literal piece.

    For each place of a line, the characters from there are one lookup in a table (as Karp and
    Rabin do, 1987); only templates found so are compared. Time is linear in the line.
    """

    def __init__(self, catalog: Catalog) -> None:
        """Build the table from the catalogue's messages: some tens of milliseconds."""
        self.catalog = catalog
        self._windows: dict[str, list[_Line]] = {}
        lines: dict[str, _Line] = {}
        for row, template in enumerate(catalog.message_texts):
            for text in template.split("\n") if "\n" in template else (template,):
                known = lines.get(text)
                if known is not None:
                    known.rows.append(row)
                    continue
                pieces = text.split(VARIES)
                longest = max(pieces, key=len)
                if len(longest) < WINDOW_CHARS:
                    continue
                middle = (len(longest) - WINDOW_CHARS) // 2
                line = _Line(tuple(pieces), sum(map(len, pieces)), [row])
                if line.literal_chars >= MIN_LITERAL_CHARS:
                    lines[text] = line
                    window = longest[middle : middle + WINDOW_CHARS]
                    self._windows.setdefault(window, []).append(line)

    def match(self, line: str) -> MessageMatch | None:
        """Return the most specific message that `line` holds, None if it holds none."""
        found = self._most_specific(line[:MAX_LINE_CHARS])
        if found is None:
            return None
        messages = [self.catalog.messages[row] for row in found.rows]
        position = self.catalog.position
        newest = max(messages, key=lambda message: position(message.last))
        oldest = min(messages, key=lambda message: position(message.first))
        return MessageMatch(newest.template, newest.file, oldest.first, newest.last, newest.flags)

    def _most_specific(self, text: str) -> _Line | None:
        best: _Line | None = None
        seen: set[int] = set()
        windows = self._windows
        for place in range(len(text) - WINDOW_CHARS + 1):
            for candidate in windows.get(text[place : place + WINDOW_CHARS], ()):
                if id(candidate) in seen:
                    continue
                seen.add(id(candidate))
                if best is not None and candidate.literal_chars <= best.literal_chars:
                    continue
                if _holds(text, candidate.pieces) and _says_enough(candidate.pieces):
                    best = candidate
        return best


def _holds(text: str, pieces: tuple[str, ...]) -> bool:
    """Whether the pieces stand in `text` in order, as a message of their own."""
    return any(_follows(text, pieces, start) for start in _starts(text, pieces[0]))


def _starts(text: str, first: str) -> Iterator[int]:
    """Yield the places where a message beginning with `first` can begin: not inside a word."""
    place = text.find(first)
    for _ in range(MAX_STARTS):
        if place < 0:
            return
        if not first or place == 0 or not (text[place - 1].isalnum() or text[place - 1] in "_-"):
            yield place
        place = text.find(first, place + 1)


def _follows(text: str, pieces: tuple[str, ...], start: int) -> bool:
    place = start + len(pieces[0])
    for piece in pieces[1:-1]:
        found = text.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    last = pieces[-1]
    if not last and len(pieces) > 1:
        return True  # ends with what varies
    if len(pieces) > 1:
        found = text.rfind(last, place)
        if found < 0:
            return False
        place = found + len(last)
    rest = text[place:].strip()
    return not rest or rest[0] in _AFTER or text[place] in "\"'`"


def _says_enough(pieces: tuple[str, ...]) -> bool:
    return sum(len(_WORD.findall(piece)) for piece in pieces) >= MIN_WORDS
