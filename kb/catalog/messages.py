"""Which of the program's own messages a line of a paste is: templates matched in linear time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from kb.catalog.catalog import Catalog
from kb.types import MessageMatch

__all__ = ["MessageMatcher", "template_of"]

# Everything here is UTF-8 bytes: a catalogue of megabytes is then searched without decoding it.
VARIES = "…".encode()
# Bytes after a space of a template's longest piece: by these a line is looked up. Long ones are
# shared by few templates, short ones are for pieces that are short themselves.
LONG_WINDOW, WINDOW = 20, 12
MIN_LITERAL_BYTES = 18  # the specificity floor: "Error: …" and "… is not supported" never match
MIN_WORDS = 3  # of three letters or more
MAX_LINE_BYTES = 4000  # a longer line is dumped data; its beginning decides
MAX_STARTS = 16  # places of a line at which one template is tried

_WORD = re.compile(rb"[A-Za-z]{3,}")
_INSIDE_WORD = re.compile(rb"[\w-]")
_AFTER = frozenset(b" \t\"'`\\)]}<,;|\x1b")  # what may follow a message inside a line


class MessageMatcher:
    """All templates of all releases, looked up by a window of their longest literal piece.

    After each space of a line, the next characters are looked up in a table (windows as in
    Karp and Rabin 1987, at word starts only); only templates found so are compared. The time is
    linear in the line.
    """

    def __init__(self, catalog: Catalog) -> None:
        """Build the table from the catalogue's messages: some tens of milliseconds."""
        self.catalog = catalog
        self._texts: list[bytes] = []  # lines of templates, each once
        self._rows: list[int | list[int]] = []  # for each, its places in the catalogue's messages
        self._windows: dict[bytes, int | list[int]] = {}  # window → places in the lists above
        self._add_all()

    def match(self, line: str) -> MessageMatch | None:
        """Return the most specific message that `line` holds, None if it holds none.

        Its releases are those of every template that fits the line, since the line may come from
        any of them: "Capture … begin" in one release, "Capture cuda graph begin" in another.
        """
        fitting = self._fitting(line.encode("utf-8", errors="replace")[:MAX_LINE_BYTES])
        if not fitting:
            return None
        position = self.catalog.position
        found = [self.catalog.messages[row] for _, rows in fitting for row in _listed(rows)]
        first = min((message.first for message in found), key=position)
        last = max((message.last for message in found), key=position)
        _, rows = max(fitting, key=lambda entry: entry[0])
        best = max(
            (self.catalog.messages[row] for row in _listed(rows)),
            key=lambda message: position(message.last),
        )
        return MessageMatch(best.template, best.file, first, last, best.flags)

    def _add_all(self) -> None:
        texts, rows, windows = self._texts, self._rows, self._windows
        for text, row in self._template_lines():
            place = len(texts)
            texts.append(text)
            rows.append(row)
            longest = max(text.split(VARIES), key=len)
            size = LONG_WINDOW if len(longest) > 2 * LONG_WINDOW else WINDOW
            latest = len(longest) - size  # where a window can begin, at the latest
            if latest <= 0:
                continue  # too short a text to be told from others
            middle = len(longest) // 2
            space = longest.rfind(b" ", 0, middle if middle < latest else latest)
            if space < 0:
                space = longest.find(b" ", 0, latest)
                if space < 0:
                    continue
            window = longest[space + 1 : space + 1 + size]
            known = windows.setdefault(window, place)
            if known is not place:
                windows[window] = [*_listed(known), place]

    def _template_lines(self) -> Iterator[tuple[bytes, int | list[int]]]:
        """Yield each line of a template with its row; lines of several templates with all rows."""
        several: dict[bytes, list[int]] = {}
        for row, line in enumerate(self.catalog.message_lines):
            template = template_of(line)
            if b"\n" not in template:
                yield template, row
            else:
                for text in template.split(b"\n"):
                    several.setdefault(text, []).append(row)
        yield from several.items()

    def _fitting(self, text: bytes) -> list[tuple[int, int | list[int]]]:
        """Return for each template that `text` holds its literal bytes and its rows."""
        fitting: list[tuple[int, int | list[int]]] = []
        tried: set[int] = set()
        windows = self._windows
        space = text.find(b" ")
        while space >= 0:
            for size in (LONG_WINDOW, WINDOW):
                found = windows.get(text[space + 1 : space + 1 + size])
                for place in () if found is None else _listed(found):
                    if place in tried:
                        continue
                    tried.add(place)
                    pieces = self._texts[place].split(VARIES)
                    literal = sum(map(len, pieces))
                    if literal >= MIN_LITERAL_BYTES and _holds(text, pieces):
                        fitting.append((literal, self._rows[place]))
            space = text.find(b" ", space + 1)
        return fitting


def template_of(line: bytes) -> bytes:
    """Return the template of a line of messages.jsonl, which begins `["TEMPLATE","KIND",…`."""
    if b"\\" in line:  # holds escapes
        return bytes(json.loads(line)[0], "utf-8")
    return line[2 : line.index(b'","')]


def _listed(one_or_several: int | list[int]) -> list[int]:
    return one_or_several if isinstance(one_or_several, list) else [one_or_several]


def _holds(text: bytes, pieces: list[bytes]) -> bool:
    """Whether `text` holds the pieces of a template in order, as a message of their own."""
    return (
        any(_follows(text, pieces, start) for start in _starts(text, pieces[0]))
        and sum(len(_WORD.findall(piece)) for piece in pieces) >= MIN_WORDS
    )


def _starts(text: bytes, first: bytes) -> Iterator[int]:
    """Yield the places where a message beginning with `first` can begin: not inside a word."""
    place = text.find(first)
    for _ in range(MAX_STARTS):
        if place < 0:
            return
        if not first or place == 0 or not _INSIDE_WORD.match(text, place - 1):
            yield place
        place = text.find(first, place + 1)


def _follows(text: bytes, pieces: list[bytes], start: int) -> bool:
    place = start + len(pieces[0])
    for piece in pieces[1:-1]:
        found = text.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    if len(pieces) > 1:
        last = pieces[-1]
        if not last:
            return True  # ends with what varies
        found = text.rfind(last, place)
        if found < 0:
            return False
        place = found + len(last)
    rest = text[place:].strip()
    return not rest or text[place] in b"\"'`" or rest[0] in _AFTER
