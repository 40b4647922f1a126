"""An `Answer` in, text for a terminal out; every block verbatim."""

from __future__ import annotations

from kb.answer.wording import (
    command_heading,
    contradiction_text,
    cut,
    date_text,
    version_heading,
)
from kb.strings import text
from kb.types import Answer, AnswerSection, MessageMatch, VersionRange

__all__ = ["answer_to_text"]

_RULE = "─" * 72
_MAX_LINE_CHARS = 160


def answer_to_text(answer: Answer) -> str:
    """Return the answer as plain text: notes, sections and what decided for them, what is near."""
    parts: list[str] = list(answer.notes)
    for number, section in enumerate(answer.sections):
        if number:
            parts.append(f"{_RULE}\n{text('answer.also', answer.language)}")
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
            lines.append(f"  {matched.line}: {_shown(matched.text, answer)}")
    lines.append(f"({section.source.path}:{section.source.start_line}-{section.source.end_line})")
    return "\n".join(lines)


def _for_version(answer: Answer) -> list[str]:
    """Return what is true for the version: its range, flags that need a change, the command."""
    parts = []
    if answer.message:
        parts.append(_message(answer.message, answer))
    if answer.version and (answer.version.low or answer.version.high):
        parts.append(_version(answer.version, answer))
    # Where nothing is found, what the question asks of is a note already.
    told = [
        flag
        for flag in answer.flags
        if (flag.asked or flag.status != "accepted") and flag.note not in answer.notes
    ]
    if told:
        notes = "\n".join(f"  {flag.flag}: {flag.note}" for flag in told)
        parts.append(f"{text('answer.flags', answer.language)}\n{notes}")
    if answer.command:
        parts.append(
            f"{command_heading(answer.command, answer.language)}\n"
            + "\n".join(f"- {line}" for line in answer.command.given.splitlines())
            + "\n"
            + "\n".join(f"+ {line}" for line in answer.command.suggested.splitlines())
        )
    return parts


def _version(found: VersionRange, answer: Answer) -> str:
    lines = [version_heading(found, answer.language)]
    shown = (f"  {one.line}: {_shown(one.text, answer)}" for one in found.evidence if one.line)
    lines += dict.fromkeys(shown)
    dated, against = date_text(found, answer.language), contradiction_text(found, answer.language)
    lines += [sentence for sentence in (dated, against) if sentence]
    return "\n".join(lines)


def _shown(line: str, answer: Answer) -> str:
    """Return the beginning of a line of the paste, and say where more of it came."""
    shown, is_cut = cut(line, _MAX_LINE_CHARS)
    return f"{shown} {text('answer.cut', answer.language)}" if is_cut else shown


def _message(message: MessageMatch, answer: Answer) -> str:
    return text(
        "answer.message",
        answer.language,
        template=message.template,
        file=message.file,
        first=message.first,
        last=message.last,
    )
