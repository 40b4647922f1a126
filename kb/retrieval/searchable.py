"""What an index is to the rest: what a query is compared with, wherever the sections lie.

`Searchable` is an index in a folder or in a database. Asked about a query it returns a `Compared`:
all sections, or those among them that can be the answer. Evidence and answers are made of that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from kb.types import Language, Section

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb.query.paste import Query
    from kb.retrieval.signatures import Hit

    Vector = NDArray[np.float32]

__all__ = [
    "Compared",
    "EncoderProbe",
    "IndexStatus",
    "Matching",
    "OfSections",
    "Searchable",
    "Titles",
    "Weighted",
    "consequences_among",
]


@dataclass(frozen=True, slots=True)
class EncoderProbe:
    """What an index remembers of its encoder: the vector of PROBE_TEXT tells any two apart."""

    name: str
    vector: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """How an index is at the moment."""

    can_answer: bool = True
    problem: str | None = None  # why it answers from memory, or from an older generation
    generations: Mapping[str, int] | None = None  # of an index in a database, by corpus


class Weighted(Protocol):
    """Terms as BM25 weighs them, over the documents of a `Compared`."""

    def scores(self, terms: Iterable[str]) -> Vector:
        """Return the BM25 score of each document for distinct `terms`."""

    def idf(self, terms: Iterable[str]) -> float:
        """Return the summed idf of distinct `terms`."""

    def terms_of(self, document: int, terms: Iterable[str]) -> list[str]:
        """Return those of `terms` that the document holds."""


class Titles(Protocol):
    """The titles of a `Compared`."""

    def shares(self, terms: Iterable[str]) -> Vector:
        """Return the share of the best title's idf among distinct `terms`, for each document."""


def consequences_among(by_id: Mapping[str, Mapping[Language, Section]]) -> tuple[str, ...]:
    """Return the ids whose sections are consequences or harmless notices, in all languages."""
    return tuple(
        identifier
        for identifier, sections in by_id.items()
        if all(section.kind != "cause" for section in sections.values())
    )


class OfSections:
    """What a `Compared` says of its ids where it holds the sections of all of them."""

    if TYPE_CHECKING:

        @property
        def by_id(self) -> Mapping[str, Mapping[Language, Section]]:
            """Return the sections of each id by language."""

    @cached_property
    def consequences(self) -> tuple[str, ...]:
        """Return the ids whose sections are consequences or harmless notices."""
        return consequences_among(self.by_id)

    @cached_property
    def harmless(self) -> frozenset[str]:
        """Return those of `consequences` that are harmless notices, in any language."""
        return frozenset(
            identifier
            for identifier in self.consequences
            if any(section.kind == "harmless" for section in self.by_id[identifier].values())
        )

    @cached_property
    def parents(self) -> Mapping[str, str]:
        """Return the id that each id stands under, where there is one, ranked or not."""
        found = {i: next(iter(sections.values())).parent for i, sections in self.by_id.items()}
        return {identifier: parent for identifier, parent in found.items() if parent is not None}


class Matching(Protocol):
    """The signatures of a `Compared`."""

    def match(self, text: str) -> list[Hit]:
        """Return the hits in a text of the query, in line order."""

    def match_words(self, text: str) -> list[Hit]:
        """Return the hits in a person's words, quoted pieces of signatures included."""


class Compared(Protocol):
    """What one query is compared with: all ids of an index, or the candidates among them.

    Where it holds candidates only, weights and means are still those of the whole index.
    """

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids that are ranked, in corpus order: the documents."""

    @property
    def by_id(self) -> Mapping[str, Mapping[Language, Section]]:
        """Return the section of each id by language; the Markdown is there after `fetch`."""

    @property
    def consequences(self) -> tuple[str, ...]:
        """Return the ids whose sections are consequences or harmless notices."""

    @property
    def harmless(self) -> frozenset[str]:
        """Return those of `consequences` whose sections are harmless notices."""

    @property
    def parents(self) -> Mapping[str, str]:
        """Return the id that each id stands under, where there is one, ranked or not."""

    @property
    def links(self) -> Mapping[str, tuple[str, ...]]:
        """Return the ids each id links to, as far as they are ranked."""

    @property
    def lexical(self) -> Weighted:
        """Return the weights of terms."""

    @property
    def titles(self) -> Titles:
        """Return the titles."""

    @property
    def matcher(self) -> Matching:
        """Return what finds all signatures; the owners of those in the query are ranked."""

    @property
    def last_matcher(self) -> Matching:
        """Return what finds the lines that are a symptom only where a log ends in them."""

    def cosines(self, vector: Vector) -> tuple[Vector, float]:
        """Return the best cosine of each document, and the mean over the whole index."""

    def fetch(self, identifiers: Sequence[str]) -> None:
        """Get the Markdown of the sections that are to be shown, the first one first."""


class Searchable(Protocol):
    """An index wherever it lies: a folder in memory, a database."""

    @property
    def listed(self) -> tuple[Section, ...]:
        """Return the sections for an overview; a large index may leave Markdown and some out."""

    @property
    def encoder(self) -> EncoderProbe:
        """Return what it remembers of its encoder."""

    def compared(
        self, query: Query, vectors: Vector | None, corpora: Sequence[str] | None = None
    ) -> Compared:
        """Return what `query` is compared with; `vectors` are those of its `dense_texts`.

        `corpora` are some of those that an index in a database holds, by default all.
        """

    def section(self, identifier: str) -> Mapping[Language, Section] | None:
        """Return the section of an id by language, None where there is none."""

    @property
    def n_sections(self) -> int:
        """Return how many sections there are, languages counted apart."""

    @property
    def status(self) -> IndexStatus:
        """Return how it is at the moment."""

    def close(self) -> None:
        """Let go of what it holds outside this process."""
