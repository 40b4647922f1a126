"""A question without an answer in, the text of an issue about it out, ready to be copied."""

from __future__ import annotations

import re

from kb.strings import text
from kb.types import Answer

__all__ = ["issue_template"]

MAX_EXCERPT_LINES = 20
MAX_LINE_CHARS = 300
# The text goes to a public tracker; a line with one of these words may hold a key.
_MAY_HOLD_A_KEY = re.compile(
    r"server_args|api[-_]?key|[-_]token\b|secret|passw|authorization|bearer|credential", re.I
)


def issue_template(answer: Answer, paste: str, question: str) -> str:
    """Return Markdown with what was asked, the versions, the end of the log and what was near."""
    language = answer.language
    version = answer.version.value if answer.version else None
    left_out = text("chat.issue_left_out", language)
    command = answer.command.given if answer.command else ""
    lines = [line.rstrip() for line in paste[-200_000:].split("\n") if line.strip()]
    excerpt = _without_keys(lines[-MAX_EXCERPT_LINES:], left_out)
    near = "\n".join(f"- {section.title} (`{section.id}`)" for section in answer.nearest)
    parts = [
        f"## {text('chat.issue_question', language)}",
        question.strip() or "…",
        f"## {text('chat.issue_version', language)}",
        version or "…",
        f"## {text('chat.issue_command', language)}",
        _fenced(_without_keys(command.splitlines(), left_out)) if command else "…",
        f"## {text('chat.issue_log', language)}",
        _fenced(excerpt) if excerpt else "…",
    ]
    if near:
        parts += [f"## {text('chat.issue_near', language)}", near]
    return "\n\n".join(parts) + "\n"


def _without_keys(lines: list[str], left_out: str) -> str:
    return "\n".join(
        left_out if _MAY_HOLD_A_KEY.search(line) else line[:MAX_LINE_CHARS] for line in lines
    )


def _fenced(content: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", content)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{content}\n{fence}"
