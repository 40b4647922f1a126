"""What an answer says of a version, a command or a long line, in the words that hold for it.

Terminal and page say the same; only their markup differs.
"""

from __future__ import annotations

from kb.catalog.catalog import Catalog
from kb.strings import text
from kb.types import CommandAdvice, Language, VersionRange

__all__ = [
    "command_heading",
    "contradiction_text",
    "cut",
    "date_text",
    "stand_in_text",
    "version_heading",
]


def contradiction_text(found: VersionRange, language: Language) -> str | None:
    """Say that the log rules a version out, None where it does not."""
    if found.contradiction is None:
        return None
    # What the caller says stays the value, since they may know better than the log.
    by_caller = found.contradiction == found.value
    key = "answer.contradiction_given" if by_caller else "answer.contradiction"
    return text(key, language, version=(by_caller and found.said) or found.contradiction)


def stand_in_text(found: VersionRange, catalog: Catalog, language: Language) -> str | None:
    """Say which release stands for a version that the catalogue does not know, None for known."""
    if found.said is None or found.value is None:
        return None
    remark = catalog.judge(found.said).remark
    slots = {"version": found.said, "release": found.value}
    return text(f"flag.remark_{remark}", language, **slots) if remark != "exact" else None


def version_heading(found: VersionRange, language: Language) -> str:
    """Say which releases it can be, and whether lines of the paste say so."""
    shown = found.value or f"{found.low or '…'}–{found.high or '…'}"
    has_lines = any(evidence.line for evidence in found.evidence)
    key = "answer.version" if has_lines else "answer.version_stated"
    return text(key, language, version=shown)


def command_heading(advice: CommandAdvice, language: Language) -> str:
    """Say where the command is from and how much of it is changed."""
    key = "answer.command_rebuilt" if advice.is_rebuilt else "answer.command"
    if len(advice.changes) > 1:
        key += "_changes"
    return text(key, language, count=len(advice.changes))


def cut(line: str, most_chars: int) -> tuple[str, bool]:
    """Return the beginning of a line as it is, blanks around it left out, and whether more came."""
    whole = line.strip()
    return whole[:most_chars], len(whole) > most_chars


def date_text(found: VersionRange, language: Language) -> str | None:
    """Return that the log's date bounds the version, None where it does not."""
    dated = next((evidence for evidence in found.evidence if evidence.kind == "date"), None)
    return text("answer.version_by_date", language, high=dated.high) if dated else None
