"""A paste and a question as somebody gives them in, a `Query` out, or what is wrong with them.

Every input is hostile or broken until it is read.
"""

from __future__ import annotations

import re

from kb.errors import InputError
from kb.query.paste import Query, read_query
from kb.strings import texts
from kb.types import Language

__all__ = ["read_checked"]

_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")
_BINARY_SHARE = 0.2  # a log cut in the middle of characters has far less


def read_checked(
    text: str,
    question: str | None,
    language: Language | None,
    *,
    max_chars: int,
    hide_addresses: bool = False,
) -> Query:
    """Read a paste of at most `max_chars` characters, its question counted; InputError."""
    if not isinstance(text, str):
        raise InputError(f"the paste is a {type(text).__name__}; expected text (str)")
    if language not in (None, "ko", "en"):
        raise InputError(f"language is {language!r}; expected 'ko', 'en' or None")
    size = len(text) + len(question or "")
    if size > max_chars:
        said = texts("error.paste_too_long", size=f"{size:,}", limit=f"{max_chars:,}")
        raise InputError.of(said)
    if not text.strip() and not (question or "").strip():
        raise InputError.of(texts("error.nothing_pasted"))
    if _is_binary(text):
        raise InputError.of(texts("error.no_text"))
    return read_query(text, question, language, hide_addresses=hide_addresses)


def _is_binary(text: str) -> bool:
    sample = text[:100_000]
    return len(_NO_TEXT.findall(sample)) > _BINARY_SHARE * len(sample)
