"""Where things lie, who may come in and how much is allowed: one frozen object, passed in."""

from __future__ import annotations

from kb.settings.model import Settings, content_folder, shipped_index_folder

__all__ = ["Settings", "content_folder", "shipped_index_folder"]
