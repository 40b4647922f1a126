"""The parsed lines of a page in, its sections out: cut at the headings, named by their ids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from markdown_it.token import Token

from kb.corpus.markdown import Fence, Heading
from kb.types import Language, Section, SectionKind, Source

__all__ = ["cut_sections", "page_key", "slug_of"]

_LANGUAGE_FOLDERS = ("ko", "en")


def page_key(path: str) -> str:
    """Return the path without suffix and language, the same for the pages of a pair."""
    stem = re.sub(r"\.(?:md|markdown)$", "", path, flags=re.IGNORECASE)
    stem = re.sub(r"\.(?:ko|en)$", "", stem)
    return "/".join(part for part in stem.split("/") if part not in _LANGUAGE_FOLDERS) or stem


def slug_of(title: str) -> str:
    """Return the anchor that GitHub gives a heading; Hangul stays."""
    kept = re.sub(r"[^\w\- ]", "", title.strip().lower())
    return re.sub(r"\s", "-", kept) or "section"


def cut_sections(
    path: str,
    language: Language,
    lines: Sequence[str],
    headings: Sequence[Heading],
    fences: Sequence[Fence],
    tokens: Sequence[Token],
) -> Iterator[Section]:
    """Yield one section for each heading that has text of its own, and for text before any.

    `lines` are those of the page at `path`, ends kept; the others are what was parsed of them.
    """
    key = page_key(path)
    used: dict[str, int] = {}
    stack: list[tuple[int, str, str]] = []  # (level, id, title) of the headings above
    first = headings[0].line if headings else len(lines) + 1
    start = 1 + _front_matter_lines(tokens)
    preamble = Heading(0, Path(path).stem, key, (), start)
    bounded = [preamble, *headings] if start < first else list(headings)
    for position, heading in enumerate(bounded):
        following = bounded[position + 1].line if position + 1 < len(bounded) else len(lines) + 1
        identifier = heading.id
        if identifier is None:
            slug = slug_of(heading.title)
            used[slug] = used.get(slug, -1) + 1
            identifier = f"{key}#{slug}" + (f"-{used[slug]}" if used[slug] else "")
        while stack and stack[-1][0] >= heading.level:
            stack.pop()
        breadcrumbs = tuple(title for _, _, title in stack)
        parent = stack[-1][1] if stack and stack[-1][0] > 1 else None
        if heading.level:
            stack.append((heading.level, identifier, heading.title))
        end = following - 1
        while end >= heading.line and not lines[end - 1].strip():
            end -= 1
        body = lines[heading.line - 1 + (1 if heading.level else 0) : end]
        if not any(line.strip() for line in body):
            continue
        yield Section(
            id=identifier,
            title=heading.title,
            language=language,
            markdown="".join(lines[heading.line - 1 : end]).rstrip("\r\n"),
            source=Source(path, heading.line, end),
            kind=_kind(heading.classes),
            level=heading.level,
            parent=parent,
            breadcrumbs=breadcrumbs,
            signatures=_fence_lines(fences, "log", heading.line, end),
            last_signatures=_fence_lines(fences, "log-last", heading.line, end),
        )


def _fence_lines(fences: Sequence[Fence], info: str, start: int, end: int) -> tuple[str, ...]:
    return tuple(
        line.strip()
        for fence in fences
        if fence.info == info and start <= fence.start_line <= end
        for line in fence.text.splitlines()
        if line.strip()
    )


def _front_matter_lines(tokens: Sequence[Token]) -> int:
    if tokens and tokens[0].type == "front_matter" and tokens[0].map is not None:
        return tokens[0].map[1]
    return 0


def _kind(classes: tuple[str, ...]) -> SectionKind:
    if "consequence" in classes:
        return "consequence"
    if "harmless" in classes:
        return "harmless"
    return "cause"
