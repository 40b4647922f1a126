"""The errors, as one tree; each message says what was given, expected and to be done next."""

from __future__ import annotations

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


class KBError(Exception):
    """Base of all errors a user of the knowledge base can meet; its text is fit to be shown."""


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
