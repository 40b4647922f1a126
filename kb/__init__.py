"""Troubleshooting knowledge base for SGLang servers: paste a log, get the section that fits."""

from __future__ import annotations

from kb.errors import (
    CatalogError,
    CorpusError,
    EncoderError,
    IndexFolderError,
    InputError,
    KBError,
)
from kb.knowledge_base import KnowledgeBase
from kb.settings import Settings
from kb.types import Answer, AnswerSection, Language, MatchedLine, NearestSection, Section, Source
from kb.version import __version__

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
