"""A corpus in, an `Index` out: sections, chunk vectors, BM25 and signatures, to be searched."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from kb.corpus.chunking import Chunk, chunk_section
from kb.corpus.documents import Corpus
from kb.corpus.parallel import parallel_map
from kb.errors import InputError
from kb.retrieval.dense import DenseIndex
from kb.retrieval.embedding import embed_texts, text_digest
from kb.retrieval.encoders import Encoder, check_vectors, index_encoder_name
from kb.retrieval.lexical import LexicalIndex
from kb.retrieval.links import section_links
from kb.retrieval.searchable import (
    Compared,
    EncoderProbe,
    IndexStatus,
    OfSections,
)
from kb.retrieval.signatures import SignatureMatcher, compile_signature
from kb.retrieval.stored_sections import StoredSections
from kb.retrieval.tables import Tables
from kb.retrieval.titles import TitleIndex
from kb.retrieval.tokenization import tokenize
from kb.types import Language, Section

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb.query.paste import Query
    from kb.retrieval.vector_journal import VectorJournal

    Vector = NDArray[np.float32]

__all__ = [
    "EncoderProbe",
    "Index",
    "build_index",
    "chunk_sections",
    "embedding_text",
    "group_terms",
    "section_links",
    "terms_of",
]

MAX_LISTED = 2_000
PROBE_TEXT = (
    "passage that an index and its encoder are compared by: CUDA out of memory, 서버가 멈춰요"
)


@dataclass(frozen=True)
class Index(OfSections):
    """Everything a query is compared with; immutable, safe to search from several threads."""

    sections: Sequence[Section]
    chunks: Sequence[Chunk]
    dense: DenseIndex
    lexical: LexicalIndex
    encoder: EncoderProbe
    # Of a large index, where it was loaded from a folder; of others they are made when needed.
    stored: Tables | None = field(default=None, repr=False, compare=False)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Return the distinct section ids in corpus order: the groups that are ranked."""
        if self.stored is not None:
            return self.stored.ids
        return tuple(dict.fromkeys(section.id for section in self.sections))

    @cached_property
    def by_id(self) -> Mapping[str, Mapping[Language, Section]]:
        """Return the section of each id by language."""
        table: dict[str, dict[Language, Section]] = {}
        for section in self.sections:
            table.setdefault(section.id, {})[section.language] = section
        return table

    @cached_property
    def links(self) -> Mapping[str, tuple[str, ...]]:
        """Return the ids each id links to, in any language: its look-alikes and relatives."""
        return section_links(self.sections)

    @cached_property
    def titles(self) -> TitleIndex:
        """Return the titles of each id, for matching them with a query's terms."""
        return TitleIndex(
            [[section.title for section in self.by_id[i].values()] for i in self.ids], self.lexical
        )

    @cached_property
    def matcher(self) -> SignatureMatcher:
        """Return the automaton over the signatures of all sections; equal lines enter once."""
        return signature_matcher((s.id, line) for s in self.sections for line in s.signatures)

    @cached_property
    def last_matcher(self) -> SignatureMatcher:
        """Return the automaton over the lines that are a symptom only where a log ends in them."""
        return signature_matcher((s.id, line) for s in self.sections for line in s.last_signatures)

    @cached_property
    def tables(self) -> Tables:
        """Return what candidates are picked and compared by, where the index is large."""
        return self.stored or Tables.of(self.sections, self.lexical)

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """Return the position of each id among `ids`."""
        return {identifier: number for number, identifier in enumerate(self.ids)}

    @cached_property
    def listed(self) -> tuple[Section, ...]:
        """Return the sections for an overview; the first of many, without their Markdown."""
        if isinstance(self.sections, StoredSections):
            n_listed = min(len(self.sections), MAX_LISTED)
            return tuple(self.sections.heading(number) for number in range(n_listed))
        return tuple(self.sections)

    def headings(self, position: int) -> dict[Language, Section]:
        """Return the sections of the id at `position`, of a stored index without Markdown."""
        numbers = self.tables.sections_of(position)
        if isinstance(self.sections, StoredSections):
            found = [self.sections.heading(number) for number in numbers]
        else:
            found = [self.sections[number] for number in numbers]
        return {section.language: section for section in found}

    def compared(
        self, query: Query, vectors: Vector | None, corpora: Sequence[str] | None = None
    ) -> Compared:
        """Return the index itself, or its candidates for `query` where it is large."""
        if corpora is not None:
            raise InputError("corpora are for an index in a database; this one is a single folder")
        from kb.retrieval.candidates import LARGE, compare_candidates

        return self if len(self.ids) < LARGE else compare_candidates(self, query, vectors)

    def cosines(self, vector: Vector) -> tuple[Vector, float]:
        """Return the best cosine of each id to a unit vector `(dim,)`, and their mean."""
        cosines = self.dense.scores(vector.reshape(1, -1))[0]
        return cosines, float(cosines.mean())

    def fetch(self, identifiers: Sequence[str]) -> None:
        """Do nothing: all sections are here."""

    def section(self, identifier: str) -> Mapping[Language, Section] | None:
        """Return the section of an id by language, None where there is none."""
        if self.stored is None:
            return self.by_id.get(identifier)
        position = self.stored.positions.get(identifier)
        if position is None:
            return None
        found = [self.sections[number] for number in self.stored.sections_of(position)]
        return {section.language: section for section in found}

    @property
    def n_sections(self) -> int:
        """Return how many sections there are, languages counted apart."""
        return len(self.sections)

    @property
    def status(self) -> IndexStatus:
        """Return that it answers: it is in memory."""
        return IndexStatus()

    def close(self) -> None:
        """Do nothing: it holds nothing outside this process."""


def signature_matcher(lines: Iterable[tuple[str, str]]) -> SignatureMatcher:
    """Return the automaton over (owner, line); equal pairs enter once."""
    compiled = (compile_signature(owner, line) for owner, line in dict.fromkeys(lines))
    return SignatureMatcher(signature for signature in compiled if signature is not None)


# What a passage is embedded without: `log` fences, which signatures and BM25 match by the letter
# and an encoder blurs; the addresses of links; the marks of the heading's attributes.
_LOG_FENCE = re.compile(
    r"^ {0,3}```log(?:-last)?[ \t]*$.*?^ {0,3}```[ \t]*$", re.MULTILINE | re.DOTALL
)
_LINK_ADDRESS = re.compile(r"\]\([^()\s]*\)")
_HEADING = re.compile(r"\A#{1,6}[ \t].*")


def embedding_text(section: Section, chunk: Chunk) -> str:
    """Return what is embedded for a chunk: the titles it stands under, then its own words."""
    words = _LOG_FENCE.sub("", _HEADING.sub("", chunk.text.strip()))
    words = _LINK_ADDRESS.sub("]", words)
    return "\n".join((*section.breadcrumbs[1:], section.title, words.strip()))


def probe(encoder: Encoder, name: str) -> EncoderProbe:
    """Return what to remember of an encoder."""
    vector = check_vectors(encoder.encode_document([PROBE_TEXT]), 1, name)[0]
    return EncoderProbe(name, tuple(round(float(value), 4) for value in vector))


def group_terms(sections: Iterable[Section], processes: int = 1) -> Iterator[list[str]]:
    """Yield one term list per distinct id, in order of first appearance, all languages in one.

    So a Korean question over an English log is scored against one document that holds both. The
    titles count twice; `log` fences, equal in both languages, count once.
    """
    grouped: dict[str, list[Section]] = {}
    for section in sections:
        grouped.setdefault(section.id, []).append(section)
    return parallel_map(terms_of, tuple(grouped.values()), processes)


def terms_of(members: Sequence[Section]) -> list[str]:
    """Return the terms of the sections of one id, as `group_terms` does."""
    lines: dict[str, None] = {}
    for member in members:
        lines.update(dict.fromkeys(member.markdown.splitlines()))
    terms = tokenize("\n".join(lines))
    for member in members:
        terms.extend(tokenize(member.title))
    return terms


def chunk_sections(sections: Sequence[Section], processes: int = 1) -> tuple[Chunk, ...]:
    """Return the chunks of all sections, in order."""
    numbered = tuple(enumerate(sections))
    return tuple(c for chunks in parallel_map(_chunks, numbered, processes) for c in chunks)


def _chunks(numbered: tuple[int, Section]) -> list[Chunk]:
    position, section = numbered
    return chunk_section(section, position)


def build_index(
    corpus: Corpus,
    encoder: Encoder,
    encoder_name: str,
    *,
    known: Mapping[str, Vector] | None = None,
    journal: VectorJournal | None = None,
    progress: Callable[[int, int], None] | None = None,
    processes: int = 1,
) -> Index:
    """Embed and index a corpus; `known`, `journal` and `progress` are those of `embed_texts`.

    `processes` processes cut it into chunks and terms.
    """
    import numpy as np

    sections = corpus.sections
    chunks = chunk_sections(sections, processes)
    texts = [embedding_text(sections[chunk.section], chunk) for chunk in chunks]
    vectors = embed_texts(
        texts, encoder, encoder_name, known=known, journal=journal, progress=progress
    )
    matrix = np.stack([vectors[text_digest(text)] for text in texts], dtype=np.float32)
    positions = {
        identifier: n for n, identifier in enumerate(dict.fromkeys(s.id for s in sections))
    }
    groups = np.array([positions[sections[chunk.section].id] for chunk in chunks], dtype=np.int64)
    return Index(
        sections=sections,
        chunks=chunks,
        dense=DenseIndex.from_vectors(matrix, groups),
        lexical=LexicalIndex.from_terms(group_terms(sections, processes)),
        encoder=probe(encoder, index_encoder_name(encoder_name)),
    )
