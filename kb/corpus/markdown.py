"""Markdown text in, block tokens with their source lines out: the one parser of the project."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.attrs.parse import ParseError, parse
from mdit_py_plugins.front_matter import front_matter_plugin

__all__ = [
    "Fence",
    "Heading",
    "block_parser",
    "fences_of",
    "front_matter_of",
    "headings_of",
    "plain_text",
    "split_lines",
]

# The line ends of CommonMark, and no others: str.splitlines would also cut at U+2028 or \x0b.
_LINE_END = re.compile(r"\r\n?|\n")
_TRAILING_ATTRIBUTES = re.compile(r"[ \t]+\{:?[ \t]*(?P<body>[^{}]*)\}[ \t]*$")
_FENCE_END = re.compile(r"^[\s>]*(?P<marks>`{3,}|~{3,})\s*$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A top-level heading: `line` is 1-based, `id` is None where the author gave none."""

    level: int
    title: str  # plain text, without the attributes
    id: str | None
    classes: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced code block: lines are 1-based and count the fence marks themselves."""

    info: str  # the word after the opening marks, "" if none
    text: str  # between the marks, as the parser gives it (container indent removed)
    start_line: int
    end_line: int
    closed: bool


@lru_cache(maxsize=1)
def block_parser() -> MarkdownIt:
    """Return the CommonMark parser with tables and front matter; it renders nothing."""
    parser = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
    parser.parse("*")  # compiles its rules, which it does without a lock at the first use
    return parser


def split_lines(text: str) -> list[str]:
    r"""Cut `text` at `\n`, `\r\n` and `\r`; joining the result gives `text` back."""
    lines, start = [], 0
    for end in _LINE_END.finditer(text):
        lines.append(text[start : end.end()])
        start = end.end()
    if start < len(text):
        lines.append(text[start:])
    return lines


def plain_text(inline: Token) -> str:
    """Return the words of an inline token without marks, links and attributes."""
    parts = []
    for child in inline.children or []:
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "image":
            parts.append(child.content)
    return "".join(parts).strip()


def _attributes(content: str) -> tuple[str | None, tuple[str, ...], bool]:
    """Return id, classes and whether `content` ends in an attribute list at all."""
    found = _TRAILING_ATTRIBUTES.search(content)
    if found is None:
        return None, (), False
    body = "{" + found["body"].strip() + "}"
    try:
        end, attributes = parse(body)
    except ParseError:
        return None, (), False
    if end != len(body) - 1 or not attributes:
        return None, (), False
    return attributes.get("id"), tuple(attributes.get("class", "").split()), True


def headings_of(tokens: Sequence[Token]) -> list[Heading]:
    """Return the headings that stand at the top level, in order; not those inside quotes."""
    headings = []
    for opening, inline in pairwise(tokens):
        if opening.type != "heading_open" or opening.level != 0 or opening.map is None:
            continue
        identifier, classes, has_attributes = _attributes(inline.content)
        title = plain_text(inline)
        if has_attributes:
            title = _TRAILING_ATTRIBUTES.sub("", title)
        headings.append(
            Heading(int(opening.tag[1]), title, identifier, classes, opening.map[0] + 1)
        )
    return headings


def fences_of(tokens: Sequence[Token], lines: Sequence[str]) -> list[Fence]:
    """Return all fences, nested ones too; `lines` are those the tokens were parsed from."""
    fences = []
    for token in tokens:
        if token.type != "fence" or token.map is None:
            continue
        start, end = token.map
        last = _FENCE_END.match(lines[end - 1]) if end - 1 > start else None
        closed = last is not None and last["marks"].startswith(token.markup)
        info = token.info.split()[0] if token.info.split() else ""
        fences.append(Fence(info, token.content, start + 1, end, closed))
    return fences


def front_matter_of(tokens: Sequence[Token]) -> dict[str, Any]:
    """Return the YAML front matter as a dict, {} where there is none; yaml.YAMLError if broken."""
    for token in tokens[:1]:
        if token.type == "front_matter":
            try:
                loaded = yaml.safe_load(token.content)
            except (ValueError, RecursionError) as error:  # a 13th month; brackets a thousand deep
                raise yaml.YAMLError(str(error)) from error
            return loaded if isinstance(loaded, dict) else {}
    return {}
