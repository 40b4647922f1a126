"""A text in, the same with case and line ends folded out, every character in its place."""

from __future__ import annotations

import re

__all__ = ["fold", "line_starts"]


def fold(text: str) -> str:
    """Lower ASCII and turn tabs and line ends into blanks; every character keeps its place."""
    lowered = text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
    return lowered.replace("\n", " ").replace("\t", " ").replace("\r", " ")


def line_starts(text: str) -> list[int]:
    """Return where each line of `text` begins, rising."""
    return [0, *(found.end() for found in re.finditer("\n", text))]
