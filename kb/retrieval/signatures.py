"""Signatures: the lines of `log` fences as templates, found in a paste in one linear pass.

A template is cut at `…` into literal pieces. Every template enters an Aho-Corasick automaton
(Aho & Corasick, 1975) by its most telling piece; where that occurs, the other pieces are looked
for around it, in order and within a bounded distance.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import ahocorasick

from kb.retrieval.folding import fold, line_starts
from kb.retrieval.quotations import quotations

__all__ = [
    "HEAD_CHARS",
    "MAX_HITS",
    "MAX_TRIES",
    "Hit",
    "Signature",
    "SignatureMatcher",
    "Tally",
    "compile_signature",
    "quoted_hits",
    "verify",
    "verify_cut",
]

_GAP = "…"
_SPACES = re.compile(r"[^\S\n]{2,}")
# A literal piece shorter than this is found everywhere and proves nothing.
MIN_ANCHOR_CHARS = 6
# Letters and digits a template must have matched in all to count.
MIN_MATCHED_CHARS = 10
# What one `…` may stand for, in characters: a path, a list of arguments; not half a log.
MAX_GAP_CHARS = 400
# Share of a template that is enough where the pasted line was cut off, and how near to the cut the
# last piece must stand: elsewhere half a template is another message that begins alike.
MIN_SHARE = 0.5
MIN_CUT_MATCHED = 24  # letters
MAX_CUT_CHARS = 40
# By so much of its beginning a long piece is looked for where the line breaks off inside it.
HEAD_CHARS = 32
MIN_HEAD_SHARE = 0.3
MAX_HITS = 8
MAX_TRIES = 500


@dataclass(frozen=True, slots=True)
class Signature:
    """One template; `owner` says whose it is (a section's id)."""

    owner: str
    line: str  # as it stands in the `log` fence
    pieces: tuple[str, ...]  # lower case, blanks single
    anchor: int  # position of the piece the automaton looks for
    weight: int  # letters and digits in all pieces
    glued_left: bool = False  # the anchor touches what varies: a word may go on there
    glued_right: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A signature found in a paste."""

    signature: Signature
    line: int  # 1-based, of the anchor; 0 for a piece that is quoted in words
    share: float  # of the template's letters that were found, 0 to 1
    matched: int  # letters and digits that were found


def _weight(piece: str) -> int:
    return sum(map(str.isalnum, piece))


def compile_signature(owner: str, line: str) -> Signature | None:
    """Return the template of a line, None where it has no piece long enough to be looked for."""
    pieces, glued = _pieces(line)
    if not pieces:
        return None
    weights = [_weight(piece) for piece in pieces]
    anchor = max(range(len(pieces)), key=lambda position: weights[position])
    if len(pieces[anchor]) < MIN_ANCHOR_CHARS or weights[anchor] < MIN_ANCHOR_CHARS - 1:
        return None
    return Signature(owner, line, pieces, anchor, sum(weights), *glued[anchor])


def _pieces(line: str) -> tuple[tuple[str, ...], list[tuple[bool, bool]]]:
    """Return the literal pieces, and for each whether what varies touches it left and right.

    Several blanks in a row are a gap like any other: terminals and logs differ in them.
    """
    pieces: list[str] = []
    glued: list[tuple[bool, bool]] = []
    parts = line.lower().split(_GAP)
    for number, part in enumerate(parts):
        left = number > 0 and part[:1].strip() != ""
        right = number + 1 < len(parts) and part[-1:].strip() != ""
        words = [word for word in _SPACES.split(part.strip()) if word]
        for position, word in enumerate(words):
            pieces.append(word.replace("\t", " "))
            glued.append((left and position == 0, right and position == len(words) - 1))
    return tuple(pieces), glued


class Tally:
    """The hits of a text, and how often each signature was tried: repeats say nothing new."""

    def __init__(self) -> None:
        """Begin with none."""
        self._n_hits: dict[int, int] = {}
        self._n_tries: dict[int, int] = {}
        self._hits: list[Hit] = []

    def may_try(self, number: int) -> bool:
        """Whether a signature has neither MAX_HITS hits nor MAX_TRIES tries yet."""
        tried = self._n_tries.get(number, 0)
        return self._n_hits.get(number, 0) < MAX_HITS and tried < MAX_TRIES

    def add(self, number: int, hit: Hit | None) -> None:
        """Count a try of a signature, and keep its hit where it was one."""
        self._n_tries[number] = self._n_tries.get(number, 0) + 1
        if hit is not None:
            self._n_hits[number] = self._n_hits.get(number, 0) + 1
            self._hits.append(hit)

    def in_order(self) -> list[Hit]:
        """Return the hits in line order, of one line the longest first."""
        return sorted(self._hits, key=lambda hit: (hit.line, -hit.matched))


class SignatureMatcher:
    """All signatures at once; building is linear in their length, matching in the paste's."""

    def __init__(self, signatures: Iterable[Signature]) -> None:
        """Compile the automaton."""
        self.signatures = tuple(signatures)
        by_anchor: dict[str, list[int]] = {}
        by_head: dict[str, list[int]] = {}
        for number, signature in enumerate(self.signatures):
            anchor = signature.pieces[signature.anchor]
            by_anchor.setdefault(anchor, []).append(number)
            if len(anchor) > HEAD_CHARS:
                by_head.setdefault(anchor[:HEAD_CHARS], []).append(number)
        self._automaton = ahocorasick.Automaton()
        for piece in {*by_anchor, *by_head}:
            whole, heads = tuple(by_anchor.get(piece, ())), tuple(by_head.get(piece, ()))
            self._automaton.add_word(piece, (len(piece), whole, heads))
        if by_anchor:
            self._automaton.make_automaton()

    def match(self, text: str) -> list[Hit]:
        """Return the hits in `text`, in line order.

        After MAX_HITS hits or MAX_TRIES near misses a signature is not looked for further: repeats
        of a line say nothing new, and the time stays linear whatever the text.
        """
        if not self.signatures:
            return []
        folded, starts = fold(text), line_starts(text)
        tally = Tally()
        for end, (length, whole, heads) in self._automaton.iter(folded):
            start = end - length + 1
            for number in (*whole, *heads):
                if not tally.may_try(number):
                    continue
                check = verify if number in whole else verify_cut
                hit = check(self.signatures[number], folded, start, end + 1, starts)
                tally.add(number, hit)
        return tally.in_order()

    def match_words(self, text: str) -> list[Hit]:
        """Return the hits in a person's words: signatures, and pieces of them that are quoted.

        A piece that several owners' signatures have counts for each of them the less.
        """
        hits = self.match(text)
        for quoted in quotations(text):
            owners: dict[str, Signature] = {}
            for number in self._with_piece(quoted):
                signature = self.signatures[number]
                owners.setdefault(signature.owner, signature)
            hits += quoted_hits(owners.values(), quoted)
        return hits

    def _with_piece(self, text: str) -> list[int]:
        """Return the signatures that have `text` inside a piece, rising."""
        joined, ends = self._pieces
        numbers: dict[int, None] = {}
        place = joined.find(text)
        while place >= 0:
            number = bisect_right(ends, place)
            numbers[number] = None
            place = joined.find(text, ends[number])
        return list(numbers)

    @cached_property
    def _pieces(self) -> tuple[str, list[int]]:
        """Return the pieces of all signatures, a line each, and where each signature's end."""
        ends, parts, length = [], [], 0
        for signature in self.signatures:
            part = "".join(f"{piece}\n" for piece in signature.pieces)
            parts.append(part)
            length += len(part)
            ends.append(length)
        return "".join(parts), ends


def quoted_hits(signatures: Collection[Signature], quoted: str) -> list[Hit]:
    """Return the hits of `signatures`, one an owner, in a piece of which `quoted` stands."""
    return [Hit(one, 0, 1 / len(signatures), _weight(quoted)) for one in signatures]


def verify(
    signature: Signature, text: str, start: int, end: int, starts: Sequence[int]
) -> Hit | None:
    """Return the hit of a signature whose anchor stands at `start` of the folded `text`.

    `starts` are those of the lines, rising.
    """
    pieces, anchor = signature.pieces, signature.anchor
    piece = pieces[anchor]
    if not (signature.glued_left or _at_word_start(text, start, piece)):
        return None
    if not (signature.glued_right or _at_word_end(text, end, piece)):
        return None
    matched = _weight(pieces[anchor])
    line = bisect_right(starts, start)
    position = end
    for piece in pieces[anchor + 1 :]:
        found = text.find(piece, position, position + MAX_GAP_CHARS + len(piece))
        if found < 0:
            line_end = starts[line] if line < len(starts) else len(text)
            if line_end - position > MAX_CUT_CHARS:
                return None
            break
        matched += _weight(piece)
        position = found + len(piece)
    position = start
    for piece in reversed(pieces[:anchor]):
        found = text.rfind(piece, max(0, position - MAX_GAP_CHARS - len(piece)), position)
        if found < 0:
            if position - starts[line - 1] > MAX_CUT_CHARS:
                return None
            break
        matched += _weight(piece)
        position = found
    share = matched / signature.weight
    if matched < min(MIN_MATCHED_CHARS, signature.weight):
        return None
    if matched < signature.weight and (matched < MIN_CUT_MATCHED or share < MIN_SHARE):
        return None
    return Hit(signature, line, share, matched)


def verify_cut(
    signature: Signature, text: str, start: int, end: int, starts: Sequence[int]
) -> Hit | None:
    """Return the hit where the line breaks off inside the anchor, whose beginning was found."""
    line = bisect_right(starts, start)
    line_end = starts[line] - 1 if line < len(starts) else len(text)
    anchor = signature.pieces[signature.anchor]
    if line_end - start > len(anchor) + MAX_CUT_CHARS:
        return None  # it does not break off inside the piece
    if text.startswith(anchor, start):
        return None  # the whole of it is there, which `verify` finds
    rest = _CUT_MARK.sub("", text[start:line_end])
    if len(rest) >= len(anchor) or not anchor.startswith(rest):
        return None
    if not (signature.glued_left or _at_word_start(text, start, anchor)):
        return None
    matched = _weight(rest)
    share = matched / signature.weight
    if matched < MIN_CUT_MATCHED or share < MIN_HEAD_SHARE:
        return None
    return Hit(signature, line, share, matched)


# What stands where a line was cut: `…`, `...`, `[truncated]`, a quote, blanks.
_CUT_MARK = re.compile(r"(?:\s|\.{2,}|…|\[\w ]{1,20}\]|[\"'`])*$")


def _at_word_start(text: str, start: int, piece: str) -> bool:
    return start == 0 or not piece[0].isalnum() or not text[start - 1].isalnum()


def _at_word_end(text: str, end: int, piece: str) -> bool:
    return end >= len(text) or not piece[-1].isalpha() or not text[end].isalpha()
