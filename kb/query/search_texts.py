"""A paste as read in, the texts that are looked for out: what went wrong, and where."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kb.query.log_lines import Role

if TYPE_CHECKING:
    from kb.query.paste import Paste

__all__ = ["context_text", "error_text"]

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


def error_text(paste: Paste) -> str:
    """Return what went wrong in the program's own words: exceptions first, each kind in order."""
    return _bounded(
        [line.text for role in _ERROR_ROLES for line in paste.of_role(role)], MAX_ERROR_CHARS
    )


def context_text(paste: Paste) -> str:
    """Return where it went wrong: the frames next to the fault, the command, stages, batches."""
    frames = [line.text for line in paste.of_role("frame", "code") if _says_something(line.text)]
    said = [line for role in _CONTEXT_ROLES for line in paste.of_role(role)]
    telling = [line for line in said if line.number not in paste.routine]
    rest = [line.text for line in telling or said]
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
