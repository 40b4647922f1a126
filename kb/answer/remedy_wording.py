"""What the words around a code span say to do with it: English before it, Korean after it.

Read for a handful of plain verbs, and for the safe side: what is unclear is not applied.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from markdown_it.token import Token as MarkdownToken

__all__ = [
    "Direction",
    "conditions",
    "direction",
    "is_advised_against",
    "is_conditional",
    "is_removal",
]

Direction = Literal["lower", "raise"]

_REMOVE_BEFORE = re.compile(
    r"(?:\b(?:remov(?:e|ing)|drop(?:ping)?|delete|leave out|take out|(?:turn|switch)(?:ing)? off"
    r"|not using|stop using)\b"
    r"(?:(?!\b(?:set|use|lower|raise|add|give|reduce|start|pass|try|keep)\b)[^.;])*"
    r"|\bwithout\s*(?:the\s*)?|(?:끄|꺼|빼|빼고)[^.:]{0,24}:[^.]*)\Z",
    re.IGNORECASE,
)
_REMOVE_AFTER = re.compile(
    r"(?:(?!쓰|써|쓸|주거나|바꾸|바꿔|설정|추가|더하|시도|넣|낮|올)[^.]){0,120}?(?:빼|뺀|제거|지우|없애|삭제|없이|꺼|끄)"
)
_NOT_BEFORE = re.compile(
    r"\b(?:do not|don't|never|avoid|instead of|rather than|not|than|before|unlike)\b"
    r"(?:\s+(?:use|set|write|with|at|by))?\s*\Z",
    re.IGNORECASE,
)
_NOT_AFTER = re.compile(r"[^.`]{0,12}?(?:피하|쓰지 마|말고|대신|보다|아니라)")
_LOWER_BEFORE = re.compile(
    r"\b(?:lower|reduce|decrease|smaller|less|fewer)\b[^.;]*\Z", re.IGNORECASE
)
_RAISE_BEFORE = re.compile(r"\b(?:raise|increase|larger|higher|more)\b[^.;]*\Z", re.IGNORECASE)
_LOWER_AFTER = re.compile(r"[^.`]{0,24}?(?:낮|줄|내리|작게)")
_RAISE_AFTER = re.compile(r"[^.`]{0,24}?(?:올|늘|키우|크게|높)")


_CONDITIONAL = re.compile(
    r"\s*(?:If\b|(?:With|When|Only|Where|Unless|On|For|In)\b[^.]*:|[^.:]{0,60}(?:다면|라면)[ ,:])"
)
_CONDITION_END = re.compile(r":|면(?=[\s,])|[.](?=\s|\Z)")
_FLAG_OR_VARIABLE = re.compile(r"--|[A-Z][A-Z0-9_]*=\S+\Z")
# Switching something off by a flag is an addition: `--disable-x`, `--x=disabled`, `--x none`.
_SWITCHES_OFF = re.compile(r"--(?:disable|no|skip)-|.*(?:=|\s)(?:disabled|none|0|auto|false)\Z")
_REMOVE_JUST_BEFORE = re.compile(r"\b(?:remove|drop)\s*\Z")


def is_removal(code: str, before: str, after: str) -> bool:
    """Whether the sentence says to take `code` out."""
    if _SWITCHES_OFF.match(code):
        return _REMOVE_JUST_BEFORE.search(before) is not None
    return bool(_REMOVE_BEFORE.search(before) or _REMOVE_AFTER.match(after))


def is_advised_against(before: str, after: str) -> bool:
    """Whether the sentence says not to do it, or only compares with it; questions are no advice."""
    return bool("?" in before or _NOT_BEFORE.search(before) or _NOT_AFTER.match(after))


def direction(before: str, after: str) -> Direction | None:
    """Return which way the sentence says the value goes."""
    if _LOWER_BEFORE.search(before) or _LOWER_AFTER.match(after):
        return "lower"
    if _RAISE_BEFORE.search(before) or _RAISE_AFTER.match(after):
        return "raise"
    return None


def is_conditional(item: str) -> bool:
    """Whether a list item is for some servers only: "If …", "With speculative decoding: …"."""
    return _CONDITIONAL.match(item) is not None


def conditions(children: Sequence[MarkdownToken]) -> tuple[str, ...]:
    """Return the messages a list item starts with, before its colon (Korean: or its "if")."""
    found: list[str] = []
    for child in children:
        if child.type == "code_inline":
            if _FLAG_OR_VARIABLE.match(child.content):
                return ()
            found.append(max(child.content.split("…"), key=len).strip())
        elif child.type == "text":
            stop = _CONDITION_END.search(child.content)
            if stop:
                return tuple(found) if stop.group() != "." else ()
    return ()
