"""A section in; the flags and variables of SGLang out that its code tells the reader to use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kb.corpus.markdown import Fence, split_lines
from kb.lint.page import LOG_FENCES, Page
from kb.lint.programs import is_foreign_command
from kb.types import Section

__all__ = ["Mention", "mentions_of"]

_FLAG = re.compile(r"--[A-Za-z][\w-]*")
_VARIABLE = re.compile(r"(?<![A-Za-z0-9_])SGL(?:ANG)?_[A-Z0-9_]*[A-Z0-9](?![a-z_*])")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=\S*")
_SERVER = re.compile(r"sglang(?:\.launch_server| serve)(?= |$)")
_NEXT_COMMAND = re.compile(r"\s(?:[|;>]|&&|\|\|)\s")
# A file in which flags stand one a line, as in a manifest of Kubernetes: `- --tp-size`.
_LIST_MARK = re.compile(r"^(?:- |[\[,] ?)+")


@dataclass(frozen=True, slots=True)
class Mention:
    """One flag or variable in the code of a section."""

    name: str  # "--tp-size", "SGLANG_USE_AITER"
    line: int  # 1-based
    value: str | None  # what is given to it
    after: str  # the source behind the code span, "" in a fence
    # "said" of the server, in one of its "command" lines, or "quoted" within other words
    role: Literal["said", "command", "quoted"]


def mentions_of(page: Page, section: Section, catalog_folder: Path) -> Iterator[Mention]:
    """Yield the mentions in code spans and in fences other than those of logs, in order of kind.

    Command lines of other programs are left out, and so is what a log quotes.
    """
    for span in page.within(page.spans, section):
        yield from _in_code(span.text, span.line, span.after, catalog_folder)
    for fence in page.fences_in(section):
        if fence.info not in LOG_FENCES:
            for number, line in _logical_lines(fence):
                yield from _in_code(line, number, "", catalog_folder)


def _logical_lines(fence: Fence) -> Iterator[tuple[int, str]]:
    r"""Yield the lines of a fence with their numbers, joined where a line ends in `\`."""
    start = fence.start_line + 1
    parts: list[str] = []
    for number, line in enumerate(split_lines(fence.text), fence.start_line + 1):
        if not parts:
            start = number
        continued = line.rstrip().endswith("\\")
        parts.append(line.rstrip().removesuffix("\\").strip())
        if not continued:
            yield start, " ".join(parts)
            parts = []
    if parts:
        yield start, " ".join(parts)


def _in_code(code: str, line: int, after: str, catalog_folder: Path) -> Iterator[Mention]:
    for found in _VARIABLE.finditer(code):
        value = re.match(r"=(\S+)", code[found.end() :])
        yield Mention(found[0], line, value[1] if value else None, after, "said")
    server = _SERVER.search(code)
    if server is not None:
        rest = _NEXT_COMMAND.split(code[server.end() :])[0]
        yield from _flags(rest.split(), line, after, "command")
        return
    words = _LIST_MARK.sub("", code.strip()).split()
    while words and _ASSIGNMENT.fullmatch(words[0]):
        words = words[1:]
    if not words or is_foreign_command(catalog_folder, words):
        return
    said = words[0].strip("\"'").startswith("-")
    yield from _flags(words, line, after, "said" if said else "quoted")


def _flags(
    words: Sequence[str], line: int, after: str, role: Literal["said", "command", "quoted"]
) -> Iterator[Mention]:
    for position, word in enumerate(words):
        word = word.strip("\"',[]()")
        name, equals, value = word.partition("=")
        if not _FLAG.fullmatch(name):
            continue
        following = words[position + 1].strip("\"',[]") if position + 1 < len(words) else ""
        if not equals and following and not following.startswith("-"):
            value = following
        yield Mention(name, line, value or None, after, role)
