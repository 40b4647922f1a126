"""A launch command and the changed one in, a diff with a copy button out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from kb.answer.wording import command_heading
from kb.serve.escaping import code_span, escape, with_code_spans
from kb.serve.markdown_html import copy_button
from kb.types import CommandAdvice, CommandChange, Language

__all__ = ["command_html", "diff_lines"]

_WORD = re.compile(r"\s+|[^\s=]+=?")


def diff_lines(old: str, new: str) -> Iterator[tuple[str, str, str]]:
    """Yield (mark, text, counterpart): mark is "-", "+" or " ", counterpart is "" if none.

    The texts marked " " or "-" joined give `old`, those marked " " or "+" give `new`.
    """
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            for line in before[i:j]:
                yield " ", line, line
            continue
        paired = j - i == m - k
        for offset, line in enumerate(before[i:j]):
            yield "-", line, after[k + offset] if paired else ""
        for offset, line in enumerate(after[k:m]):
            yield "+", line, before[i + offset] if paired else ""


def command_html(advice: CommandAdvice, language: Language) -> str:
    """Return the diff, the changes one by one and a button that copies the suggested command."""
    if advice.given == advice.suggested:
        return ""
    changes = "".join(f"<li>{_change(change)}</li>" for change in advice.changes)
    rows = "".join(_row(*line) for line in diff_lines(advice.given, advice.suggested))
    return (
        '<section class="kb-command">'
        f"<h3>{with_code_spans(command_heading(advice, language))}</h3>"
        + (f'<ul class="kb-changes">{changes}</ul>' if changes else "")
        + '<div class="kb-code kb-diff"><div class="kb-code-bar"><span></span>'
        + copy_button("chat.copy_command", language)
        + f"</div><pre>{rows}</pre><pre hidden><code data-copy-source>"
        f"{escape(advice.suggested)}</code></pre></div></section>"
    )


def _change(change: CommandChange) -> str:
    """Return `+ --flag new`, `- --flag old` or `--flag old → --flag new`."""
    old, new = (
        None if value is None else _argument(change.flag, value)
        for value in (change.old, change.new)
    )
    if old is None:
        return f"+ {new}"
    return f"\u2212 {old}" if new is None else f"{old} → {new}"


def _argument(flag: str, value: str) -> str:
    whole = value if value.startswith(flag) else f"{flag} {value}".strip()
    return code_span(whole)


def _row(mark: str, line: str, counterpart: str) -> str:
    tag = {" ": "span", "-": "del", "+": "ins"}[mark]
    body = line.rstrip("\r\n")
    shown = escape(body) if mark == " " else _marked(body, counterpart.rstrip("\r\n"))
    return f'<{tag} class="kb-row">{shown}\n</{tag}>'


def _marked(line: str, counterpart: str) -> str:
    """Return `line` with the words marked that `counterpart` does not have there."""
    words, others = _WORD.findall(line), _WORD.findall(counterpart)
    if not counterpart or "".join(words) != line:
        return escape(line)
    parts = []
    for tag, i, j, _, _ in SequenceMatcher(None, words, others, autojunk=False).get_opcodes():
        piece = escape("".join(words[i:j]))
        parts.append(piece if tag == "equal" or not piece else f"<mark>{piece}</mark>")
    return "".join(parts)
