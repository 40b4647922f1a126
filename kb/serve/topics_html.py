"""All sections in, the list of what can be answered out: shown before anything was asked."""

from __future__ import annotations

from collections.abc import Iterable

from kb.serve.escaping import escape
from kb.serve.markdown_html import section_href
from kb.strings import text
from kb.types import Language, Section

__all__ = ["topics_html"]

MAX_SECTIONS = 1_000  # more links than that is no overview


def topics_html(sections: Iterable[Section], language: Language) -> str:
    """Return the sections as links, grouped by file, each once, in `language` where there is it."""
    chosen: dict[str, Section] = {}
    for section in sections:
        if section.id not in chosen or section.language == language:
            chosen[section.id] = section
    areas: dict[str, list[Section]] = {}
    for section in list(chosen.values())[:MAX_SECTIONS]:
        areas.setdefault(_area(section), []).append(section)
    groups = "".join(_group(title, found) for title, found in areas.items())
    heading = escape(text("chat.topics", language, count=len(chosen)))
    return (
        f'<nav class="kb-topics" lang="{language}" data-state="topics" aria-label="{heading}">'
        f'<h2 class="kb-label">{heading}</h2>{groups}</nav>'
    )


def _area(section: Section) -> str:
    return section.breadcrumbs[0] if section.breadcrumbs else section.source.path


def _group(title: str, sections: Iterable[Section]) -> str:
    links = [
        f'<li class="kb-depth-{min(max(section.level, 2), 4)}"><a class="kb-section-link"'
        f' href="{section_href(section.id)}">{escape(section.title)}</a></li>'
        for section in sections
    ]
    return (
        f'<details><summary>{escape(title)} <span class="kb-count">{len(links)}</span></summary>'
        f"<ul>{''.join(links)}</ul></details>"
    )
