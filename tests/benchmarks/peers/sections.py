"""Sections cut at headings, for contestants that bring no splitter of their own."""

from __future__ import annotations

from collections.abc import Sequence

from tests.benchmarks.task import Page

__all__ = ["section_texts"]


def section_texts(pages: Sequence[Page]) -> list[tuple[str, str]]:
    """Return (id, Markdown) of each section of the pages."""
    found = []
    for page in pages:
        lines = page.text.split("\n")
        found += [(i, "\n".join(lines[first - 1 : last])) for i, first, last in page.sections]
    return found
