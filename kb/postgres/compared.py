"""What each corpus has found for a query in, the index that the query is compared with out.

It ranks candidates only; weights of terms and means are those of the whole corpora, so that an id
has the features that it would have among all ids.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from kb.postgres.candidates import TOP_CHUNKS, Candidate, Candidates
from kb.retrieval.searchable import OfSections
from kb.retrieval.signatures import Hit
from kb.retrieval.tokenization import tokenize
from kb.types import Language, Section, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

__all__ = ["CandidateIndex", "Found", "KnownHits", "light_sections"]

# Gets the sections of ids that are to be shown, and for the first one its terms and in how many
# sections each of them is.
Fetch = Callable[[Sequence[str]], "tuple[Mapping[str, tuple[Section, ...]], Mapping[str, int]]"]
_PARTS = ("words", "error", "context")


class KnownHits:
    """The hits of the texts that a query is made of, found before the database was asked."""

    def __init__(self, hits: Mapping[str, list[Hit]], in_words: Sequence[Hit] = ()) -> None:
        """Take the hits by text, and those in the words."""
        self._hits, self._in_words = hits, in_words

    def match(self, text: str) -> list[Hit]:
        """Return the hits in one of the texts."""
        return self._hits[text]

    def match_words(self, text: str) -> list[Hit]:
        """Return the hits in the words of the query."""
        return list(self._in_words)


class Found:
    """Candidates in the order in which they are ranked, with the names they have in an answer."""

    def __init__(self, parts: Sequence[Candidates], name: Callable[[str, str], str]) -> None:
        """Take what each corpus found; `name` makes an id of a corpus and its id in there."""
        self.parts = parts
        self.rows: list[tuple[Candidates, Candidate]] = [
            (part, candidate) for part in parts for candidate in part.found
        ]
        self.name = name
        self.ids = tuple(name(part.generation.name, one.id) for part, one in self.rows)


class CandidateLexical:
    """BM25 of the candidates, as the database has scored them."""

    def __init__(self, found: Found, terms: Mapping[str, Sequence[str]]) -> None:
        """Take the terms by which each score was asked for."""
        self._found = found
        self._part = {tuple(terms[part]): number for number, part in enumerate(_PARTS)}
        self.n_documents = sum(part.generation.n_ids for part in found.parts)
        self._frequencies: dict[str, int] = {}
        for part in found.parts:
            for term, frequency in part.frequencies.items():
                self._frequencies[term] = self._frequencies.get(term, 0) + frequency
        self._held: dict[int, frozenset[str]] = {
            row: part.held[candidate.position]
            for row, (part, candidate) in enumerate(found.rows)
            if candidate.position in part.held
        }

    def learn(self, document: int, frequencies: Mapping[str, int]) -> None:
        """Take all terms of a document that is to be shown, and in how many sections each is."""
        self._held[document] = frozenset(frequencies)
        for term, frequency in frequencies.items():
            self._frequencies.setdefault(term, frequency)

    def scores(self, terms: Iterable[str]) -> Vector:
        """Return the BM25 score of each candidate, `(n_candidates,) float32`.

        Among several corpora, which differ in what a term is worth, each one's scores are scaled
        so that their share of what the terms could give stays the same.
        """
        import numpy as np

        asked = tuple(terms)
        number = self._part[asked]
        scale = {
            id(part): self.idf(asked) / own if (own := _idf(part, asked)) > 0 else 1.0
            for part in self._found.parts
        }
        if len(self._found.parts) == 1:
            scale = dict.fromkeys(scale, 1.0)
        return np.array(
            [one.scores[number] * scale[id(part)] for part, one in self._found.rows],
            dtype=np.float32,
        )

    def idf(self, terms: Iterable[str]) -> float:
        """Return the summed idf of distinct `terms`; one that no section has counts in full."""
        return sum(_weight(self._frequencies.get(term, 0), self.n_documents) for term in set(terms))

    def terms_of(self, document: int, terms: Iterable[str]) -> list[str]:
        """Return those of `terms` that a candidate holds, known of the best and of those shown."""
        held = self._held.get(document, frozenset())
        return [term for term in terms if term in held]


def _weight(frequency: int, n_documents: int) -> float:
    return math.log1p((n_documents - frequency + 0.5) / (frequency + 0.5))


def _idf(part: Candidates, terms: Iterable[str]) -> float:
    n = part.generation.n_ids
    return sum(_weight(part.frequencies.get(term, 0), n) for term in set(terms))


@lru_cache(maxsize=50_000)
def _title_terms(title: str) -> frozenset[str]:
    return frozenset(tokenize(title))


class CandidateTitles:
    """The titles of the candidates."""

    def __init__(self, found: Found) -> None:
        """Take the candidates."""
        self._found = found

    def shares(self, terms: Iterable[str]) -> Vector:
        """Return the share of the best title's idf among distinct `terms`, `(n_candidates,)`."""
        import numpy as np

        asked = set(terms)
        shares = np.zeros(len(self._found.rows), dtype=np.float32)
        for row, (part, candidate) in enumerate(self._found.rows):
            for heading in candidate.headings:
                said = _title_terms(heading["title"]) & asked
                if said and heading["idf"] > 0:
                    weight = sum(
                        _weight(part.frequencies.get(term, 0), part.generation.n_ids)
                        for term in said
                    )
                    shares[row] = max(shares[row], weight / heading["idf"])
        return shares


class CandidateIndex(OfSections):
    """The candidates of a query as `kb.retrieval.index.Compared` describes it; for one query."""

    by_id: dict[str, Mapping[Language, Section]]

    def __init__(
        self,
        found: Found,
        terms: Mapping[str, Sequence[str]],
        vectors: Vector | None,
        matcher: KnownHits,
        last_matcher: KnownHits,
        fetch: Fetch,
    ) -> None:
        """Take what was found, what it was asked for by, and how to get what is shown."""
        self.ids = found.ids
        self.lexical = CandidateLexical(found, terms)
        self.titles = CandidateTitles(found)
        self.matcher, self.last_matcher = matcher, last_matcher
        self.by_id = {
            identifier: light_sections(identifier, candidate.headings, part.generation.name, found)
            for identifier, (part, candidate) in zip(found.ids, found.rows, strict=True)
        }
        self._found, self._vectors, self._fetch = found, vectors, fetch

    @cached_property
    def links(self) -> Mapping[str, tuple[str, ...]]:
        """Return the candidates each candidate links to."""
        return {
            identifier: tuple(
                target
                for link in candidate.links
                if (target := self._found.name(part.generation.name, link)) in self.by_id
            )
            for identifier, (part, candidate) in zip(self.ids, self._found.rows, strict=True)
        }

    def cosines(self, vector: Vector) -> tuple[Vector, float]:
        """Return the best cosine of each candidate, and the mean over all ids of the corpora.

        An id with no chunk among the nearest has the cosine of the last of these, so the mean
        follows from the nearest alone.
        """
        import numpy as np

        assert self._vectors is not None
        row = 0 if np.array_equal(vector, self._vectors[0]) else 1
        cosines = sorted((c for part in self._found.parts for c in part.floors[row]), reverse=True)
        floor = cosines[:TOP_CHUNKS][-1] if cosines else 0.0
        best: dict[tuple[int, int], float] = {
            (number, position): max(cosine, floor)
            for number, part in enumerate(self._found.parts)
            for position, cosine in part.near[row].items()
        }
        numbers = {id(part): number for number, part in enumerate(self._found.parts)}
        found = np.array(
            [best.get((numbers[id(part)], one.position), floor) for part, one in self._found.rows],
            dtype=np.float32,
        )
        n = self.lexical.n_documents
        mean = (sum(best.values()) + (n - len(best)) * floor) / n
        return found, mean

    def fetch(self, identifiers: Sequence[str]) -> None:
        """Get the Markdown of the sections that are to be shown, the first one first."""
        wanted = [identifier for identifier in identifiers if identifier in self.by_id]
        if not wanted:
            return
        sections, frequencies = self._fetch(wanted)
        for identifier, members in sections.items():
            self.by_id[identifier] = {section.language: section for section in members}
        self.lexical.learn(self.ids.index(wanted[0]), frequencies)


def light_sections(
    identifier: str, headings: Sequence[Mapping[str, object]], corpus: str, found: Found | None
) -> dict[Language, Section]:
    """Return the sections of an id without their Markdown."""
    sections: dict[Language, Section] = {}
    for heading in headings:
        parent = heading["parent"]
        if parent is not None and found is not None:
            parent = found.name(corpus, str(parent))
        line = int(str(heading["line"]))
        section = Section(
            id=identifier,
            title=heading["title"],  # type: ignore[arg-type]  # as `publish` wrote it
            language=heading["language"],  # type: ignore[arg-type]
            markdown="",
            source=Source(str(heading["path"]), line, line),
            kind=heading["kind"],  # type: ignore[arg-type]
            level=heading["level"],  # type: ignore[arg-type]
            parent=parent,  # type: ignore[arg-type]
            breadcrumbs=tuple(heading["breadcrumbs"]),  # type: ignore[arg-type]
        )
        sections[section.language] = section
    return sections
