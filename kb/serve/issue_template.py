"""A question without an answer in, the text of an issue about it out, ready to be copied."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kb.query.redaction import redact
from kb.strings import text
from kb.types import Answer

__all__ = ["issue_template"]

MAX_EXCERPT_LINES = 20
MAX_LINE_CHARS = 300
_LAST_CHARS = 200_000  # of a log without line breaks, or with blank lines only


def issue_template(
    answer: Answer, paste: str, question: str, *, hide_addresses: bool = False
) -> str:
    """Return Markdown with what was asked, the versions, the end of the log and what was near.

    The text goes to a public tracker: all of it is masked as the server masks what it reads, and
    the whole paste at once, since a key is known by its name in a line that may be left out.
    """
    language = answer.language
    version = answer.version.value if answer.version else None
    command = answer.command.given if answer.command else ""
    given = (question, command, paste)
    masked = redact("\n".join(given), addresses=hide_addresses).text.split("\n")
    question, command, paste = _apart(masked, given)
    lines = [line.rstrip() for line in paste[-_LAST_CHARS:].split("\n") if line.strip()]
    excerpt = "\n".join(line[:MAX_LINE_CHARS] for line in lines[-MAX_EXCERPT_LINES:])
    near = "\n".join(f"- {section.title} (`{section.id}`)" for section in answer.nearest)
    parts = [
        f"## {text('chat.issue_question', language)}",
        question.strip() or "…",
        f"## {text('chat.issue_version', language)}",
        version or "…",
        f"## {text('chat.issue_command', language)}",
        _fenced(command) if command else "…",
        f"## {text('chat.issue_log', language)}",
        _fenced(excerpt) if excerpt else "…",
    ]
    if near:
        parts += [f"## {text('chat.issue_near', language)}", near]
    return "\n\n".join(parts) + "\n"


def _apart(lines: list[str], given: Iterable[str]) -> Iterator[str]:
    """Yield the texts that were masked together; masking keeps every line break."""
    at = 0
    for part in given:
        n_lines = part.count("\n") + 1
        yield "\n".join(lines[at : at + n_lines])
        at += n_lines


def _fenced(content: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", content)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{content}\n{fence}"
