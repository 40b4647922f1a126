"""A text in, the language to answer in out."""

from __future__ import annotations

import re

from kb.types import Language

__all__ = ["detect_language"]

_HANGUL = re.compile(r"[\uac00-\ud7a3\u3131-\u318e]")


def detect_language(question: str | None, paste: str) -> Language:
    """Return "ko" where the question, or without one the paste, has Hangul in it, else "en".

    One syllable is enough: logs and commands are Latin in every language, Hangul is not.
    """
    decisive = question if question and question.strip() else paste[:200_000]
    return "ko" if _HANGUL.search(decisive) else "en"
