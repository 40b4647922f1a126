"""What was asked before and what is in the boxes now in, what is asked now out.

A text is a new paste where it holds log lines: then it is asked about by itself. A text of words
only, after a log was answered, is a further question about that log. So is a new question beside
the same log, or beside an empty box. Nothing here is kept but in the session of one page.
"""

from __future__ import annotations

from dataclasses import dataclass

from kb.query.log_lines import Role
from kb.query.paste import read_paste

__all__ = ["Asked", "holds_log", "next_question"]

# More than that is no question: a person's words take a few lines.
_MAX_WORDS_CHARS = 600
_MAX_WORDS_LINES = 4
# Lines that a person writes too: `the server hangs` is read as an error, `NCCL?` as anything.
_SPOKEN_ROLES: tuple[Role, ...] = ("prose", "other", "blank", "error", "warning")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was asked."""

    paste: str
    question: str
    is_further: bool = False  # about a log that was answered before
    has_log: bool = False  # whether the paste can be asked further about


def holds_log(text: str) -> bool:
    """Whether a text holds lines that a program printed, or is too long to be a question."""
    if len(text) > _MAX_WORDS_CHARS:
        return True
    lines = read_paste(text).lines
    return len(lines) > _MAX_WORDS_LINES or any(
        line.is_sglang or line.role not in _SPOKEN_ROLES for line in lines
    )


def next_question(paste: str, question: str, before: Asked | None) -> Asked:
    """Return what the boxes ask; `before` is None at the beginning and after starting afresh."""
    if before is None or not before.has_log:
        return Asked(paste, question, has_log=holds_log(paste))
    if not paste.strip():
        return _further(before, question)
    if paste == before.paste:
        return _further(before, question)
    if holds_log(paste):
        return Asked(paste, question, has_log=True)
    # Words in the box of the log; the question that was asked before still stands in its own.
    new = question.strip() and question.strip() != before.question.strip()
    return _further(before, f"{paste.strip()}\n{question.strip()}" if new else paste.strip())


def _further(before: Asked, question: str) -> Asked:
    if not question.strip():
        return Asked(before.paste, "", has_log=True)
    if question.strip() == before.question.strip():  # asked once more
        return before
    return Asked(before.paste, question, is_further=True, has_log=True)
