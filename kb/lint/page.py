"""A document in; its code spans, links and prose out, each with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar
from urllib.parse import unquote

from markdown_it.token import Token

from kb.corpus.documents import Document
from kb.corpus.markdown import Fence, Heading, block_parser, headings_of
from kb.corpus.sections import slug_of
from kb.types import Section

__all__ = ["LOG_FENCES", "CodeSpan", "Link", "Page", "Prose"]

MAX_AFTER_CHARS = 80  # what follows a span, as far as a note on it may reach
# Code blocks of what a program prints: signatures anywhere in a log, or in its last line only.
LOG_FENCES = ("log", "log-last")
# `<a id="x">` and MyST's `(x)=` on a line of its own.
_OTHER_ANCHOR = re.compile(r"""<[^<>]*\b(?:id|name)=["']([^"']+)["']|^\(([^()]+)\)=\s*$""")


class _Placed(Protocol):
    @property
    def line(self) -> int: ...


Placed = TypeVar("Placed", bound=_Placed)


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """Inline code; `line` is 1-based."""

    line: int
    text: str
    after: str  # the source right behind it, at most MAX_AFTER_CHARS


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it is written; `line` is 1-based."""

    line: int
    target: str


@dataclass(frozen=True, slots=True)
class Prose:
    """Text of one line that is neither code nor an address."""

    line: int
    text: str


@dataclass(frozen=True)
class Page:
    """A document as the rules look at it."""

    document: Document

    @cached_property
    def headings(self) -> Sequence[Heading]:
        """Return the headings, those without text of their own too."""
        return headings_of(self.tokens)

    @cached_property
    def anchors(self) -> frozenset[str]:
        """Return what `#…` can lead to: ids, and for headings without one the slugs of renderers.

        GitHub keeps every hyphen of a slug, MkDocs and Sphinx one of several.
        """
        used: dict[str, int] = {}
        anchors = set()
        for heading in self.headings:
            anchor = heading.id
            if anchor is None:
                anchor = slug_of(heading.title)
                used[anchor] = used.get(anchor, -1) + 1
                anchor += f"-{used[anchor]}" if used[anchor] else ""
                anchors.add(re.sub("-+", "-", anchor).strip("-"))
            anchors.add(anchor)
        for line in self.document.lines:
            anchors.update(found[1] or found[2] for found in _OTHER_ANCHOR.finditer(line))
        return frozenset(anchors)

    @cached_property
    def spans(self) -> Sequence[CodeSpan]:
        """Return the inline code in order."""
        return [item for item in self._inline if isinstance(item, CodeSpan)]

    @cached_property
    def links(self) -> Sequence[Link]:
        """Return the links in order."""
        return [item for item in self._inline if isinstance(item, Link)]

    @cached_property
    def prose(self) -> Sequence[Prose]:
        """Return the text outside code in order."""
        return [item for item in self._inline if isinstance(item, Prose)]

    def fences_in(self, section: Section) -> Sequence[Fence]:
        """Return the fences that stand in `section`."""
        start, end = section.source.start_line, section.source.end_line
        return [fence for fence in self.document.fences if start <= fence.start_line <= end]

    @staticmethod
    def within(items: Sequence[Placed], section: Section) -> Sequence[Placed]:
        """Return those of `items` that stand in `section`."""
        start, end = section.source.start_line, section.source.end_line
        return [item for item in items if start <= item.line <= end]

    @cached_property
    def tokens(self) -> Sequence[Token]:
        """Return the document's Markdown tokens."""
        return block_parser().parse("".join(self.document.lines))

    @cached_property
    def _inline(self) -> Sequence[CodeSpan | Link | Prose]:
        return [
            item
            for token in self.tokens
            if token.type == "inline" and token.map is not None
            for item in _items(token, token.map[0] + 1)
        ]


def _items(inline: Token, first_line: int) -> Iterator[CodeSpan | Link | Prose]:
    """Yield what an inline token holds; its content keeps the line ends of the source."""
    content, position, breaks = inline.content, 0, 0
    in_address = False
    for child in inline.children or []:
        if child.type in ("softbreak", "hardbreak"):
            breaks += 1
        elif child.type == "code_inline":
            start, end = _find_span(content, child, position)
            line = first_line + content.count("\n", 0, start)
            breaks = content.count("\n", 0, end)
            position = end
            yield CodeSpan(line, child.content, content[end : end + MAX_AFTER_CHARS])
        elif child.type == "link_open":
            in_address = child.markup in ("autolink", "linkify")
            yield Link(first_line + breaks, unquote(str(child.attrs.get("href", ""))))
        elif child.type == "link_close":
            in_address = False
        elif child.type == "text" and child.content and not in_address:
            yield Prose(first_line + breaks, child.content)


def _find_span(content: str, span: Token, position: int) -> tuple[int, int]:
    """Return where the source of a code span starts and ends; from `position` on."""
    marks = re.compile(rf"(?<!`){span.markup}(?!`)")
    for opening in marks.finditer(content, position):
        closing = marks.search(content, opening.end())
        if closing is None:
            break
        inside = content[opening.end() : closing.start()].replace("\n", " ")
        if inside == span.content or inside[1:-1] == span.content:
            return opening.start(), closing.end()
    return position, position
