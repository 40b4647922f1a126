"""What readers say of the answers, and what the documents don't answer yet."""

from __future__ import annotations

__all__: list[str] = []
