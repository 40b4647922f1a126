"""An `Answer` in, text for a terminal out; every block verbatim."""

from __future__ import annotations

from kb.strings import text
from kb.types import Answer, AnswerSection

__all__ = ["answer_to_text"]

_RULE = "─" * 72
_MAX_LINE_CHARS = 160


def answer_to_text(answer: Answer) -> str:
    """Return the answer as plain text: notes, sections and what decided for them, what is near."""
    parts: list[str] = list(answer.notes)
    for number, section in enumerate(answer.sections):
        if number:
            parts.append(_RULE)
        parts.append(_section(section, answer))
    parts.extend(_for_version(answer))
    if answer.nearest:
        heading = "answer.related" if answer.found else "answer.nearest"
        listed = "\n".join(f"  {near.id}  {near.title}" for near in answer.nearest)
        parts.append(f"{text(heading, answer.language)}\n{listed}")
    return "\n\n".join(parts)


def _section(section: AnswerSection, answer: Answer) -> str:
    lines = [section.markdown]
    if section.matched_lines:
        lines.append("")
        lines.append(text("answer.matched", answer.language))
        for matched in section.matched_lines:
            shown = matched.text.strip()
            cut = shown[:_MAX_LINE_CHARS] + ("…" if len(shown) > _MAX_LINE_CHARS else "")
            lines.append(f"  {matched.line}: {cut}")
    lines.append(f"({section.source.path}:{section.source.start_line}-{section.source.end_line})")
    return "\n".join(lines)


def _for_version(answer: Answer) -> list[str]:
    parts = []
    if answer.flags:
        notes = "\n".join(f"  {flag.flag}: {flag.note}" for flag in answer.flags)
        parts.append(f"{text('answer.flags', answer.language)}\n{notes}")
    if answer.command:
        parts.append(
            f"{text('answer.command', answer.language)}\n"
            f"- {answer.command.given}\n+ {answer.command.suggested}"
        )
    return parts
