"""The current generations of some corpora: held by leases, followed, and copied into memory.

A reader holds a generation by a shared advisory lock on a connection of its own, so that the lock
ends with the process. A thread looks for newer generations and for the database's return.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kb.errors import IndexDatabaseError, OutdatedError
from kb.postgres.compared import light_sections
from kb.postgres.connections import Database, DatabaseAwayError, connect, database_errors
from kb.postgres.corpora import Generation, current_generations
from kb.postgres.schema import LEASE
from kb.postgres.standby import Standby, read_standby
from kb.retrieval.index import signature_matcher
from kb.retrieval.signatures import SignatureMatcher
from kb.types import Section

__all__ = ["Following", "Held"]

_log = logging.getLogger("kb.postgres")

# So many are listed in the overview and resolved by the links between files.
MAX_LISTED = 20_000
AWAY = "the database is away; what is in memory answers"
# How long a generation is held after a newer one: a question may still be answered from it.
_GRACE_S = 15.0
_TRIES = 5


@dataclass(frozen=True)
class Held:
    """The generations that queries are answered from, one a corpus."""

    generations: tuple[Generation, ...]
    matchers: Mapping[int, tuple[SignatureMatcher, SignatureMatcher]]  # by generation
    sections: tuple[Section, ...]  # without Markdown, for an overview
    standby: Standby | None = None  # in memory; until it is read anew, the one before

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the generations' numbers."""
        return tuple(one.generation for one in self.generations)

    @property
    def n_sections(self) -> int:
        """Return how many sections there are, languages counted apart."""
        return sum(one.n_sections for one in self.generations)


class Following:
    """Holds the current generations; safe from several threads."""

    def __init__(
        self,
        url: str,
        corpora: Sequence[str] | None,
        database: Database,
        *,
        standby_sections: int,
        look_every_s: float,
    ) -> None:
        """Take the current generations of `corpora`, by default of all that can be read now."""
        self._url = url
        self._database = database
        self._standby_sections = standby_sections
        self._look_every_s = look_every_s
        self._changing = threading.Lock()
        self._watching: Any = None  # the connection that holds the leases
        self._leases: dict[int, float] = {}  # generations, and when each was last current
        self._stopped = threading.Event()
        self.problem: str | None = None  # why it answers from memory or an older generation
        if corpora is None:
            with connect(url) as connection:
                corpora = [one.name for one in current_generations(connection, None)]
        # Ids must not change while the process runs: with several corpora they name theirs.
        self._corpora = tuple(dict.fromkeys(corpora))
        self._is_qualified = len(self._corpora) > 1
        self.held = self._take_current(None)
        threading.Thread(target=self._watch, name="kb-postgres", daemon=True).start()

    def name(self, corpus: str, identifier: str) -> str:
        """Return the id of a section as answers name it."""
        return f"{corpus}:{identifier}" if self._is_qualified else identifier

    def mark_away(self) -> None:
        """Answer from memory until the database is back."""
        if not self._database.is_away:
            _log.warning("%s", AWAY)
        self.problem = AWAY
        self._database.is_away = True

    def close(self) -> None:
        """Let the generations go."""
        self._stopped.set()
        with self._changing:
            if self._watching is not None:
                self._watching.close()

    def _watch(self) -> None:
        """Look for new generations and for the database's return, until closed."""
        while not self._stopped.wait(self._look_every_s):
            try:
                self.follow(None)
                if self._database.is_away:
                    self._database.renew()
                    self._database.is_away = False
                    self.problem = None
                    _log.warning("the database is back")
                self._hold_standby()
            except DatabaseAwayError:
                self.mark_away()
            except OutdatedError:
                continue  # a newer one was published while it was read: look again
            except IndexDatabaseError as error:
                # An encoder was changed, a corpus withdrawn: the generation held goes on.
                if self.problem != str(error):
                    _log.warning("%s", error)
                self.problem = str(error)

    def follow(self, gone: Held | None) -> None:
        """Hold the current generations, unless they are held; `gone` is known to be outdated."""
        with self._changing:
            if gone is not None and self.held is not gone:
                return
            held = self.held
            changed = self._take_current(held)
            if changed is not held:
                self.held = changed

    def _take_current(self, held: Held | None) -> Held:
        """Return the current generations, leased; `held` itself where they are the same."""
        for attempt in range(_TRIES):
            connection = self._lease_connection()
            try:
                current = current_generations(connection, self._corpora)
                numbers = tuple(one.generation for one in current)
                if held is not None and held.generations[0].encoder != current[0].encoder:
                    raise IndexDatabaseError(
                        f"the corpora are now embedded by {current[0].probe.name}, which this"
                        " process has not loaded; restart it to follow. It answers from the"
                        " generation before"
                    )
                with database_errors():
                    self._lease(connection, numbers)
                    if current != current_generations(connection, self._corpora):
                        continue  # switched between the look and the lease
                    if held is not None and held.numbers == numbers:
                        return held
                    return Held(
                        current,
                        {one.generation: self._matchers(connection, one) for one in current},
                        tuple(_listed(connection, current, self.name)),
                        held.standby if held else None,
                    )
            except DatabaseAwayError:
                connection.close()
                if attempt == 1 or held is None:
                    raise
        raise IndexDatabaseError("generations change faster than they can be read")

    def _lease_connection(self) -> Any:
        """Return the connection that holds the leases; those of one that broke are lost."""
        if self._watching is None or self._watching.closed or self._watching.broken:
            self._watching = connect(self._url)
            self._leases.clear()
        return self._watching

    def _lease(self, connection: Any, wanted: Sequence[int]) -> None:
        """Hold generations against the cleaning up of publishers; let old ones go in a while."""
        now = time.monotonic()
        for number in set(wanted) - set(self._leases):
            connection.execute("SELECT pg_advisory_lock_shared(%s, %s)", (LEASE, number))
        self._leases.update(dict.fromkeys(wanted, now))
        for number in [n for n, wanted_at in self._leases.items() if now - wanted_at > _GRACE_S]:
            connection.execute("SELECT pg_advisory_unlock_shared(%s, %s)", (LEASE, number))
            del self._leases[number]

    def _matchers(
        self, connection: Any, one: Generation
    ) -> tuple[SignatureMatcher, SignatureMatcher]:
        lines: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
        for identifier, line, is_last in connection.execute(
            "SELECT id, line, is_last FROM kb_signature WHERE corpus = %s AND generation = %s"
            " ORDER BY number",
            (one.corpus, one.generation),
        ):
            lines[int(is_last)].append((self.name(one.name, identifier), line))
        return signature_matcher(lines[0]), signature_matcher(lines[1])

    def in_memory(self, held: Held) -> tuple[Generation, ...]:
        """Return the generations that are small enough to be held in memory, all together."""
        room, chosen = self._standby_sections, set()
        for one in sorted(held.generations, key=lambda one: one.n_sections):
            room -= one.n_sections
            if room >= 0:
                chosen.add(one.generation)
        return tuple(one for one in held.generations if one.generation in chosen)

    def _hold_standby(self) -> None:
        """Hold the generations in memory too, as far as they are small enough."""
        held = self.held
        chosen = self.in_memory(held)
        if not chosen or (
            held.standby is not None and held.standby.of == tuple(one.generation for one in chosen)
        ):
            return
        try:
            with connect(self._url) as connection:
                index = read_standby(connection, chosen, self.name)
        except (IndexDatabaseError, OutdatedError):
            return  # looked for again in a moment
        with self._changing:
            if self.held is held:
                self.held = replace(held, standby=Standby(index, chosen, self.name))


def _listed(connection: Any, generations: Sequence[Generation], name: Any) -> list[Section]:
    listed: list[Section] = []
    for one in generations:
        for identifier, headings in connection.execute(
            "SELECT id, headings FROM kb_section WHERE corpus = %s AND generation = %s"
            " ORDER BY position LIMIT %s",
            (one.corpus, one.generation, MAX_LISTED),
        ):
            listed.extend(
                light_sections(
                    name(one.name, identifier), json.loads(headings), one.name, None
                ).values()
            )
    return listed[:MAX_LISTED]
