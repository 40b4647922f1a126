"""Every sentence shown to a user, keyed by name and language; a test proves both columns whole.

A module for each area, so that a sentence is added where its like are.
"""

from __future__ import annotations

from kb.strings import (
    answers,
    chat,
    commands,
    errors,
    feedback,
    flags,
    maintainers,
    pages,
    problems,
    variables,
)
from kb.types import Language

__all__ = ["STRINGS", "program_name", "text", "texts"]

_AREAS = (
    answers,
    chat,
    commands,
    errors,
    feedback,
    flags,
    maintainers,
    pages,
    problems,
    variables,
)
STRINGS: dict[str, dict[Language, str]] = {
    key: sentence for area in _AREAS for key, sentence in area.SENTENCES.items()
}


def text(key: str, language: Language, **slots: object) -> str:
    """Return the sentence `key` in `language`, its `{slots}` filled; KeyError if unknown."""
    sentence = STRINGS[key][language]
    return sentence.format(**slots) if slots else sentence


def texts(key: str, **slots: object) -> dict[Language, str]:
    """Return the sentence `key` in every language, its `{slots}` filled; KeyError if unknown."""
    return {language: text(key, language, **slots) for language in STRINGS[key]}


def program_name(program: str, language: Language) -> str:
    """Return what a program is called in `language`: a kind of program has a word, a name none."""
    named = STRINGS.get(f"program.{program}")
    return named[language] if named else program
