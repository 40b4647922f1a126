"""What readers asked and said in, what the documents don't answer out, with what is left to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kb.feedback.clusters import Cluster, cluster
from kb.feedback.drafts import Draft, drafts
from kb.feedback.records import Mark, Unanswered, Vote
from kb.feedback.section_votes import SectionVotes, by_section
from kb.feedback.store import FeedbackStore

__all__ = ["Gap", "Gaps", "read_gaps", "stored_gaps"]


@dataclass(frozen=True, slots=True)
class Gap:
    """A group of questions without an answer, and what a maintainer said of it."""

    cluster: Cluster
    draft: Draft | None = None  # None where there were words only
    mark: Mark | None = None  # the latest of those that any of its questions has
    marked: tuple[str, ...] = ()  # the keys of all that are marked
    asked_since: int = 0  # questions after the mark

    @property
    def is_open(self) -> bool:
        """Whether it is to be seen to: not marked, or marked as done and asked again."""
        if self.mark is None:
            return True
        return self.mark.state == "done" and self.asked_since > 0


@dataclass(frozen=True, slots=True)
class Gaps:
    """All that was asked and said, each list with what is most in front."""

    logs: tuple[Gap, ...]  # open, with lines
    words: tuple[Gap, ...]  # open, in words only
    closed: tuple[Gap, ...]  # done or ignored
    sections: tuple[SectionVotes, ...]

    @property
    def asked(self) -> int:
        """Return how many questions had no answer."""
        return sum(gap.cluster.count for gap in (*self.logs, *self.words, *self.closed))

    @property
    def votes(self) -> int:
        """Return how many votes there are."""
        return sum(section.helpful + section.not_helpful for section in self.sections)


def stored_gaps(store: FeedbackStore, *, with_closed: bool = False) -> Gaps:
    """Return what is kept in a store; raises FeedbackError. `with_closed` leaves marks aside."""
    marks = () if with_closed else store.marks()
    return read_gaps(store.unanswered(), store.votes(), marks)


def read_gaps(
    unanswered: Iterable[Unanswered], votes: Iterable[Vote], marks: Iterable[Mark] = ()
) -> Gaps:
    """Return the gaps; the same rows give the same result, in whatever order they come."""
    groups = cluster(unanswered)
    by_key = {mark.gap: mark for mark in marks}
    logs = [group for group in groups if group.lines]
    gaps = [
        *(_gap(group, draft, by_key) for group, draft in zip(logs, drafts(logs), strict=True)),
        *(_gap(group, None, by_key) for group in groups if not group.lines),
    ]
    return Gaps(
        tuple(gap for gap in gaps if gap.is_open and gap.draft),
        tuple(gap for gap in gaps if gap.is_open and not gap.draft),
        tuple(gap for gap in gaps if not gap.is_open),
        tuple(by_section(votes)),
    )


def _gap(group: Cluster, draft: Draft | None, by_key: Mapping[str, Mark]) -> Gap:
    marked = tuple(sorted(group.keys & by_key.keys()))
    if not marked:
        return Gap(group, draft)
    mark = max((by_key[key] for key in marked), key=lambda mark: (mark.at, mark.gap))
    return Gap(group, draft, mark, marked, sum(at > mark.at for at in group.times))
