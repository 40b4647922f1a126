"""The ids that are to be shown in, their sections with all their text out: one round trip."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from kb.errors import OutdatedError
from kb.postgres.candidates import OUTDATED
from kb.postgres.corpora import Generation
from kb.postgres.standby import read_section
from kb.types import Section

__all__ = ["fetch_shown"]

_FETCH = """
WITH wanted AS MATERIALIZED (
    SELECT position, id, terms FROM kb_section
    WHERE corpus = %(corpus)s AND generation = %(generation)s AND id = ANY(%(ids)s::text[])
)
SELECT 'section', w.position, w.id, t.sections
FROM wanted w JOIN kb_text t ON t.corpus = %(corpus)s AND t.generation = %(generation)s
                            AND t.position = w.position
UNION ALL
SELECT 'term', f.n_sections, t.term, NULL
FROM wanted w, unnest(w.terms) AS n(number)
JOIN kb_term t ON t.corpus = %(corpus)s AND t.number = n.number
JOIN kb_frequency f ON f.corpus = %(corpus)s AND f.generation = %(generation)s
                   AND f.number = n.number
WHERE w.id = %(first)s
UNION ALL
SELECT 'generation', generation, NULL, NULL FROM kb_generation
WHERE generation = %(generation)s AND corpus = %(corpus)s
"""


def fetch_shown(
    generations: Sequence[Generation],
    wanted: Sequence[str],
    name: Callable[[str, str], str],
    connection: Any,
) -> tuple[dict[str, tuple[Section, ...]], dict[str, int]]:
    """Return sections by id, and the terms of the first with the number of sections they are in.

    `name` makes of a corpus and an id in it what `wanted` calls it. OutdatedError where a
    generation was dropped meanwhile.
    """
    found: dict[str, tuple[Section, ...]] = {}
    frequencies: dict[str, int] = {}
    for one in generations:
        prefix = name(one.name, "")
        ids = [known.removeprefix(prefix) for known in wanted if known.startswith(prefix)]
        if not ids:
            continue
        is_there = False
        for kind, number, identifier, text in connection.execute(
            _FETCH,
            {
                "corpus": one.corpus,
                "generation": one.generation,
                "ids": ids,
                "first": ids[0] if wanted[0].startswith(prefix) else None,
            },
        ):
            if kind == "section":
                rows = [read_section(row) for row in json.loads(text)]
                known = prefix + identifier
                found[known] = tuple(_renamed(row, known, prefix) for row in rows)
            elif kind == "term":
                frequencies[identifier] = number
            else:
                is_there = True
        if not is_there:
            raise OutdatedError(OUTDATED)
    return found, frequencies


def _renamed(section: Section, name: str, prefix: str) -> Section:
    parent = None if section.parent is None else prefix + section.parent
    return replace(section, id=name, parent=parent)
