"""Sections in, chunks out: runs of whole Markdown blocks, each a slice of the section's lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it.token import Token

from kb.corpus.markdown import block_parser, split_lines
from kb.types import Section, Source

__all__ = ["MAX_CHUNK_CHARS", "Chunk", "chunk_section"]

# About 300 tokens of English or 250 of Korean: half the encoder's window of 512, where e5 was
# trained on passages of this size. A single longer block stays whole all the same.
MAX_CHUNK_CHARS = 900


@dataclass(frozen=True, slots=True)
class Chunk:
    """One embedding window over a section."""

    section: int  # position of its section in the corpus
    text: str  # byte-identical slice of the section's file
    source: Source


def chunk_section(section: Section, position: int, max_chars: int = MAX_CHUNK_CHARS) -> list[Chunk]:
    """Cut a section between its blocks into chunks of at most `max_chars` where blocks allow it.

    A fence, a list item and a table are never cut; every line of the section is in one chunk.
    """
    lines = split_lines(section.markdown)
    chunks: list[Chunk] = []
    start = 0
    for end in _cuts(block_parser().parse(section.markdown), len(lines)):
        if end <= start:
            continue
        if chunks and _length(lines, _first(chunks[-1], section), end) <= max_chars:
            start = _first(chunks.pop(), section)
        chunks.append(_chunk(section, position, lines, start, end))
        start = end
    return chunks


def _first(chunk: Chunk, section: Section) -> int:
    return chunk.source.start_line - section.source.start_line


def _length(lines: list[str], start: int, end: int) -> int:
    return sum(len(line) for line in lines[start:end])


def _chunk(section: Section, position: int, lines: list[str], start: int, end: int) -> Chunk:
    offset = section.source.start_line
    source = Source(section.source.path, offset + start, offset + end - 1)
    return Chunk(position, "".join(lines[start:end]), source)


def _cuts(tokens: list[Token], n_lines: int) -> Iterator[int]:
    """Yield the line numbers (0-based, exclusive ends) where a chunk may end, in order."""
    starts = set()
    heading_end = 0
    for token in tokens:
        if token.map is None or token.nesting < 0:
            continue
        top_level_item = token.type == "list_item_open" and token.level == 1
        if token.level == 0 or top_level_item:
            starts.add(token.map[0])
        if token.type == "heading_open":
            heading_end = token.map[1]
    # A heading stays with the block after it.
    after_heading = min((line for line in starts if line >= heading_end), default=n_lines)
    yield from sorted(line for line in starts if line > after_heading)
    yield n_lines
