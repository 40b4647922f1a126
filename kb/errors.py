"""The errors, as one tree; each message says what was given, expected and to be done next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from kb.types import Language

__all__ = [
    "CatalogError",
    "CorpusError",
    "EncoderError",
    "IndexDatabaseError",
    "IndexFolderError",
    "InputError",
    "KBError",
    "OutdatedError",
]


E = TypeVar("E", bound="KBError")


class KBError(Exception):
    """Base of all errors a user of the knowledge base can meet; its text is fit to be shown.

    The text is English. What those who ask can cause is there in the other language too.
    """

    _by_language: Mapping[Language, str] = {}

    @classmethod
    def of(cls: type[E], sentences: Mapping[Language, str]) -> E:
        """Return the error that says `sentences`, the same one in each language."""
        error = cls(sentences["en"])
        error._by_language = sentences
        return error

    def in_language(self, language: Language) -> str:
        """Return what it says in `language`, in English where it is not there in that."""
        return self._by_language.get(language, str(self))


class CorpusError(KBError):
    """A file of the corpus cannot be used; the message names the file and the line."""


class EncoderError(KBError):
    """An encoder cannot be loaded, or gave something that is not unit vectors of its dimension."""


class IndexFolderError(KBError):
    """An index is missing, stale, foreign, truncated or corrupted; the message says which."""


class IndexDatabaseError(KBError):
    """A database cannot be reached, read or published to; the message says which and why."""


class OutdatedError(IndexDatabaseError):
    """What a query was compared with was replaced meanwhile; asking again is answered."""


class CatalogError(KBError):
    """The catalogue of SGLang's releases cannot be read, or a release is not in it."""


class InputError(KBError):
    """What the user asked cannot be asked: too large, empty, of a wrong type, an unknown option."""
