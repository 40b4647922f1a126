"""The page that a reader asks from and a ranking in, the ranking with the page's section first.

A page of a portal stands at a section of the documents. Where that section is nearly as good as
the best one, the page decides; it never outranks a section that the log's own lines name, and it
never makes an answer of a refusal: how likely an answer is at all was said without it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from urllib.parse import unquote, urlsplit

from kb.errors import InputError
from kb.retrieval.evidence import FEATURES, Evidence
from kb.retrieval.fusion import Ranking
from kb.retrieval.signature_evidence import STRONG

__all__ = ["MAX_PAGE_CHARS", "prefer_page", "section_of_page"]

MAX_PAGE_CHARS = 2_000  # browsers and servers agree on addresses of about that length
# Near is what is among the first five and has this share of the best score.
_NEAR_RANK = 5
_NEAR_SHARE = 0.75
# Below this a ranking is refused, see `Ranking.in_scope`: its order says what is listed as near.
_ANSWERED = 0.5
_NAMED_BY_LOG = ("signature", "signature_last", "signature_words")
_PAGE_SUFFIXES = (".html", ".htm", ".md")


def section_of_page(page: str, ids: Collection[str]) -> str | None:
    """Return the one of `ids` that an address, or an id, means; None where it means none.

    Only the fragment and the last part of the path are looked at. Raises InputError for what is
    no text.
    """
    if not isinstance(page, str):
        raise InputError(f"the page is a {type(page).__name__}; expected its address or id (str)")
    if len(page) > MAX_PAGE_CHARS:
        return None
    try:
        parts = urlsplit(page.strip())
    except ValueError:  # such as `http://[`
        return None
    last = unquote(parts.path.rstrip("/").rpartition("/")[2])
    for suffix in _PAGE_SUFFIXES:
        last = last.removesuffix(suffix)
    fragment = unquote(parts.fragment)
    for wanted in (page.strip(), fragment, last):
        if wanted and wanted in ids:
            return wanted
    if not fragment:
        return None
    # A heading without an id of its own has one made of its file and its words: `memory.md#words`.
    made = [identifier for identifier in ids if identifier.endswith("#" + fragment)]
    return made[0] if len(made) == 1 else None


def prefer_page(ranking: Ranking, evidence: Evidence, identifier: str | None) -> Ranking:
    """Return `ranking` with the page's section `identifier` first, where it is near.

    The confidence stays: it is that of the paste and the question, which say nothing of the page.
    """
    if identifier is None or identifier not in ranking.ids[1:_NEAR_RANK]:
        return ranking
    position = ranking.ids.index(identifier)
    if ranking.in_scope >= _ANSWERED and not _may_yield(ranking, evidence, position):
        return ranking
    others = [number for number in range(len(ranking.ids)) if number != position]
    ids = (identifier, *(ranking.ids[number] for number in others))
    scores = (ranking.scores[0], *(ranking.scores[number] for number in others))
    return replace(ranking, ids=ids, scores=scores)


def _may_yield(ranking: Ranking, evidence: Evidence, position: int) -> bool:
    """Whether the log does not name the best section, and that at `position` is near it."""
    first = evidence.features[evidence.ids.index(ranking.ids[0])]
    named = max(float(first[FEATURES.index(name)]) for name in _NAMED_BY_LOG)
    is_near = ranking.scores[position] >= _NEAR_SHARE * ranking.scores[0]
    return named < STRONG and is_near
