"""The statement that finds the candidates of a query in one generation.

It looks up the terms, weighs them by their idf, scores sections by sparse inner product (which is
BM25) and chunks by dense inner product, and returns the rows of all that any leg found, of the
owners of signatures, and of the sections that link to these. The approximate form takes lexical
candidates from the postings of the rarest terms, and dense ones from HNSW; what is found is scored
exactly all the same.
"""

from __future__ import annotations

from kb.postgres.schema import MAX_DIMENSIONS

__all__ = ["PARTS", "candidates_statement"]

PARTS = ("words", "error", "context")

# OFFSET 0 keeps what is inside apart, so that it is looked up by its key for each row outside: the
# planner cannot know how few these are.
_STATEMENT = """
WITH asked AS MATERIALIZED (
    SELECT w.term, w.words, w.error, w.context, t.number, f.n_sections,
           ln(1 + (%(n)s - f.n_sections + 0.5) / (f.n_sections + 0.5)) AS idf
    FROM unnest(%(terms)s::text[], %(in_words)s::bool[], %(in_error)s::bool[],
                %(in_context)s::bool[]) AS w(term, words, error, context)
    CROSS JOIN LATERAL (SELECT number FROM kb_term
        WHERE corpus = %(corpus)s AND term = w.term OFFSET 0) AS t
    CROSS JOIN LATERAL (SELECT n_sections FROM kb_frequency
        WHERE corpus = %(corpus)s AND generation = %(generation)s AND number = t.number
        OFFSET 0) AS f
), weighed AS MATERIALIZED (
    SELECT {weighed}
    FROM asked
), {scored}, {near}, best AS (
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
    UNION (SELECT s.position FROM kb_section s, weighed w
           WHERE s.corpus = %(corpus)s AND s.generation = %(generation)s
           AND s.links && %(owners)s::text[]
           ORDER BY least(s.bm25 <#> w.words, s.bm25 <#> w.context), position
           LIMIT %(linked)s)
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
_EXACT_SCORED = """scored AS MATERIALIZED (
    SELECT s.position, -(s.bm25 <#> w.words) AS words, -(s.bm25 <#> w.error) AS error,
           -(s.bm25 <#> w.context) AS context
    FROM weighed w, kb_section s
    WHERE s.corpus = %(corpus)s AND s.generation = %(generation)s
)"""
_POSTED = """taken AS MATERIALIZED (
    SELECT number, idf, {taken}
    FROM (SELECT number, idf, n_sections, {totals} FROM asked) AS summed
), posted AS MATERIALIZED (
    SELECT position, {partial}
    FROM (
        SELECT unnest(block.positions) AS position, unnest(block.weights) * taken.idf AS weight,
               taken.words, taken.error, taken.context
        FROM taken
        CROSS JOIN LATERAL (
            SELECT b.positions, b.weights FROM kb_posting b
            WHERE b.corpus = %(corpus)s AND b.generation = %(generation)s
            AND b.number = taken.number AND b.block < %(blocks)s OFFSET 0) AS block
        WHERE {any_taken}) AS one
    GROUP BY position
), scored AS MATERIALIZED (
    SELECT picked.position, of_it.words, of_it.error, of_it.context
    FROM ({picked}) AS picked
    CROSS JOIN weighed w
    CROSS JOIN LATERAL (
        SELECT -(s.bm25 <#> w.words) AS words, -(s.bm25 <#> w.error) AS error,
               -(s.bm25 <#> w.context) AS context
        FROM kb_section s WHERE s.corpus = %(corpus)s AND s.generation = %(generation)s
        AND s.position = picked.position OFFSET 0) AS of_it
)"""
_WEIGHED = (
    "coalesce('{{' || string_agg(number || ':' || idf::float4, ',' ORDER BY number)"
    " FILTER (WHERE {part}) || '}}', '{{}}') || '/{dimensions}'"
)
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


def candidates_statement(dimensions: int, *, exact: bool, has_vectors: bool) -> str:
    """Return the statement, for vectors of `dimensions`."""
    weighed = ",\n           ".join(
        f"({_WEIGHED.format(part=part, dimensions=MAX_DIMENSIONS)})::sparsevec AS {part}"
        for part in PARTS
    )
    near = _NO_NEAR
    if has_vectors and exact:
        near = _EXACT_NEAR
    elif has_vectors:
        near = ", ".join(
            _HNSW_NEAR.format(part=part, dimensions=dimensions) for part in ("words", "error")
        )
    scored = _EXACT_SCORED if exact else _posted()
    return _STATEMENT.format(weighed=weighed, scored=scored, near=near)


def _posted() -> str:
    return _POSTED.format(
        totals=", ".join(
            f"{part}, sum(n_sections) FILTER (WHERE {part}) OVER (PARTITION BY {part}"
            f" ORDER BY n_sections, number) AS of_{part},"
            f" row_number() OVER (PARTITION BY {part} ORDER BY n_sections, number) AS nth_{part}"
            for part in PARTS
        ),
        taken=", ".join(
            f"{part} AND (of_{part} <= %(postings)s OR nth_{part} = 1) AS {part}" for part in PARTS
        ),
        partial=", ".join(f"sum(weight) FILTER (WHERE {part}) AS {part}" for part in PARTS),
        any_taken=" OR ".join(f"taken.{part}" for part in PARTS),
        picked=" UNION ".join(
            f"(SELECT position FROM posted WHERE {part} IS NOT NULL"  # noqa: S608 - our names
            f" ORDER BY {part} DESC, position LIMIT %(scored)s)"
            for part in PARTS
        ),
    )
