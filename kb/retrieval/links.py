"""Markdown of sections in, the ids that it links to out: look-alikes and relatives."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.types import Section

__all__ = ["linked_ids", "section_links"]

_SECTION_LINK = re.compile(r"\]\([^()\s#]*#([^()\s]+)\)")


def linked_ids(markdown: str) -> list[str]:
    """Return what links lead to by `#id`, in order; no section need have that id."""
    return _SECTION_LINK.findall(markdown)


def section_links(sections: Sequence[Section]) -> dict[str, tuple[str, ...]]:
    """Return the ids each id links to among `sections`, in any language."""
    table: dict[str, dict[str, None]] = {section.id: {} for section in sections}
    for section in sections:
        for target in linked_ids(section.markdown):
            if target in table and target != section.id:
                table[section.id][target] = None
    return {identifier: tuple(found) for identifier, found in table.items()}
