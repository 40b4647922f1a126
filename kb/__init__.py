"""Troubleshooting knowledge base for SGLang servers: paste a log, get the section that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kb.errors import (
    CatalogError,
    CorpusError,
    EncoderError,
    IndexFolderError,
    InputError,
    KBError,
)
from kb.settings import Settings
from kb.types import Answer, AnswerSection, Language, MatchedLine, NearestSection, Section, Source
from kb.version import __version__

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

__all__ = [
    "Answer",
    "AnswerSection",
    "CatalogError",
    "CorpusError",
    "EncoderError",
    "IndexFolderError",
    "InputError",
    "KBError",
    "KnowledgeBase",
    "Language",
    "MatchedLine",
    "NearestSection",
    "Section",
    "Settings",
    "Source",
    "__version__",
]


def __getattr__(name: str) -> Any:
    """Import the facade when it is first asked for: the nouns and errors alone cost nothing."""
    if name == "KnowledgeBase":
        from kb.knowledge_base import KnowledgeBase

        return KnowledgeBase
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
