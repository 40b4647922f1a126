"""A query in, what each retrieval leg finds of one generation out: one statement, one round trip.

The statement looks up the terms, weighs them by their idf, scores sections by sparse inner product
(which is BM25) and chunks by dense inner product, and returns the rows of all that any leg found,
of the owners of signatures, and of the sections that link to these. The approximate form takes
lexical candidates from an inverted index over the rarest terms, and dense ones from HNSW; what is
found is scored exactly all the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kb.errors import OutdatedError
from kb.postgres.corpora import Generation
from kb.postgres.embedding import vector_text
from kb.postgres.schema import MAX_DIMENSIONS

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
# In how many sections the terms may be, all together, that the inverted index is asked for.
_RARE_SECTIONS = 5_000
_PARTS = ("words", "error", "context")
# What an approximate search looks through for TOP_CHUNKS: some belong to older generations.
_NEAR = 300


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


_STATEMENT = """
WITH asked AS MATERIALIZED (
    SELECT w.term, w.words, w.error, w.context, t.number, f.n_sections,
           ln(1 + (%(n)s - f.n_sections + 0.5) / (f.n_sections + 0.5)) AS idf
    FROM unnest(%(terms)s::text[], %(in_words)s::bool[], %(in_error)s::bool[],
                %(in_context)s::bool[]) AS w(term, words, error, context)
    JOIN kb_term t ON t.corpus = %(corpus)s AND t.term = w.term
    JOIN kb_frequency f ON f.corpus = %(corpus)s AND f.generation = %(generation)s
                       AND f.number = t.number
), weighed AS MATERIALIZED (
    SELECT {weighed}
    FROM asked
), scored AS MATERIALIZED (
    SELECT s.position, -(s.bm25 <#> w.words) AS words, -(s.bm25 <#> w.error) AS error,
           -(s.bm25 <#> w.context) AS context
    FROM weighed w, kb_section s
    WHERE s.corpus = %(corpus)s AND s.generation = %(generation)s {rare}
), {near}, best AS (
    (SELECT position FROM scored WHERE words > 0 ORDER BY words DESC, position LIMIT 1)
    UNION (SELECT position FROM scored WHERE error > 0 ORDER BY error DESC, position LIMIT 1)
), candidate AS MATERIALIZED (
    SELECT position FROM near_words UNION SELECT position FROM near_error
    UNION (SELECT position FROM scored WHERE words > 0
           ORDER BY words DESC, position LIMIT %(top)s)
    UNION (SELECT position FROM scored WHERE error > 0
           ORDER BY error DESC, position LIMIT %(top)s)
    UNION (SELECT position FROM scored WHERE context > 0
           ORDER BY context DESC, position LIMIT %(top)s)
    UNION SELECT position FROM kb_section WHERE corpus = %(corpus)s
          AND generation = %(generation)s AND id = ANY(%(owners)s::text[])
    UNION (SELECT s.position FROM kb_section s JOIN scored USING (position)
           WHERE s.corpus = %(corpus)s AND s.generation = %(generation)s
           AND s.links && %(owners)s::text[]
           ORDER BY greatest(scored.words, scored.context) DESC, position LIMIT %(linked)s)
    UNION SELECT position FROM kb_section WHERE corpus = %(corpus)s
          AND generation = %(generation)s AND position < %(least)s
)
SELECT 'section', s.position, s.id, s.headings, s.links, -(s.bm25 <#> w.words),
       -(s.bm25 <#> w.error), -(s.bm25 <#> w.context)
FROM candidate, kb_section s, weighed w
WHERE s.corpus = %(corpus)s AND s.generation = %(generation)s AND s.position = candidate.position
UNION ALL
SELECT 'words', position, NULL, NULL, NULL, score, NULL, NULL FROM near_words
UNION ALL
SELECT 'error', position, NULL, NULL, NULL, score, NULL, NULL FROM near_error
UNION ALL
SELECT 'term', n_sections, term, NULL, NULL, NULL, NULL, NULL FROM asked
UNION ALL
SELECT 'held', s.position, NULL, NULL,
       ARRAY(SELECT term FROM asked WHERE number = ANY(s.terms)), NULL, NULL, NULL
FROM best, kb_section s
WHERE s.corpus = %(corpus)s AND s.generation = %(generation)s AND s.position = best.position
UNION ALL
SELECT 'generation', generation, NULL, NULL, NULL, NULL, NULL, NULL
FROM kb_generation WHERE generation = %(generation)s AND corpus = %(corpus)s
"""
_WEIGHED = (
    "coalesce('{{' || string_agg(number || ':' || idf::float4, ',' ORDER BY number)"
    " FILTER (WHERE {part}) || '}}', '{{}}') || '/{dimensions}'"
)
_RARE = """AND s.terms && ARRAY(
        SELECT number FROM (
            SELECT number, n_sections, {totals} FROM asked) AS summed
        WHERE {rare})"""
_NO_NEAR = """near_words AS MATERIALIZED (
    SELECT NULL::integer AS position, NULL::float8 AS score WHERE false
), near_error AS MATERIALIZED (
    SELECT NULL::integer AS position, NULL::float8 AS score WHERE false
)"""
_EXACT_NEAR = """compared AS MATERIALIZED (
    SELECT c.position, -(v.vector <#> %(vector_words)s::vector) AS words,
           -(v.vector <#> %(vector_error)s::vector) AS error
    FROM kb_chunk c JOIN kb_vector v ON v.corpus = %(corpus)s AND v.encoder = %(encoder)s
                                    AND v.digest = c.digest
    WHERE c.corpus = %(corpus)s AND c.generation = %(generation)s
), near_words AS MATERIALIZED (
    SELECT position, words AS score FROM compared WHERE words IS NOT NULL
    ORDER BY words DESC LIMIT %(chunks)s
), near_error AS MATERIALIZED (
    SELECT position, error AS score FROM compared WHERE error IS NOT NULL
    ORDER BY error DESC LIMIT %(chunks)s
)"""
_HNSW_NEAR = """near_{part} AS MATERIALIZED (
    SELECT c.position, v.score
    FROM (SELECT digest, -(vector <#> %(vector_{part})s::vector) AS score
          FROM (SELECT digest, vector FROM kb_vector
                WHERE %(vector_{part})s::vector IS NOT NULL AND corpus = %(corpus)s
                AND encoder = %(encoder)s AND dimensions = {dimensions}
                ORDER BY (vector::halfvec({dimensions}))
                         <#> %(vector_{part})s::vector::halfvec({dimensions})
                LIMIT %(near)s) AS nearest) AS v
    JOIN kb_chunk c ON c.corpus = %(corpus)s AND c.generation = %(generation)s
                   AND c.digest = v.digest
    ORDER BY v.score DESC LIMIT %(chunks)s
)"""


def _statement(dimensions: int, *, exact: bool, has_vectors: bool) -> str:
    weighed = ",\n           ".join(
        f"({_WEIGHED.format(part=part, dimensions=MAX_DIMENSIONS)})::sparsevec AS {part}"
        for part in _PARTS
    )
    if exact:
        near = _EXACT_NEAR if has_vectors else _NO_NEAR
        return _STATEMENT.format(weighed=weighed, rare="", near=near)
    totals = ", ".join(
        f"{part}, sum(n_sections) FILTER (WHERE {part}) OVER (PARTITION BY {part}"
        f" ORDER BY n_sections, number) AS of_{part},"
        f" row_number() OVER (PARTITION BY {part} ORDER BY n_sections, number) AS nth_{part}"
        for part in _PARTS
    )
    rare = " OR ".join(f"({part} AND (of_{part} <= %(rare)s OR nth_{part} = 1))" for part in _PARTS)
    near = _NO_NEAR
    if has_vectors:
        near = ", ".join(
            _HNSW_NEAR.format(part=part, dimensions=dimensions) for part in ("words", "error")
        )
    return _STATEMENT.format(
        weighed=weighed, rare=_RARE.format(totals=totals, rare=rare), near=near
    )


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
    sets = {part: set(terms[part]) for part in _PARTS}
    dense = [
        vector_text(vectors[row]) if vectors is not None and vectors[row].any() else None
        for row in (0, 1)
    ]
    return connection.execute(
        _statement(len(generation.probe.vector), exact=exact, has_vectors=any(dense)),
        {
            "corpus": generation.corpus,
            "generation": generation.generation,
            "encoder": generation.encoder,
            "n": generation.n_ids,
            "terms": every,
            **{f"in_{part}": [term in sets[part] for term in every] for part in _PARTS},
            "vector_words": dense[0],
            "vector_error": dense[1],
            "owners": list(owners),
            "top": TOP_SECTIONS,
            "chunks": TOP_CHUNKS,
            "near": _NEAR,
            "rare": _RARE_SECTIONS,
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
