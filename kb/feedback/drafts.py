"""Groups of questions without an answer in, sections to start from out: heading and `log` fence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from kb.feedback.clusters import Cluster

__all__ = ["Draft", "drafts", "fence_for"]

MAX_DRAFT_LINES = 3


@dataclass(frozen=True, slots=True)
class Draft:
    """A section to start from, the same id in each language."""

    title: str  # plain words, nothing that means anything to Markdown
    id: str  # of the section; no other draft of the report has it
    lines: tuple[str, ...]  # of its `log` fence

    @property
    def markdown(self) -> str:
        """Return the section, with a place for what only a person can write."""
        fence = fence_for("\n".join(self.lines))
        return "\n".join(
            [
                f"## {self.title} {{#{self.id}}}",
                "",
                f"{fence}log",
                *self.lines,
                fence,
                "",
                "(the cause in a sentence or two)",
                "",
                "- (one step or remedy, and what it costs)",
            ]
        )


def drafts(groups: Iterable[Cluster]) -> list[Draft]:
    """Return a draft for each group, which have lines."""
    found: list[Draft] = []
    slugs: Counter[str] = Counter()
    for group in groups:
        slug = _slug(group.lines[0])
        slugs[slug] += 1
        if slugs[slug] > 1:
            slug = f"{slug}-{slugs[slug]}"
        lines = _lines(group)
        found.append(Draft(_title(lines[0]), slug, lines))
    return found


def _lines(group: Cluster) -> tuple[str, ...]:
    """Return the leader's lines that at least half of the questions have, the first one always."""
    first, *others = group.lines
    often = [line for line in others if 2 * group.line_counts[line] >= group.count]
    return (first, *often)[:MAX_DRAFT_LINES]


def fence_for(text: str) -> str:
    """Return the backticks that can stand around `text`."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    return "`" * max(3, longest + 1)


def _title(line: str) -> str:
    words = " ".join(re.sub(r"[^A-Za-z0-9.:,'()/ -]+", " ", line).split())
    return (words if len(words) <= 80 else words[:80].rpartition(" ")[0]).strip(" .:,-")


def _slug(line: str) -> str:
    words = re.findall(r"[a-z0-9]+", line.lower().replace("'", ""))
    return "-".join(words[:8])[:60].strip("-")
