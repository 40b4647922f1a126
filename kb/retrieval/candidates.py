"""A query and a large index in, the candidates that the query is compared with out.

Among a hundred thousand sections nearly all have nothing of a query. Each leg names those it finds
best, with the owners of the signatures in the paste and what links to them; only these are scored,
ranked and looked at. Weights of terms and means stay those of the whole index, so that a candidate
has the features that it would have among all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from kb.query.log_lines import without_colours
from kb.query.paste import Query
from kb.retrieval.arrays import ranges
from kb.retrieval.evidence import lexical_terms
from kb.retrieval.lexical import LexicalIndex, largest
from kb.retrieval.searchable import Matching
from kb.retrieval.signature_windows import WindowedMatcher
from kb.retrieval.signatures import Hit
from kb.retrieval.tables import CAUSE, HARMLESS
from kb.retrieval.titles import TitleTerms
from kb.types import Language, Section

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb.retrieval.index import Index

    Vector = NDArray[np.float32]

__all__ = ["LARGE", "CandidateView", "compare_candidates"]

# Ids from which candidates are picked. Below, all are compared, which takes a few milliseconds.
LARGE = 2_000
TOP_LEXICAL = 60  # of each of the three texts
TOP_TITLES = 40  # of the question, and of the error
TOP_DENSE = 60  # of the question, and of the error, by their vectors
TOP_TOGETHER = 100  # by the three texts together
MAX_LINKED = 100  # that link to an owner of a signature
# So many sections are ranked even where nothing is found: the nearest are shown all the same.
AT_LEAST = 10


class _KnownMatcher:
    """A matcher that looks through each text of a query once."""

    def __init__(self, matcher: WindowedMatcher) -> None:
        self._matcher = matcher
        self._known: dict[str, list[Hit]] = {}
        self._words: dict[str, list[Hit]] = {}
        self.among: Sequence[int] = ()  # whose signatures may be quoted in words

    def match(self, text: str) -> list[Hit]:
        """Return the hits in `text`, in line order."""
        if text not in self._known:
            self._known[text] = self._matcher.match(text)
        return self._known[text]

    def match_words(self, text: str) -> list[Hit]:
        """Return the hits in a person's words, quoted pieces of signatures included."""
        if text not in self._words:
            self._words[text] = self.match(text) + self._matcher.match_quoted(text, self.among)
        return self._words[text]


class _CandidateLexical:
    """BM25 of the candidates, with the weights that the whole index gives."""

    def __init__(
        self,
        lexical: LexicalIndex,
        positions: NDArray[np.int64],
        known: Mapping[tuple[str, ...], Vector],
    ) -> None:
        """Take the candidates, rising, and the scores of all documents for some lists of terms."""
        self._lexical, self._positions, self._known = lexical, positions, known

    def scores(self, terms: Iterable[str]) -> Vector:
        """Return the BM25 score of each candidate, `(n_candidates,) float32`."""
        terms = tuple(terms)
        if terms in self._known:
            return self._known[terms][self._positions]
        return self._lexical.scores_of(self._positions, terms)

    def idf(self, terms: Iterable[str]) -> float:
        """Return the summed idf of distinct `terms` in the whole index."""
        return self._lexical.idf(terms)

    def terms_of(self, document: int, terms: Iterable[str]) -> list[str]:
        """Return those of `terms` that a candidate holds."""
        return self._lexical.terms_of(int(self._positions[document]), terms)


class _CandidateTitles:
    """The titles of the candidates."""

    def __init__(self, titles: TitleTerms, positions: NDArray[np.int64]) -> None:
        self._titles, self._positions = titles, positions

    def shares(self, terms: Iterable[str]) -> Vector:
        """Return the share of the best title's idf among distinct `terms`, `(n_candidates,)`."""
        return self._titles.shares_of(self._positions, terms)


class _Sections(Mapping[str, Mapping[Language, Section]]):
    """The sections of the candidates, read when they are looked at."""

    def __init__(self, index: Index, positions: Mapping[str, int]) -> None:
        self._index, self._positions = index, positions
        self._known: dict[str, Mapping[Language, Section]] = {}

    def __getitem__(self, identifier: str) -> Mapping[Language, Section]:
        if identifier not in self._known:
            self._known[identifier] = self._index.headings(self._positions[identifier])
        return self._known[identifier]

    def __iter__(self) -> Iterator[str]:
        return iter(self._positions)

    def __len__(self) -> int:
        return len(self._positions)

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._positions

    def fetch(self, identifier: str) -> None:
        """Read an id's sections with their Markdown."""
        found = self._index.section(identifier)
        if found is not None:
            self._known[identifier] = found


class CandidateView:
    """The candidates of one query, as `kb.retrieval.searchable.Compared` describes it."""

    def __init__(
        self,
        index: Index,
        positions: NDArray[np.int64],
        near: Mapping[bytes, tuple[Mapping[int, float], float]],
        matchers: tuple[Matching, Matching],
        scores: Mapping[tuple[str, ...], Vector] | None = None,
    ) -> None:
        """Take the candidates' positions among the ids, rising.

        `near` holds, by the bytes of a query vector, the best cosine of each position that has a
        chunk among the nearest, and the least of these, which all other positions get. `scores`
        are those by BM25 of all documents, where they are known, by terms.
        """
        import numpy as np

        tables = index.tables
        numbers: list[int] = positions.tolist()
        self.ids = tuple(tables.ids[number] for number in numbers)
        of_number = dict(zip(numbers, self.ids, strict=True))
        self.by_id = _Sections(index, {i: number for number, i in of_number.items()})
        kinds = tables.kinds[positions]
        ranked = self.ids
        self.consequences = tuple(ranked[row] for row in np.flatnonzero(kinds != CAUSE).tolist())
        self.harmless = frozenset(ranked[row] for row in np.flatnonzero(kinds == HARMLESS).tolist())
        self.parents: Mapping[str, str] = {
            identifier: tables.ids[parent]
            for identifier, parent in zip(self.ids, tables.parents[positions].tolist(), strict=True)
            if parent >= 0
        }
        links: dict[str, tuple[str, ...]] = dict.fromkeys(self.ids, ())
        places, rows = ranges(tables.link_ends, positions)
        for row, linked in zip(rows.tolist(), tables.links[places].tolist(), strict=True):
            if linked in of_number:
                links[self.ids[row]] += (of_number[linked],)
        self.links: Mapping[str, tuple[str, ...]] = links
        self.lexical = _CandidateLexical(index.lexical, positions, scores or {})
        self.titles = _CandidateTitles(tables.titles, positions)
        self.matcher, self.last_matcher = matchers
        self._positions, self._near, self._index = positions, near, index

    def cosines(self, vector: Vector) -> tuple[Vector, float]:
        """Return the best cosine of each candidate, and the mean over the whole index."""
        import numpy as np

        best, floor = self._near[vector.tobytes()]
        found = np.array([best.get(p, floor) for p in self._positions.tolist()], dtype=np.float32)
        n_ids = len(self._index.ids)
        mean = (sum(best.values()) + (n_ids - len(best)) * floor) / n_ids
        return found, mean

    def fetch(self, identifiers: Sequence[str]) -> None:
        """Read the Markdown of the sections that are to be shown."""
        for identifier in identifiers:
            if identifier in self.by_id:
                self.by_id.fetch(identifier)


def compare_candidates(index: Index, query: Query, vectors: Vector | None) -> CandidateView:
    """Return the candidates of `query` in a large index; `vectors` are `(2, dim)` or None."""
    import numpy as np

    tables = index.tables
    matchers = _KnownMatcher(tables.matcher), _KnownMatcher(tables.last_matcher)
    hits = matchers[0].match(without_colours(query.paste.text)) + matchers[0].match(query.words)
    if query.paste.last_step is not None:
        hits = hits + matchers[1].match(query.paste.last_step.text)
    terms = lexical_terms(query)
    chosen = set(range(min(AT_LEAST, len(index.ids))))
    together = np.zeros(index.lexical.n_documents, dtype=np.float32)
    scores: dict[tuple[str, ...], Vector] = {}
    for name, part in terms.items():
        rough, is_whole = index.lexical.rough_scores(part)
        if is_whole:
            scores[tuple(part)] = rough
        chosen.update(index.lexical.best_of(rough, is_whole, part, TOP_LEXICAL))
        together += rough * np.float32(1 / (index.lexical.idf(part) or 1))
        if name != "context":  # titles are compared with the question and the error
            chosen.update(tables.titles.best(part, TOP_TITLES))
    # What speaks of all parts of the query need not be among the best of any.
    chosen.update(largest(together, TOP_TOGETHER).tolist())
    rows = vectors[vectors.any(axis=1)] if vectors is not None else np.empty((0, 0), np.float32)
    near: dict[bytes, tuple[Mapping[int, float], float]] = {}
    for vector, found in zip(rows, index.dense.nearest(rows), strict=True):
        near[vector.tobytes()] = found
        chosen.update(islice(found[0], TOP_DENSE))  # the nearest come first
    owners = {tables.positions[hit.signature.owner] for hit in hits}
    chosen.update(_owners_and_relatives(index, owners, terms))
    positions = np.array(sorted(chosen), dtype=np.int64)
    matchers[0].among = positions.tolist()
    return CandidateView(index, positions, near, matchers, scores)


def _owners_and_relatives(
    index: Index, owners: set[int], terms: Mapping[str, Sequence[str]]
) -> set[int]:
    """Return the positions of owners, of what they link to and stand under, and of what links."""
    import numpy as np

    tables = index.tables
    near = {other for owner in owners for other in tables.links_of(owner)}
    near |= {int(tables.parents[owner]) for owner in owners} - {-1}
    chosen = owners | near
    linking = {other for owner in owners for other in tables.linking_to(owner)} - chosen
    if len(linking) > MAX_LINKED:
        listed = np.array(sorted(linking), dtype=np.int64)
        spoken_of = np.maximum(
            index.lexical.scores_of(listed, terms["words"]),
            index.lexical.scores_of(listed, terms["context"]),
        )
        order = np.argsort(-spoken_of, kind="stable")[:MAX_LINKED]
        linking = {int(position) for position in listed[order]}
    return chosen | linking
