"""A text and a place in it → the words of a command, each with its span: shell or YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Token", "block_list", "flow_list", "shell_words"]

MAX_COMMAND_CHARS = 20_000  # longer "commands" are pastes in which no end was found
MAX_QUOTED_CHARS = 8_000  # a quote without its partner must not swallow the rest of the paste

_GAP = re.compile(r"(?:[^\S\r\n]+|\\[ \t]*(?:\r?\n|\Z)|\\[ \t]+(?=[-–—]))*")
# Continuation lines whose backslash was lost, and YAML's folded strings: the next line is a flag.
_SOFT_BREAK = re.compile(r"(?:[ \t]*\r?\n)+[ \t]*(?=--[A-Za-z])")
_PLAIN = re.compile(r"[^\s\\'\"`$|&;<>()]+")
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SINGLE_QUOTED = re.compile(r"'[^']*'")
_EXPANSION = re.compile(r"\$\([^()\n]*\)|\$\{[^}\n]*\}|\$")
_PLACEHOLDER = re.compile(r"<[^\s<>][^<>\n]{0,60}>")
_LINE_END_ESCAPE = re.compile(r"\\(?:[ \t]*(?:\r?\n|\Z)|[ \t]+[-–—])")
_QUOTE_MAY_OPEN_AFTER = frozenset("=:,([{$\"'")
_YAML_ITEM = re.compile(r"[ \t]*-[ \t]+(?P<value>\S.*?)?[ \t]*\r?$")
_YAML_SKIPPED = re.compile(r"[ \t]*(?:#.*)?\r?$")


@dataclass(frozen=True, slots=True)
class Token:
    """One word: where it stands, and what it means without its quotes."""

    start: int  # offset in the text it was read from
    end: int  # offset after its last character, quotes included
    value: str  # unquoted


def shell_words(text: str, start: int, closing: str = "") -> tuple[Token, ...]:
    """Read shell words from `start` to the end of the command; `closing` ends it too.

    Variables, command substitutions and `<placeholders>` stay as they are written.
    """
    stop = min(len(text), start + MAX_COMMAND_CHARS)
    words: list[Token] = []
    at = start
    while True:
        at = _skip_gap(text, at, stop)
        if at >= stop or text[at] in "\r\n#" or text[at] == closing:
            return tuple(words)
        word, at, ended = _shell_word(text, at, stop, closing)
        if word is not None:
            words.append(word)
        if ended:
            return tuple(words)


def _skip_gap(text: str, at: int, stop: int) -> int:
    while True:
        gap = _GAP.match(text, at, stop)
        after = gap.end() if gap else at
        soft = _SOFT_BREAK.match(text, after, stop)
        after = soft.end() if soft else after
        if after == at:
            return at
        at = after


def _shell_word(text: str, at: int, stop: int, closing: str) -> tuple[Token | None, int, bool]:
    """Read one word at `at`: the word (None if empty), where it ends, whether the command does."""
    start, pieces = at, []
    ended = False
    while at < stop:
        char = text[at]
        if char.isspace():
            break
        if char == closing:
            ended = True
            break
        piece, meaning = _piece(text, at, stop, start, closing)
        if piece == 0:
            # `2>&1`: the number belongs to the redirection, not to the command.
            if char in "<>" and text[start:at].isdigit():
                return None, at, True
            ended = True
            break
        if piece < 0:  # a backslash that ends the line: a gap
            break
        pieces.append(meaning)
        at += piece
    word = Token(start, at, "".join(pieces)) if at > start else None
    return word, at, ended


def _piece(text: str, at: int, stop: int, word: int, closing: str) -> tuple[int, str]:
    """Return length and meaning of the piece at `at`; 0: the command ends, -1: the word does."""
    char = text[at]
    if char in "'\"":
        opens = at == word or text[at - 1] in _QUOTE_MAY_OPEN_AFTER
        pattern = _SINGLE_QUOTED if char == "'" else _DOUBLE_QUOTED
        quoted = pattern.match(text, at, min(stop, at + MAX_QUOTED_CHARS)) if opens else None
        if quoted is None or (closing and closing in quoted.group()):
            return 1, char
        inner = quoted.group()[1:-1]
        if char == '"':
            inner = re.sub(r'\\(["\\$`])', r"\1", inner)
        return len(quoted.group()), inner
    if char == "\\":
        if _LINE_END_ESCAPE.match(text, at, stop):
            return -1, ""
        return min(2, stop - at), text[at + 1 : min(at + 2, stop)]
    if char == "$":
        expansion = _EXPANSION.match(text, at, stop)
        assert expansion is not None  # the last alternative is the dollar alone
        return len(expansion.group()), expansion.group()
    if char == "<":
        placeholder = _PLACEHOLDER.match(text, at, stop)
        if placeholder:
            return len(placeholder.group()), placeholder.group()
    plain = _PLAIN.match(text, at, stop)
    if plain is None:
        return 0, ""
    found = plain.group()
    if closing and closing in found:
        found = found[: found.index(closing)]
    return len(found), found


def block_list(text: str, start: int) -> tuple[Token, ...]:
    """Read the items of the YAML block list whose first line begins at `start`."""
    tokens: list[Token] = []
    indent: str | None = None
    for at, line in _lines(text, start):
        item = _YAML_ITEM.match(line)
        if item is None:
            if tokens and _YAML_SKIPPED.match(line):
                continue
            break
        lead = line[: line.index("-")]
        if indent is None:
            indent = lead
        elif lead != indent:
            break
        if item.group("value"):
            tokens.extend(_item_words(text, at + item.start("value"), at + item.end("value")))
    return tuple(tokens)


def _item_words(text: str, start: int, end: int) -> Iterator[Token]:
    """Yield the words of one list item: mostly one; `- --tp 4` is two."""
    quote = text[start] if text[start] in "'\"" else ""
    if quote:
        close = text.find(quote, start + 1, end)
        if close > 0:
            inner = text[start + 1 : close]
            if not (inner.startswith("-") and " " in inner):
                yield Token(start, close + 1, inner)
                return
            start, end = start + 1, close
    comment = text.find(" #", start, end)
    end = comment if comment >= 0 else end
    if text[start] == "-" and " " in text[start:end]:
        yield from shell_words(text[:end], start)
        return
    value = text[start:end].rstrip()
    yield Token(start, start + len(value), value)


def _lines(text: str, start: int) -> Iterator[tuple[int, str]]:
    stop = min(len(text), start + MAX_COMMAND_CHARS)
    while start < stop:
        end = text.find("\n", start, stop)
        end = stop if end < 0 else end
        yield start, text[start:end]
        start = end + 1


_FLOW_ITEM = re.compile(
    r"""[\s,]*(?:#[^\n]*\n[\s,]*)*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s,\]\['"#]+)"""
)


def flow_list(text: str, start: int) -> tuple[Token, ...]:
    """Read the items of the `["a", "b"]` whose first item begins at or after `start`."""
    stop = min(len(text), start + MAX_COMMAND_CHARS)
    tokens: list[Token] = []
    at = start
    while item := _FLOW_ITEM.match(text, at, stop):
        raw = item.group(1)
        value = raw[1:-1] if raw[0] in "'\"" else raw
        tokens.append(Token(item.start(1), item.end(1), value))
        at = item.end(1)
    return tuple(tokens)
