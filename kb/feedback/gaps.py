"""What readers asked and said in, a Markdown report for those who write the documents out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timezone

from kb.feedback.clusters import Cluster, cluster
from kb.feedback.records import Reason, Unanswered, Vote

__all__ = ["gaps_report"]

MAX_CLUSTERS = 100  # drafts in a report; more are counted only
MAX_SECTIONS = 100  # rows of the table of sections
MAX_DRAFT_LINES = 3
_MEANINGS: dict[Reason, str] = {
    "wrong_cause": "not the reader's failure",
    "did_not_help": "the steps did not help",
    "wrong_version": "not right for the reader's version",
    "unclear": "hard to follow",
    "other": "something else",
}


def gaps_report(unanswered: Iterable[Unanswered], votes: Iterable[Vote]) -> str:
    """Return the report; the same rows give the same text."""
    clusters = cluster(unanswered)
    logs = [group for group in clusters if group.lines]
    words = [group for group in clusters if not group.lines]
    sections = _by_section(votes)
    disliked = [section for section in sections if section.not_helpful]
    asked = sum(group.count for group in clusters)
    cast = sum(section.helpful + section.not_helpful for section in sections)
    parts = [
        "# What the documents don't answer",
        f"{_times(asked, 'question')} without an answer, in {_times(len(clusters), 'kind')};"
        f" {_times(cast, 'vote')} on {_times(len(sections), 'section')}.",
        "Lines are masked: `…` stands for what varies. A person's words are not kept.",
        "## Failures that no section fits",
        *(_missing(logs) or ["None."]),
        "## Questions in words only",
        _words_table(words) if words else "None.",
        "## Sections that did not help",
        _sections_table(disliked) if disliked else "None.",
        *_disliked_lines(disliked),
    ]
    return "\n\n".join(parts) + "\n"


# --- failures without a section ---


def _missing(groups: list[Cluster]) -> list[str]:
    parts: list[str] = []
    slugs: Counter[str] = Counter()
    for number, group in enumerate(groups[:MAX_CLUSTERS], start=1):
        slug = _slug(group.lines[0])
        slugs[slug] += 1
        if slugs[slug] > 1:
            slug = f"{slug}-{slugs[slug]}"
        parts += [
            f"### {number}. Asked {_times(group.count, 'time')}",
            _facts(group),
            "A section to start from, the same id in each language:",
            _draft(group, slug),
        ]
    left = len(groups) - MAX_CLUSTERS
    if left > 0:
        count = sum(group.count for group in groups[MAX_CLUSTERS:])
        parts.append(f"{_times(left, 'further kind')}, asked {_times(count, 'time')} together.")
    return parts


def _facts(group: Cluster) -> str:
    facts = [
        f"- Language of the answer: {_counts(group.languages)}",
        f"- When: {_span(group)}; kb {', '.join(sorted(group.versions))}",
    ]
    if group.nearest:
        facts.append(f"- Nearest section: {_code_counts(group.nearest)}")
    others = len(group.line_counts) - len(_draft_lines(group))
    if others > 0:
        facts.append(f"- {_times(others, 'further line')} beside those of the draft")
    return "\n".join(facts)


def _draft(group: Cluster, slug: str) -> str:
    lines = _draft_lines(group)
    fence = _fence("\n".join(lines))
    section = "\n".join(
        [
            f"## {_title(lines[0])} {{#{slug}}}",
            "",
            f"{fence}log",
            *lines,
            fence,
            "",
            "(the cause in a sentence or two)",
            "",
            "- (one step or remedy, and what it costs)",
        ]
    )
    outer = _fence(section)
    return f"{outer}markdown\n{section}\n{outer}"


def _draft_lines(group: Cluster) -> list[str]:
    """Return the leader's lines that at least half of the questions have, the first one always."""
    first, *others = group.lines
    often = [line for line in others if 2 * group.line_counts[line] >= group.count]
    return [first, *often][:MAX_DRAFT_LINES]


def _fence(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    return "`" * max(3, longest + 1)


def _title(line: str) -> str:
    """Return the words of a line; nothing in it means anything to Markdown."""
    words = " ".join(re.sub(r"[^A-Za-z0-9.:,'()/ -]+", " ", line).split())
    return (words if len(words) <= 80 else words[:80].rpartition(" ")[0]).strip(" .:,-")


def _slug(line: str) -> str:
    words = re.findall(r"[a-z0-9]+", line.lower().replace("'", ""))
    return "-".join(words[:8])[:60].strip("-")


# --- words only ---


def _words_table(groups: list[Cluster]) -> str:
    rows = ["| Nearest section | Times | Language | When |", "|---|---:|---|---|"]
    for group in groups[:MAX_SECTIONS]:
        near = _code_counts(group.nearest) if group.nearest else "none"
        rows.append(f"| {near} | {group.count} | {_counts(group.languages)} | {_span(group)} |")
    return "\n".join(rows)


# --- sections ---


@dataclass(slots=True)
class _SectionVotes:
    """What was said of one section."""

    id: str
    helpful: int = 0
    not_helpful: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)  # of the votes "not helpful"
    lines: Counter[str] = field(default_factory=Counter)  # of the pastes it did not help with


def _by_section(votes: Iterable[Vote]) -> list[_SectionVotes]:
    found: dict[str, _SectionVotes] = {}
    for vote in votes:
        section = found.setdefault(vote.section, _SectionVotes(vote.section))
        if vote.helpful:
            section.helpful += 1
            continue
        section.not_helpful += 1
        section.reasons[_MEANINGS[vote.reason] if vote.reason else "not said"] += 1
        section.languages[vote.language] += 1
        section.lines.update(vote.signatures)
    return sorted(found.values(), key=lambda section: (-section.not_helpful, section.id))


def _sections_table(sections: list[_SectionVotes]) -> str:
    rows = [
        "| Section | Not helpful | Helpful | Why not | Language |",
        "|---|---:|---:|---|---|",
    ]
    for section in sections[:MAX_SECTIONS]:
        why = _counts(section.reasons)
        rows.append(
            f"| {_code(section.id)} | {section.not_helpful} | {section.helpful} | {why}"
            f" | {_counts(section.languages)} |"
        )
    return "\n".join(rows)


def _disliked_lines(sections: list[_SectionVotes]) -> list[str]:
    parts: list[str] = []
    for section in sections[:MAX_SECTIONS]:
        if section.lines:
            often = sorted(section.lines, key=lambda line: (-section.lines[line], line))[:5]
            shown = "\n".join(f"{section.lines[line]} × {line}" for line in often)
            fence = _fence(shown)
            parts += [
                f"### {_code(section.id)} was shown for",
                f"{fence}text\n{shown}\n{fence}",
            ]
    return parts


# --- words and numbers ---


def _times(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {counts[name]}" for name in _often_first(counts))


def _code_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{_code(name)} ({counts[name]})" for name in _often_first(counts)[:5])


def _often_first(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))


def _code(identifier: str) -> str:
    return f"`{identifier.replace('`', '').replace('|', ' ')}`"


def _span(group: Cluster) -> str:
    first, last = _day(group.first_at), _day(group.last_at)
    return first if first == last else f"{first} to {last}"


def _day(at: int) -> str:
    try:
        return datetime.fromtimestamp(at, timezone.utc).date().isoformat()
    except (OverflowError, OSError, ValueError):  # a clock that was set to nonsense
        return "?"
