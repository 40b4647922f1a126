"""Rules on files as such: can they be read, and is every heading a section."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise, zip_longest

from kb.corpus.documents import Problem
from kb.corpus.markdown import split_lines
from kb.lint.target import LintTarget

__all__ = [
    "bare_flag",
    "duplicate_id",
    "empty_section",
    "heading_jump",
    "list_layout",
    "merge_marker",
    "smart_dash",
    "unclosed_fence",
    "unreadable_file",
]

INDENT = 4  # blanks that make a block part of a list item in Python-Markdown
_MERGE = re.compile(r"^(?:<{7}|>{7}|\|{7})(?= |$)")
# A dash that was typed as `-` or `--` and made pretty: it stands where an option begins.
_DASHED_OPTION = re.compile(r"(?<![^\s\"'`(\[=])[‐‑‒–—―−]{1,2}(?=[A-Za-z])")
_DASHED_FLAG_IN_PROSE = re.compile(r"(?<![^\s\"'(\[])[‐‑‒–—―−]{1,2}[a-z]+(?:-[a-z]+)+")
_BARE_FLAG = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")


def unreadable_file(target: LintTarget) -> Iterator[Problem]:
    """Report files that are no UTF-8 Markdown, too large, or with broken front matter."""
    for page in target.pages:
        unclosed = {fence.start_line for fence in page.document.fences if not fence.closed}
        for problem in page.document.problems:
            if problem.line not in unclosed:
                yield problem


def unclosed_fence(target: LintTarget) -> Iterator[Problem]:
    """Report code fences without an end: all text after them is taken for code."""
    for page in target.pages:
        unclosed = {fence.start_line for fence in page.document.fences if not fence.closed}
        for problem in page.document.problems:
            if problem.line in unclosed:
                yield problem


def duplicate_id(target: LintTarget) -> Iterator[Problem]:
    """Report ids that two headings of one language have."""
    of_files = {problem for page in target.pages for problem in page.document.problems}
    for problem in target.corpus.problems:
        if problem not in of_files:
            yield problem


def merge_marker(target: LintTarget) -> Iterator[Problem]:
    """Report the marks a merge with conflicts leaves behind."""
    for page in target.pages:
        for number, line in enumerate(page.document.lines, 1):
            found = _MERGE.match(line)
            if found:
                message = (
                    f"`{found[0]}` is the mark of a merge conflict: keep one of the two sides"
                    " and remove the marks"
                )
                yield Problem(page.document.path, number, message)


def empty_section(target: LintTarget) -> Iterator[Problem]:
    """Report headings with nothing under them, neither text nor a heading of a lower level."""
    for page in target.pages:
        path, headings = page.document.path, page.headings
        filled = {section.source.start_line for section in page.document.sections}
        for heading, following in zip_longest(headings, headings[1:]):
            if heading.line in filled or (following and following.level > heading.level):
                continue
            message = f"nothing stands under “{heading.title}”: write the section or remove it"
            yield Problem(path, heading.line, message)


def heading_jump(target: LintTarget) -> Iterator[Problem]:
    """Report headings that skip a level: their place in the outline is anyone's guess."""
    for page in target.pages:
        for above, heading in pairwise(page.headings):
            if heading.level > above.level + 1:
                message = (
                    f"“{heading.title}” is of level {heading.level} under one of level"
                    f" {above.level}: expected `{'#' * (above.level + 1)}`"
                )
                yield Problem(page.document.path, heading.line, message)


def list_layout(target: LintTarget) -> Iterator[Problem]:
    """Report blocks in list items that MkDocs takes out of them, under `strict`.

    Python-Markdown wants them indented by four, and a blank line before the item that follows.
    Elsewhere less will do, which is why other folders are not held to it.
    """
    if not target.strict:
        return
    for page in target.pages:
        path, lines = page.document.path, page.document.lines
        depth, marks = 0, [0]
        for token in page.tokens:
            if token.type in ("list_item_open", "list_item_close"):
                depth += token.nesting
            if token.map is None or token.nesting < 0 or not depth:
                continue
            start, end = token.map
            if token.type == "list_item_open":
                marks[depth:] = [start]
                spaced = any(not line.strip() for line in lines[start:end])
                if spaced and lines[end - 1].strip() and end < len(lines) and lines[end].strip():
                    message = "expected a blank line above: the item before holds blocks of its own"
                    yield Problem(path, end + 1, message)
            elif token.block and start > marks[depth] and token.type != "inline":
                given = len(lines[start]) - len(lines[start].lstrip(" "))
                if given < INDENT * depth:
                    message = (
                        f"indented by {given}, expected {INDENT * depth}: with less MkDocs ends the"
                        " list here"
                    )
                    yield Problem(path, start + 1, message)


def smart_dash(target: LintTarget) -> Iterator[Problem]:
    """Report dashes that a word processor made of the hyphens of an option."""
    for page in target.pages:
        path = page.document.path
        places = [(span.line, span.text, _DASHED_OPTION) for span in page.spans]
        places += [(prose.line, prose.text, _DASHED_FLAG_IN_PROSE) for prose in page.prose]
        for fence in page.document.fences:
            for number, line in enumerate(split_lines(fence.text), fence.start_line + 1):
                places.append((number, line, _DASHED_OPTION))
        for number, text, pattern in places:
            for found in pattern.finditer(text):
                written = text[found.start() :].split()[0]
                message = (
                    f"`{written}` begins with a typographic dash, no program takes it:"
                    " expected `-` or `--`"
                )
                yield Problem(path, number, message)


def bare_flag(target: LintTarget) -> Iterator[Problem]:
    """Report flags outside code: renderers turn their two hyphens into one dash."""
    for page in target.pages:
        for prose in page.prose:
            for found in _BARE_FLAG.finditer(prose.text):
                message = (
                    f"{found[0]} stands outside code, where `--` may be shown as a dash:"
                    f" write `{found[0]}`"
                )
                yield Problem(page.document.path, prose.line, message)
