"""A `server_args=` line → its fields as written, in both of its forms, cut off or whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["Argument", "ServerArgsLine", "keyword_arguments", "server_args_line", "value_end"]

MAX_ARGUMENTS_CHARS = 200_000  # a `server_args=` line has about 15,000
MAX_LINES = 8  # `server_args=` lines looked at; a server prints one

# "call": `ServerArgs(tp_size=4, …)`, up to 0.5.18; "dict": `{'tp_size': 4, …}`, from 0.5.19.
Form = Literal["call", "dict"]
_LINE = re.compile(r"server_args=(?:(?P<call>ServerArgs\()|\{)")
_KEYS: dict[Form, re.Pattern[str]] = {
    "call": re.compile(r"[\s,]*(?:#[^\n]*\n[\s,]*)*(?P<name>[A-Za-z_]\w*)[ \t]*=[ \t]*"),
    "dict": re.compile(r"[\s,]*(?P<quote>['\"])(?P<name>[A-Za-z_]\w*)(?P=quote)[ \t]*:[ \t]*"),
}
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_PLAIN = re.compile(r"[^\"'()\[\]{},]+")
_STRINGS = {
    "'": re.compile(r"'(?:[^'\\\n]|\\.)*'"),
    '"': re.compile(r'"(?:[^"\\\n]|\\.)*"'),
}
# What is whole even where the text ends right after it; a number or a list may go on.
_CLOSED = re.compile(r"'[^'\\]*'|\"[^\"\\]*\"|None|True|False")


@dataclass(frozen=True, slots=True)
class Argument:
    """A keyword argument of a Python call, or an entry of a Python dict."""

    name: str
    start: int  # offset of the name, without the quotes of a dict's key
    value: str  # as it is written, quotes included
    value_start: int
    value_end: int
    followed: bool  # a comma or the closing bracket follows; else the text ended here

    @property
    def is_whole(self) -> bool:
        """Whether the value cannot have been cut off by the end of the text."""
        return self.followed or _CLOSED.fullmatch(self.value) is not None


@dataclass(frozen=True, slots=True)
class ServerArgsLine:
    """The fields of the configuration line of a server."""

    start: int  # offset of `server_args=`
    form: Form
    arguments: tuple[Argument, ...]
    is_whole: bool  # the closing bracket is there: no field is missing


def server_args_line(text: str) -> ServerArgsLine | None:
    """Return the `server_args=` line of `text` that has the most fields, None if none has any."""
    best: ServerArgsLine | None = None
    for match, _ in zip(_LINE.finditer(text), range(MAX_LINES), strict=False):
        stop = text.find("\n", match.end())
        stop = len(text) if stop < 0 else stop
        form: Form = "call" if match.group("call") else "dict"
        arguments = keyword_arguments(text, match.end(), stop, form)
        if not arguments or (best is not None and len(arguments) <= len(best.arguments)):
            continue
        last = arguments[-1]
        at, _followed = value_end(text, last.value_start, stop)
        best = ServerArgsLine(match.start(), form, arguments, text[at : at + 1] in (")", "}"))
    return best


def keyword_arguments(
    text: str, start: int, stop: int | None = None, form: Form = "call"
) -> tuple[Argument, ...]:
    """Read `name=value, …` or `'name': value, …` up to the bracket that closes what is open."""
    stop = min(len(text) if stop is None else stop, start + MAX_ARGUMENTS_CHARS)
    found: list[Argument] = []
    at = start
    while name := _KEYS[form].match(text, at, stop):
        at, followed = value_end(text, name.end(), stop)
        value = text[name.end() : at].rstrip()
        found.append(
            Argument(
                name.group("name"),
                name.start("name"),
                value,
                name.end(),
                name.end() + len(value),
                followed,
            )
        )
        if text[at : at + 1] != ",":
            break
    return tuple(found)


def value_end(text: str, start: int, stop: int) -> tuple[int, bool]:
    """Return where the Python value at `start` ends, and whether a `,` or bracket stands there."""
    depth = 0
    at = start
    while at < stop:
        char = text[at]
        if char in "'\"":
            quoted = _STRINGS[char].match(text, at, stop)
            if quoted is None:
                return stop, False
            at = quoted.end()
        elif char in _BRACKETS:
            depth += 1
            at += 1
        elif char in ")]}":
            if depth == 0:
                return at, True
            depth -= 1
            at += 1
        elif char == "," and depth == 0:
            return at, True
        else:
            plain = _PLAIN.match(text, at, stop)
            at = plain.end() if plain else at + 1
    return stop, False
