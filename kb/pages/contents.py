"""A corpus in, its table of contents in one language out: every section under its page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from kb.corpus.documents import Corpus, Document
from kb.corpus.markdown import block_parser, headings_of
from kb.strings import text
from kb.types import Language, Section

__all__ = ["contents_page"]

# What an operator meets first stands first; pages that are not named here follow by name.
AREAS = (
    "memory",
    "startup",
    "crashes",
    "quality",
    "distributed",
    "disaggregation",
    "install",
    "models",
    "requests",
    "performance",
    "hardware",
)
FRONT_MATTER = "---\nsearch: false\n---\n"  # a list of titles answers no question
_ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*\}\s*$")


def contents_page(corpus: Corpus, language: Language, further: str) -> str:
    """Return the page as Markdown; `further` is a list item for a page that is not searched."""
    parts = [FRONT_MATTER, f"# {text('pages.contents_title', language)}\n"]
    documents = [d for d in corpus.documents if d.language == language and d.searchable]
    for document in sorted(documents, key=_rank):
        stem = PurePosixPath(document.path).stem
        parts.append(f"## {document.title} {{#contents-{stem}}}\n")
        parts.append("\n".join(_items(document)) + "\n")
    parts.append(f"## {text('pages.contents_further', language)} {{#contents-further}}\n")
    parts.append(further + "\n")
    return "\n".join(parts)


def _rank(document: Document) -> tuple[int, str]:
    stem = PurePosixPath(document.path).stem
    return (AREAS.index(stem) if stem in AREAS else len(AREAS), stem)


def _items(document: Document) -> Iterator[str]:
    name = PurePosixPath(document.path).name
    for section in document.sections:
        if section.level >= 2:  # the page's own title heads the list
            indent = "    " * (section.level - 2)
            yield f"{indent}- [{_title(section)}]({name}#{section.id})"


def _title(section: Section) -> str:
    """Return the heading as it is written, with its code, safe inside the brackets of a link."""
    (heading,) = headings_of(block_parser().parse(section.markdown.split("\n", 1)[0]))
    line = section.markdown.split("\n", 1)[0].rstrip("\r").lstrip("#").strip()
    written = _ATTRIBUTES.sub("", line) if heading.id or heading.classes else line
    outside_code = re.split(r"(`[^`]*`)", written)
    return "".join(
        part if part.startswith("`") else re.sub(r"([\[\]])", r"\\\1", part)
        for part in outside_code
    )
