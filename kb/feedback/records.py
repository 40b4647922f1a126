"""The nouns of feedback: a vote on a section, a question without an answer, a gap seen to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from kb.types import Language

__all__ = ["MARK_STATES", "REASONS", "Mark", "MarkState", "Reason", "Unanswered", "Vote"]

Reason = Literal["wrong_cause", "did_not_help", "wrong_version", "unclear", "other"]
REASONS: tuple[Reason, ...] = get_args(Reason)
MarkState = Literal["done", "ignored"]
MARK_STATES: tuple[MarkState, ...] = get_args(MarkState)


@dataclass(frozen=True, slots=True)
class Vote:
    """What one reader said of one section; nothing in it says who that was."""

    section: str  # its id
    helpful: bool
    language: Language  # of the section as it was read
    kb_version: str  # of the knowledge base that answered
    reason: Reason | None = None  # None where it was helpful, or no reason was given
    signatures: tuple[str, ...] = ()  # of the paste, masked; none where it was helpful
    at: int = 0  # seconds since 1970, UTC, by the server's clock; the store sets it


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question that no section fits; the words of a person are not kept."""

    signatures: tuple[str, ...]  # masked error lines of the paste, () where there were only words
    nearest: tuple[str, ...]  # ids of the nearest sections, the nearest first
    language: Language  # of the answer
    kb_version: str
    at: int = 0  # as in Vote


@dataclass(frozen=True, slots=True)
class Mark:
    """What a maintainer decided about a gap."""

    gap: str  # 32 hexadecimal digits, `kb.feedback.clusters.gap_key` of what it was led by then
    state: MarkState  # "done": a section was written; "ignored": none is to be
    at: int = 0  # as in Vote
