"""A query in, what each retrieval leg finds of one generation out: one round trip.

The statement is in `kb.postgres.statement`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kb.errors import OutdatedError
from kb.postgres.corpora import Generation
from kb.postgres.embedding import vector_text
from kb.postgres.statement import PARTS, candidates_statement
from kb.postgres.term_counts import POSTINGS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "OUTDATED",
    "TOP_CHUNKS",
    "Candidate",
    "Candidates",
    "ask_candidates",
    "read_candidates",
]

OUTDATED = "the documents were published anew meanwhile; ask again"
# The folder's index takes as many chunks: what is not among them has the last one's cosine.
TOP_CHUNKS = 200
TOP_SECTIONS = 100  # of each of the texts a query is scored by
MAX_LINKED = 100
# So many sections, where there are, are ranked even where nothing is found.
_AT_LEAST = 10
# Postings that the lexical candidates of one text are picked from, the rarest terms first, and
# how many candidates are then scored by all of its terms: the common ones may reorder them.
_MAX_POSTINGS = 24_000
_SCORED = 300
# What an approximate search looks through for TOP_CHUNKS: some belong to older generations.
_NEAR = 400


@dataclass(frozen=True, slots=True)
class Candidate:
    """A section id that some leg has found."""

    position: int  # in corpus order
    id: str
    headings: tuple[Mapping[str, Any], ...]  # one a language, see `kb.postgres.publish`
    links: tuple[str, ...]
    scores: tuple[float, float, float]  # BM25 of words, error and context


@dataclass(frozen=True, slots=True)
class Candidates:
    """What one generation has for a query."""

    generation: Generation
    frequencies: Mapping[str, int]  # in how many sections each of the query's terms is
    found: tuple[Candidate, ...]  # by position
    near: tuple[Mapping[int, float], Mapping[int, float]]  # best cosine by position
    floors: tuple[list[float], list[float]]  # cosines of the chunks found, falling
    held: Mapping[int, frozenset[str]]  # terms that the best of each text holds, by position


def ask_candidates(
    connection: Any,
    generation: Generation,
    terms: Mapping[str, Sequence[str]],
    vectors: NDArray[np.float32] | None,
    owners: Sequence[str],
    *,
    exact: bool,
) -> Any:
    """Ask what `generation` has for a query; return the cursor, for `read_candidates`.

    `terms` are the query's `lexical_terms`, `vectors` those of its `dense_texts`, `(2, dim)`;
    `owners` are the ids whose signatures are in the paste.
    """
    every = sorted({term for part in terms.values() for term in part})
    sets = {part: set(terms[part]) for part in PARTS}
    dense = [
        vector_text(vectors[row]) if vectors is not None and vectors[row].any() else None
        for row in (0, 1)
    ]
    return connection.execute(
        candidates_statement(len(generation.probe.vector), exact=exact, has_vectors=any(dense)),
        {
            "corpus": generation.corpus,
            "generation": generation.generation,
            "encoder": generation.encoder,
            "n": generation.n_ids,
            "terms": every,
            **{f"in_{part}": [term in sets[part] for term in every] for part in PARTS},
            "vector_words": dense[0],
            "vector_error": dense[1],
            "owners": list(owners),
            "top": TOP_SECTIONS,
            "chunks": TOP_CHUNKS,
            "near": _NEAR,
            "postings": _MAX_POSTINGS,
            # Of a term that alone has more, those that it weighs most in are enough.
            "blocks": -(-_MAX_POSTINGS // POSTINGS),
            "scored": _SCORED,
            "linked": MAX_LINKED,
            "least": _AT_LEAST,
        },
    )


def read_candidates(generation: Generation, cursor: Any) -> Candidates:
    """Return what was found; OutdatedError where the generation was dropped meanwhile."""
    found: list[Candidate] = []
    near: dict[str, dict[int, float]] = {"words": {}, "error": {}}
    cosines: dict[str, list[float]] = {"words": [], "error": []}
    frequencies: dict[str, int] = {}
    held: dict[int, frozenset[str]] = {}
    is_there = False
    for kind, number, name, headings, texts, *scores in cursor.fetchall():
        if kind == "section":
            words, error, context = scores
            found.append(
                Candidate(
                    number, name, tuple(json.loads(headings)), tuple(texts), (words, error, context)
                )
            )
        elif kind in near:
            near[kind][number] = max(scores[0], near[kind].get(number, -1.0))
            cosines[kind].append(scores[0])
        elif kind == "term":
            frequencies[name] = number
        elif kind == "held":
            held[number] = frozenset(texts)
        else:
            is_there = True
    if not is_there:
        raise OutdatedError(OUTDATED)
    found.sort(key=lambda candidate: candidate.position)
    return Candidates(
        generation,
        frequencies,
        tuple(found),
        (near["words"], near["error"]),
        (sorted(cosines["words"], reverse=True), sorted(cosines["error"], reverse=True)),
        held,
    )
