"""The index that a `KnowledgeBase` holds where it lies in PostgreSQL: candidates come from there.

It follows the generations that are published, holds each by a lock while it answers from it, and
goes on from memory while the database is away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from kb.errors import IndexDatabaseError, InputError, OutdatedError
from kb.postgres.candidates import OUTDATED, Candidates, ask_candidates, read_candidates
from kb.postgres.compared import CandidateIndex, Found, KnownHits
from kb.postgres.connections import Database, DatabaseAwayError
from kb.postgres.corpora import Generation
from kb.postgres.following import Following, Held
from kb.postgres.publish import HNSW_FROM_CHUNKS
from kb.postgres.shown import fetch_shown
from kb.query.log_lines import without_colours
from kb.query.paste import Query
from kb.retrieval.evidence import lexical_terms
from kb.retrieval.index import Index
from kb.retrieval.searchable import Compared, EncoderProbe, IndexStatus
from kb.retrieval.signatures import Hit
from kb.types import Language, Section

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

__all__ = ["PostgresIndex"]

DEFAULT_POOL = 8
# How often it is looked for a new generation, and whether the database is back.
LOOK_EVERY_S = 2.0
# Up to so many sections a copy is held in memory: about 20 kB each with their vectors.
STANDBY_SECTIONS = 20_000
_TRIES = 5  # of a query whose generation is dropped under it


class PostgresIndex:
    """Corpora in a database as `kb.retrieval.index.Searchable`; safe from several threads."""

    def __init__(
        self,
        url: str,
        corpora: Sequence[str] | None = None,
        *,
        exact: bool | None = None,
        pool_size: int = DEFAULT_POOL,
        standby_sections: int = STANDBY_SECTIONS,
        look_every_s: float = LOOK_EVERY_S,
    ) -> None:
        """Connect and hold the current generations of `corpora`, by default of all to be read.

        Where these are several, ids are `corpus:id`. `exact` compares with
        every section; by default corpora of HNSW_FROM_CHUNKS chunks are searched approximately.
        Raises IndexDatabaseError.
        """
        self._exact = exact
        self._database = Database(url, size=pool_size)
        try:
            self._following = Following(
                url,
                corpora,
                self._database,
                standby_sections=standby_sections,
                look_every_s=look_every_s,
            )
        except IndexDatabaseError:
            self._database.close()
            raise
        self._name = self._following.name

    # --- what a KnowledgeBase asks for ---

    @property
    def encoder(self) -> EncoderProbe:
        """Return what the generations remember of their encoder."""
        return self._following.held.generations[0].probe

    @property
    def listed(self) -> tuple[Section, ...]:
        """Return up to MAX_LISTED sections, without their Markdown."""
        return self._following.held.sections

    @property
    def n_sections(self) -> int:
        """Return how many sections there are, languages counted apart."""
        return self._following.held.n_sections

    @property
    def has_standby(self) -> bool:
        """Whether the generations that answer are all held in memory too."""
        held = self._following.held
        return held.standby is not None and held.standby.of == held.numbers

    @property
    def in_memory(self) -> tuple[str, ...]:
        """Return the corpora that are answered while the database is away, sorted."""
        standby = self._following.held.standby
        return tuple(sorted(standby.corpora)) if standby is not None else ()

    @property
    def status(self) -> IndexStatus:
        """Return whether it answers, from what, and which generations it holds."""
        held = self._following.held
        return IndexStatus(
            can_answer=not self._database.is_away or held.standby is not None,
            problem=self._following.problem,
            generations={one.name: one.generation for one in held.generations},
        )

    def compared(
        self, query: Query, vectors: Vector | None, corpora: Sequence[str] | None = None
    ) -> Compared:
        """Return what `query` is compared with: the candidates of the corpora, or what is held.

        `corpora` are some of those that were opened. Raises DatabaseAwayError where the database
        is away and one of the corpora is too large to be held in memory.
        """
        terms = lexical_terms(query)
        for _ in range(_TRIES):
            held = self._following.held
            generations = self._chosen(held, corpora)
            hits, owners = self._hits(held, generations, query)
            ask = partial(self._ask, generations, terms, vectors, owners)
            try:
                parts = self._database.ask(ask)
            except OutdatedError:
                self._following.follow(held)
                continue
            except DatabaseAwayError:
                return self._from_memory(corpora)
            fetch = partial(self._fetch_again, held, generations)
            return CandidateIndex(Found(parts, self._name), terms, vectors, *hits, fetch)
        raise IndexDatabaseError(
            "generations are dropped faster than they can be read; publish less often"
        )

    def section(self, identifier: str) -> Mapping[Language, Section] | None:
        """Return the section of an id by language, None where there is none."""
        if "\0" in identifier:
            return None
        for _ in range(_TRIES):
            held = self._following.held
            try:
                found, _ = self._database.ask(
                    partial(fetch_shown, held.generations, [identifier], self._name)
                )
            except OutdatedError:
                self._following.follow(held)
                continue
            except DatabaseAwayError:
                return self._from_memory(self._corpus_of(identifier)).section(identifier)
            members = found.get(identifier)
            return {one.language: one for one in members} if members else None
        return None

    def close(self) -> None:
        """Let the generations go and close all connections."""
        self._following.close()
        self._database.close()

    # --- asking ---

    def _hits(
        self, held: Held, generations: Sequence[Generation], query: Query
    ) -> tuple[tuple[KnownHits, KnownHits], dict[int, set[str]]]:
        """Return the hits of the query's signatures, and whose these are by generation."""
        last = query.paste.last_step
        texts: tuple[tuple[str, ...], tuple[str, ...]] = (
            (without_colours(query.paste.text),),
            () if last is None else (last.text,),
        )
        hits: tuple[dict[str, list[Hit]], dict[str, list[Hit]]] = ({}, {})
        owners: dict[int, set[str]] = {one.generation: set() for one in generations}
        in_words: list[Hit] = []
        for one in generations:
            matched = held.matchers[one.generation][0].match_words(query.words)
            prefix = self._name(one.name, "")
            owners[one.generation].update(
                hit.signature.owner.removeprefix(prefix) for hit in matched
            )
            in_words.extend(matched)
        for number, of_number in enumerate(texts):
            for text in of_number:
                found: list[Hit] = []
                for one in generations:
                    matched = held.matchers[one.generation][number].match(text)
                    prefix = self._name(one.name, "")
                    owners[one.generation].update(
                        hit.signature.owner.removeprefix(prefix) for hit in matched
                    )
                    found.extend(matched)
                hits[number][text] = sorted(found, key=lambda hit: (hit.line, -hit.matched))
        return (KnownHits(hits[0], in_words), KnownHits(hits[1])), owners

    def _ask(
        self,
        generations: Sequence[Generation],
        terms: Mapping[str, Sequence[str]],
        vectors: Vector | None,
        owners: Mapping[int, set[str]],
        connection: Any,
    ) -> list[Candidates]:
        # One round trip for one corpus; for several the statements go out together.
        with connection.pipeline() if len(generations) > 1 else nullcontext():
            asked = [
                ask_candidates(
                    connection,
                    one,
                    terms,
                    vectors,
                    sorted(owners[one.generation]),
                    exact=self._is_exact(one),
                )
                for one in generations
            ]
            return [
                read_candidates(one, cursor) for one, cursor in zip(generations, asked, strict=True)
            ]

    def _fetch_again(
        self, held: Held, generations: Sequence[Generation], wanted: Sequence[str]
    ) -> tuple[dict[str, tuple[Section, ...]], dict[str, int]]:
        """Return what `fetch_shown` does; OutdatedError where the query has to be asked anew."""
        try:
            return self._database.ask(partial(fetch_shown, generations, wanted, self._name))
        except OutdatedError:
            self._following.follow(held)
            raise
        except DatabaseAwayError as error:
            self._following.mark_away()
            raise OutdatedError(OUTDATED) from error

    def _is_exact(self, generation: Generation) -> bool:
        return generation.n_chunks < HNSW_FROM_CHUNKS if self._exact is None else self._exact

    def _chosen(self, held: Held, corpora: Sequence[str] | None) -> tuple[Generation, ...]:
        if corpora is None:
            return held.generations
        by_name = {one.name: one for one in held.generations}
        missing = [name for name in corpora if name not in by_name]
        if missing or not corpora:
            what = f"there is no corpus {missing[0][:200]!r}" if missing else "no corpus is named"
            raise InputError(f"{what}; expected some of: {', '.join(by_name)}")
        return tuple(by_name[name] for name in dict.fromkeys(corpora))

    def _corpus_of(self, identifier: str) -> list[str]:
        """Return the corpus that an id can be of; all where none has such ids."""
        names = [one.name for one in self._following.held.generations]
        return [name for name in names if identifier.startswith(self._name(name, ""))] or names

    def _from_memory(self, corpora: Sequence[str] | None) -> Index:
        """Return the index in memory of some corpora, by default of all."""
        held = self._following.held
        self._following.mark_away()
        wanted = [one.name for one in held.generations] if corpora is None else corpora
        part = held.standby.part(wanted) if held.standby is not None else None
        if part is None:
            here = held.standby.corpora if held.standby is not None else ()
            others = f"; in memory are: {', '.join(sorted(here))}" if here else ""
            raise DatabaseAwayError(
                "the database is away, and not all of these corpora are held in memory; it is"
                f" tried again every moment{others}"
            )
        return part
