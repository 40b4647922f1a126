"""Votes in, what was said of each section out, those that helped least first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from kb.feedback.records import Reason, Vote

__all__ = ["SectionVotes", "by_section"]


@dataclass(slots=True)
class SectionVotes:
    """What was said of one section."""

    id: str
    helpful: int = 0
    not_helpful: int = 0
    reasons: Counter[Reason | None] = field(default_factory=Counter)  # None: not said
    languages: Counter[str] = field(default_factory=Counter)  # of the votes "not helpful"
    lines: Counter[str] = field(default_factory=Counter)  # of the pastes it did not help with


def by_section(votes: Iterable[Vote]) -> list[SectionVotes]:
    """Return each section that was voted on, the most often not helpful first."""
    found: dict[str, SectionVotes] = {}
    for vote in votes:
        section = found.setdefault(vote.section, SectionVotes(vote.section))
        if vote.helpful:
            section.helpful += 1
            continue
        section.not_helpful += 1
        section.reasons[vote.reason] += 1
        section.languages[vote.language] += 1
        section.lines.update(vote.signatures)
    return sorted(found.values(), key=lambda section: (-section.not_helpful, section.id))
