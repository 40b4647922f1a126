"""A paste and a question in, a `Query` out: the log is read before it is searched.

Steps: secrets masked → lines → repeats folded → prefixes stripped and roles given → exceptions in
order → the words of a person apart from those of a program → texts for each retrieval leg.
Time is linear in the paste; only distinct lines are read closely.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kb.query.language import detect_language
from kb.query.log_lines import LogLine, Role, read_line
from kb.query.programs import ProgramEvidence, find_programs
from kb.query.redaction import redact
from kb.types import Language

__all__ = ["Paste", "Query", "read_paste", "read_query"]

_DIGITS = b"0123456789"
# Distinct lines that are read closely; past them only lines that speak of trouble are.
MAX_CLOSE_LINES = 20_000
MAX_TROUBLE_LINES = 5_000
_TROUBLE = (b"rror", b"xception", b"raceback", b"ailed", b"emory", b"imeout", b"illed", b"WARN")

# What goes into the text for the lexical and the dense leg, the most telling first. Roles that are
# not listed (progress, access, code, blank) say nothing about the cause.
_ERROR_ROLES: tuple[Role, ...] = ("exception", "error", "warning")
_CONTEXT_ROLES: tuple[Role, ...] = ("command", "stage", "batch", "other", "header")
# Values of a `server_args=` line that say something: strings that are not everybody's.
_CONFIG_VALUE = re.compile(r"(\w+)['\"]?\s?[=:]\s?'([^']{1,120})'")
_EVERYBODYS = frozenset({"auto", "cuda", "127.0.0.1", "0.0.0.0", "info", "fcfs", "lpm"})  # noqa: S104
MAX_ERROR_CHARS = 1_500
MAX_CONTEXT_CHARS = 1_500
MAX_FRAMES = 12
# A text this short in which no line is of a kind that only programs print is somebody's words.
MAX_PLAIN_LINES = 2
_PRINTED_ROLES: tuple[Role, ...] = (
    "exception",
    "header",
    "frame",
    "code",
    "stage",
    "batch",
    "config",
    "command",
    "access",
    "progress",
)
MAX_AFTER_STEP = 5
_STEP_ROLES: tuple[Role, ...] = ("stage", "progress", "batch")


@dataclass(frozen=True, slots=True)
class Paste:
    """A paste, read: its distinct lines in order; `text` is what was pasted, secrets masked."""

    text: str
    n_lines: int
    lines: tuple[LogLine, ...]  # distinct up to digits, in order, blank ones left out
    prose: str  # the words of a person that were pasted along

    def of_role(self, *roles: Role) -> tuple[LogLine, ...]:
        """Return the lines that have one of `roles`, in order."""
        return tuple(line for line in self.lines if line.role in roles)

    @property
    def last_step(self) -> LogLine | None:
        """Return the line in which a log ends that says nowhere what failed, else None.

        A server that hangs prints no error: the step it began last is the symptom. A few lines of
        another kind may follow it.
        """
        if self.of_role("exception", "header"):
            return None
        steps = [line for line in self.lines[-MAX_AFTER_STEP:] if line.role in _STEP_ROLES]
        return steps[-1] if steps else None

    @property
    def is_log(self) -> bool:
        """Whether any line looks like a program printed it."""
        return any(line.role not in ("prose", "other", "blank") for line in self.lines)


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked: the paste as read, the words, and one text for each purpose."""

    paste: Paste
    question: str  # as it was asked, "" if it was not
    words: str  # the question and the prose of the paste, "" if there are none
    language: Language
    programs: ProgramEvidence
    error_text: str  # exceptions, errors, warnings: at most MAX_ERROR_CHARS
    context_text: str  # stages, batches, commands, last frames: at most MAX_CONTEXT_CHARS
    hidden: int = 0  # secrets that were masked before anything was read


def read_paste(text: str) -> Paste:
    """Read a paste; never raises, takes time linear in its length and keeps every line number."""
    seen: set[bytes] = set()
    lines: list[LogLine] = []
    n_trouble = 0
    raw_lines = text.split("\n")
    for number, raw in enumerate(raw_lines, start=1):
        if not raw or raw.isspace():
            continue
        encoded = raw[:2000].encode("utf-8", "surrogatepass")
        key = encoded.translate(None, _DIGITS)
        if key in seen:
            continue
        if len(lines) >= MAX_CLOSE_LINES:
            if n_trouble >= MAX_TROUBLE_LINES:
                continue
            if not any(mark in encoded for mark in _TROUBLE):
                continue
            n_trouble += 1
        seen.add(key)
        line = read_line(number, raw)
        if line.role != "blank":
            lines.append(line)
    return Paste(text, len(raw_lines), tuple(lines), _prose(lines))


def _prose(lines: list[LogLine]) -> str:
    """Return the words of a person: questions beside a log; prose where there is no log."""
    own = [line for line in lines if line.role == "prose" and not line.is_sglang]
    asked = [line.text for line in own if "?" in line.text or not line.text.isascii()]
    if asked or any(line.role in ("exception", "header", "frame", "batch") for line in lines):
        return "\n".join(asked)
    return "\n".join(line.text for line in own)


def read_query(
    text: str,
    question: str | None = None,
    language: Language | None = None,
    *,
    hide_addresses: bool = False,
) -> Query:
    """Read a paste and its question into a `Query`, secrets masked first.

    Both are masked together: a key that stands in one is masked in the other too.
    """
    asked = question or ""
    redacted = redact(f"{asked}\n{text}", addresses=hide_addresses)
    lines = redacted.text.split("\n")
    n_asked = asked.count("\n") + 1
    question = "\n".join(lines[:n_asked])
    text = "\n".join(lines[n_asked:])
    paste = read_paste(text)
    words = "\n".join(part for part in (question.strip(), paste.prose) if part)
    if not words and _is_plain(paste):
        words = "\n".join(line.text for line in paste.lines)
    programs = find_programs((line.text for line in paste.lines), words)
    return Query(
        paste=paste,
        question=question,
        words=words,
        language=language or detect_language(question, text),
        programs=programs,
        error_text=_error_text(paste),
        context_text=_context_text(paste),
        hidden=redacted.hidden,
    )


def _is_plain(paste: Paste) -> bool:
    """Whether the paste is a few words typed instead of a log: `CUDA out of memory`."""
    return len(paste.lines) <= MAX_PLAIN_LINES and not any(
        line.is_sglang or line.role in _PRINTED_ROLES for line in paste.lines
    )


def _bounded(parts: list[str], max_chars: int) -> str:
    kept: list[str] = []
    left = max_chars
    for part in parts:
        cut = part.strip()[: min(left, 500)]
        if cut and cut not in kept:
            kept.append(cut)
            left -= len(cut) + 1
        if left <= 0:
            break
    return "\n".join(kept)


def _error_text(paste: Paste) -> str:
    """Return what went wrong in the program's own words: exceptions first, each kind in order."""
    return _bounded(
        [line.text for role in _ERROR_ROLES for line in paste.of_role(role)], MAX_ERROR_CHARS
    )


def _context_text(paste: Paste) -> str:
    """Return where it went wrong: the frames next to the fault, the command, stages, batches."""
    frames = [line.text for line in paste.of_role("frame", "code") if _says_something(line.text)]
    rest = [line.text for role in _CONTEXT_ROLES for line in paste.of_role(role)]
    config = [_config_values(line.text) for line in paste.of_role("config")]
    return _bounded([*frames[-MAX_FRAMES:], *config, *rest], MAX_CONTEXT_CHARS)


def _says_something(text: str) -> bool:
    return any(character.isalpha() for character in text)


def _config_values(text: str) -> str:
    """Return the telling `key value` pairs of a `server_args=` line, any other line as it is."""
    if "server_args=" not in text:
        return text
    pairs = _CONFIG_VALUE.findall(text)
    return " ".join(f"{key} {value}" for key, value in pairs if value not in _EVERYBODYS)
