"""A section's Markdown → the list items that a command can be changed by, read by their form.

Prose is not interpreted. An item of the list under "What to do" (Korean: "해결 …") is a remedy if
it begins with what is to be written, and a colon, a full stop or its end follows at once:

    1. `--chunked-prefill-size 4096`, then `--chunked-prefill-size 2048`: what it costs.
    2. `--new-name 16` (0.5.14+) or `--old-name 16` (≤0.5.19): one of both exists in a release.
    3. `A_VARIABLE=1` and `--a-flag`: only both together help.
    4. Leave out `--a-flag` (0.5.3+) and `--another`: what is lost.
    5. `Bad address` or `No devices`: `--a-flag`: only for logs that hold one of these messages.

A lead-in that ends in messages, "**What to do** (`Bad address` or `No devices`)", is for such logs
with its whole list.

Item 4 may begin with "Remove" as well; in Korean it is "`--a-flag`을 빼세요." or
"이 플래그를 빼세요: `--a-flag`.". Everything else ("Lower `--a-flag`", "With speculative decoding:
`--a-flag 1`") is for the reader alone. So the form says, in every language alike, what may be
changed without asking; whoever writes a section decides by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from markdown_it.token import Token

from kb.corpus.markdown import block_parser

__all__ = ["Action", "RemedyItem", "Written", "remedy_items"]

Action = Literal["set", "remove"]

_LEAD_IN = re.compile(r"\*\*(?:What to do|해결|[^*]{1,12} 해결)")
_VERSION = r"\d+\.\d+\.\d+(?:\.post\d+)?"
_RANGE = rf"(?:{_VERSION}\+|≤ ?{_VERSION}|{_VERSION}–{_VERSION}|{_VERSION})"
# Stands for a code span in the text of an item; the spans themselves are kept in order beside it.
_CODE = "\ufffc"
_WRITTEN = re.compile(rf"{_CODE}(?: ?\((?P<note>{_RANGE}(?:, ?{_RANGE})*)\))?")
_TOGETHER = re.compile(r",? and |(?:와|과) ")
_NEXT = re.compile(
    r",? (?:or|then) |, (?:그다음|그래도 나면|그래도 안 되면|또는) | 또는 |(?:이나|나) |, "
)
_MARK_BEFORE = re.compile(r"(?:[Ll]eave out|[Rr]emove) |(?:이 플래그를 )?빼세요: ")
_MARK_AFTER = re.compile(r"[을를] (?:빼세요|빼요)(?=[.:]|\Z)")
_END = re.compile(r"(?:[.:](?=\s)|[.:]?\Z)")
_LIST_MESSAGES = re.compile(rf"\({_CODE}(?:(?:, | or |이나 |나 ){_CODE})*\)[:.]?\Z")
_FLAG_OR_VARIABLE = re.compile(r"--[A-Za-z]|[A-Z][A-Z0-9_]*=\S")


@dataclass(frozen=True, slots=True)
class Written:
    """A code span to be written into a command, or taken out of it."""

    code: str  # verbatim: "--mem-fraction-static 0.8"
    releases: str | None  # the note behind it, without its parentheses: "0.5.4–0.5.15, 0.5.17+"


@dataclass(frozen=True, slots=True)
class RemedyItem:
    """A list item that says what to change."""

    step: int | None  # its number in an ordered list
    action: Action
    choices: tuple[tuple[Written, ...], ...]  # to be tried in order; the spans of one together
    messages: tuple[str, ...] = ()  # only for logs that hold one of them; `…` for what varies
    line: int = field(default=0, compare=False)  # 0-based, in the section


@lru_cache(maxsize=256)
def remedy_items(markdown: str) -> tuple[RemedyItem, ...]:
    """Return the remedies of a section in their order."""
    found = []
    for step, item, messages in _items_under_lead_in(block_parser().parse(markdown)):
        remedy = _read(step, *_flat(item))
        if remedy is not None:
            line = item.map[0] if item.map else 0
            found.append(replace(remedy, line=line, messages=remedy.messages or messages))
    return tuple(found)


def _items_under_lead_in(
    tokens: Sequence[Token],
) -> Iterator[tuple[int | None, Token, tuple[str, ...]]]:
    """Yield number and first line of each item under a lead-in, and the messages of that one."""
    depth = 0
    leading = fresh = ordered = False
    number = 0
    messages: tuple[str, ...] = ()
    for token in tokens:
        if token.type.endswith("_list_open"):
            depth += 1
            if depth == 1:
                ordered = token.type.startswith("ordered")
                number = int(token.attrGet("start") or 1) - 1
        elif token.type.endswith("_list_close"):
            depth -= 1
        elif token.type == "list_item_open":
            number += depth == 1
            fresh = depth == 1
        elif token.type == "inline":
            if depth == 0 and token.content.startswith("**"):
                leading = _LEAD_IN.match(token.content) is not None
                text, codes = _flat(token)
                messages = tuple(codes) if _LIST_MESSAGES.search(text) else ()
            elif depth and fresh and leading:
                yield (number if ordered else None), token, messages
            fresh = False


def _flat(inline: Token) -> tuple[str, list[str]]:
    """Return the text of a line with a mark for each code span, and the spans."""
    parts: list[str] = []
    codes: list[str] = []
    for child in inline.children or []:
        if child.type == "code_inline":
            parts.append(_CODE)
            codes.append(child.content.strip())
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        else:
            parts.append(child.content.replace(_CODE, " "))
    return "".join(parts).strip(), codes


def _read(step: int | None, text: str, codes: Sequence[str]) -> RemedyItem | None:
    messages: tuple[str, ...] = ()
    run = _Run(text, 0, codes)
    if run.codes and text.startswith(": ", run.end) and not any(map(_is_written, run.codes)):
        messages = run.codes
        run = _Run(text, run.end + 2, codes[len(messages) :])
    mark = _MARK_BEFORE.match(text, run.start)
    if mark is not None:
        run = _Run(text, mark.end(), run.all_codes)
    if not run.codes or not all(map(_is_written, run.codes)):
        return None
    after = _MARK_AFTER.match(text, run.end)
    if after is None and not _END.match(text, run.end):
        return None
    if mark is not None or after is not None:
        named = tuple(one for group in run.groups for one in group)
        return RemedyItem(step, "remove", (named,), messages)
    return RemedyItem(step, "set", tuple(map(tuple, run.groups)), messages)


def _is_written(code: str) -> bool:
    return _FLAG_OR_VARIABLE.match(code) is not None


class _Run:
    """Code spans with nothing but their version notes and a "then", "or", "and" between them."""

    def __init__(self, text: str, start: int, codes: Sequence[str]) -> None:
        self.start = self.end = start
        self.all_codes = codes
        self.groups: list[list[Written]] = []
        at = start
        together = False
        for code in codes:
            found = _WRITTEN.match(text, at)
            if found is None:
                break
            written = Written(code, found["note"])
            if together:
                self.groups[-1].append(written)
            else:
                self.groups.append([written])
            self.end = at = found.end()
            joint = _TOGETHER.match(text, at) or _NEXT.match(text, at)
            if joint is None:
                break
            together = joint.re is _TOGETHER
            at = joint.end()

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(written.code for group in self.groups for written in group)
