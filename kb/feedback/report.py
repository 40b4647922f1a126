"""Gaps in, a Markdown report for those who write the documents out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timezone

from kb.feedback.drafts import fence_for
from kb.feedback.gaps import Gap, Gaps
from kb.feedback.records import Reason
from kb.feedback.section_votes import SectionVotes

__all__ = ["MAX_GAPS", "MAX_SECTIONS", "day", "gaps_report", "often_first"]

MAX_GAPS = 100  # drafts in a report; more are counted only
MAX_SECTIONS = 100  # rows of the table of sections
_MEANINGS: dict[Reason, str] = {
    "wrong_cause": "not the reader's failure",
    "did_not_help": "the steps did not help",
    "wrong_version": "not right for the reader's version",
    "unclear": "hard to follow",
    "other": "something else",
}


def gaps_report(gaps: Gaps) -> str:
    """Return the report; the same gaps give the same text."""
    kinds = len(gaps.logs) + len(gaps.words) + len(gaps.closed)
    disliked = [section for section in gaps.sections if section.not_helpful]
    parts = [
        "# What the documents don't answer",
        f"{_times(gaps.asked, 'question')} without an answer, in {_times(kinds, 'kind')};"
        f" {_times(gaps.votes, 'vote')} on {_times(len(gaps.sections), 'section')}.",
        "Lines are masked: `…` stands for what varies. A person's words are not kept.",
    ]
    if gaps.closed:
        count = sum(gap.cluster.count for gap in gaps.closed)
        parts.append(
            f"Left out: {_times(len(gaps.closed), 'kind')} marked as done or ignored, asked"
            f" {_times(count, 'time')} together."
        )
    parts += [
        "## Failures that no section fits",
        *(_missing(gaps.logs) or ["None."]),
        "## Questions in words only",
        _words_table(gaps.words) if gaps.words else "None.",
        "## Sections that did not help",
        _sections_table(disliked) if disliked else "None.",
        *_disliked_lines(disliked),
    ]
    return "\n\n".join(parts) + "\n"


# --- failures without a section ---


def _missing(gaps: Sequence[Gap]) -> list[str]:
    parts: list[str] = []
    for number, gap in enumerate(gaps[:MAX_GAPS], start=1):
        assert gap.draft is not None  # a gap with lines has one
        section = gap.draft.markdown
        fence = fence_for(section)
        parts += [
            f"### {number}. Asked {_times(gap.cluster.count, 'time')}",
            _facts(gap),
            "A section to start from, the same id in each language:",
            f"{fence}markdown\n{section}\n{fence}",
        ]
    left = gaps[MAX_GAPS:]
    if left:
        count = sum(gap.cluster.count for gap in left)
        parts.append(
            f"{_times(len(left), 'further kind')}, asked {_times(count, 'time')} together."
        )
    return parts


def _facts(gap: Gap) -> str:
    group = gap.cluster
    facts = [
        f"- Language of the answer: {_counts(group.languages)}",
        f"- When: {_span(gap)}; kb {', '.join(sorted(group.versions))}",
    ]
    if gap.mark:
        facts.append(
            f"- Marked as done on {day(gap.mark.at)}, asked {_times(gap.asked_since, 'time')} since"
        )
    if group.nearest:
        facts.append(f"- Nearest section: {_code_counts(group.nearest)}")
    others = len(group.line_counts) - len(gap.draft.lines if gap.draft else ())
    if others > 0:
        facts.append(f"- {_times(others, 'further line')} beside those of the draft")
    return "\n".join(facts)


# --- words only ---


def _words_table(gaps: Sequence[Gap]) -> str:
    rows = ["| Nearest section | Times | Language | When |", "|---|---:|---|---|"]
    for gap in gaps[:MAX_SECTIONS]:
        group = gap.cluster
        near = _code_counts(group.nearest) if group.nearest else "none"
        rows.append(f"| {near} | {group.count} | {_counts(group.languages)} | {_span(gap)} |")
    return "\n".join(rows)


# --- sections ---


def _sections_table(sections: Sequence[SectionVotes]) -> str:
    rows = [
        "| Section | Not helpful | Helpful | Why not | Language |",
        "|---|---:|---:|---|---|",
    ]
    for section in sections[:MAX_SECTIONS]:
        why = Counter(
            {_MEANINGS[one] if one else "not said": count for one, count in section.reasons.items()}
        )
        rows.append(
            f"| {_code(section.id)} | {section.not_helpful} | {section.helpful} | {_counts(why)}"
            f" | {_counts(section.languages)} |"
        )
    return "\n".join(rows)


def _disliked_lines(sections: Sequence[SectionVotes]) -> list[str]:
    parts: list[str] = []
    for section in sections[:MAX_SECTIONS]:
        if section.lines:
            often = often_first(section.lines)[:5]
            shown = "\n".join(f"{section.lines[line]} × {line}" for line in often)
            fence = fence_for(shown)
            parts += [
                f"### {_code(section.id)} was shown for",
                f"{fence}text\n{shown}\n{fence}",
            ]
    return parts


# --- words and numbers ---


def _times(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {counts[name]}" for name in often_first(counts))


def _code_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{_code(name)} ({counts[name]})" for name in often_first(counts)[:5])


def often_first(counts: Counter[str]) -> list[str]:
    """Return the names, those counted most first, equal ones by their letters."""
    return sorted(counts, key=lambda name: (-counts[name], name))


def _code(identifier: str) -> str:
    return f"`{identifier.replace('`', '').replace('|', ' ')}`"


def _span(gap: Gap) -> str:
    first, last = day(gap.cluster.first_at), day(gap.cluster.last_at)
    return first if first == last else f"{first} to {last}"


def day(at: int) -> str:
    """Return the day of a time in seconds since 1970, UTC: "2026-11-30"."""
    try:
        return datetime.fromtimestamp(at, timezone.utc).date().isoformat()
    except (OverflowError, OSError, ValueError):  # a clock that was set to nonsense
        return "?"
