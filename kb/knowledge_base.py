"""`KnowledgeBase`: build, load, search, ask. It wires the parts together and holds no algorithm."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kb.answer.compose import compose_answer, found_sections
from kb.answer.decisive import is_decided
from kb.answer.follow_up import join_follow_up
from kb.answer.for_version import catalog_marks, find_messages, version_facts
from kb.answer.small_talk import acknowledge
from kb.catalog import Catalog, MessageMatcher
from kb.corpus.documents import content_digest, read_corpus
from kb.errors import InputError, OutdatedError
from kb.postgres.connections import is_database
from kb.query.checked import read_checked
from kb.query.paste import Query
from kb.retrieval.about import judged
from kb.retrieval.confidence import CatalogMarks
from kb.retrieval.encoders import (
    DEFAULT_ENCODER,
    Encoder,
    load_encoder,
)
from kb.retrieval.evidence import Evidence, collect_evidence, with_dense
from kb.retrieval.fusion import LEGS, Ranking, rank
from kb.retrieval.index import PROBE_TEXT, build_index, probe
from kb.retrieval.index_encoder import IndexEncoder, is_encoder_of
from kb.retrieval.index_folder import known_vectors, load_index
from kb.retrieval.index_writer import prepare_folder, save_index
from kb.retrieval.page_context import prefer_page, section_of_page
from kb.retrieval.searchable import Compared, Searchable
from kb.retrieval.vector_journal import open_journal
from kb.settings import Settings
from kb.types import Answer, AnswerSection, Language, Section

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["KnowledgeBase"]

DEFAULT_CORPUS = "default"
# How often a query is asked anew whose documents are published anew while it is answered.
_TRIES = 5


class KnowledgeBase:
    """Documents, indexed, that answer pasted logs and questions; safe from several threads."""

    def __init__(
        self,
        index: Searchable,
        encoder: Encoder | None = None,
        settings: Settings | None = None,
        *,
        legs: frozenset[str] = frozenset(LEGS),
    ) -> None:
        """Take a finished index; without `encoder`, the index's own is loaded when first needed.

        `legs` are the retrieval legs that count, all of them but for an ablation.
        """
        self.index = index
        self.settings = settings or Settings()
        self._encoder = IndexEncoder(index, encoder)  # an ask that needs none waits for no load
        self._legs = legs
        self._matcher: MessageMatcher | None = None
        self._lock = threading.Lock()

    @classmethod
    def load(
        cls,
        index: Path | str | None = None,
        *,
        encoder: Encoder | None = None,
        settings: Settings | None = None,
        corpora: Sequence[str] | None = None,
        exact: bool | None = None,
    ) -> KnowledgeBase:
        """Load an index folder, by default that of the shipped documents, or open a database.

        `index` may be a `postgresql://` URL: then `corpora` are those that are asked, by default
        those of the settings, else all that the role may read, and `exact` compares with every
        section whatever their number. Raises IndexFolderError: missing, stale, foreign, truncated
        or corrupted, with its remedy; IndexDatabaseError.
        """
        settings = settings or Settings()
        if is_database(index):
            from kb.postgres.index import PostgresIndex

            opened = PostgresIndex(str(index), corpora or settings.corpora or None, exact=exact)
            return cls(opened, encoder, settings)
        if corpora is not None or exact is not None:
            raise InputError("corpora and exact are for an index in a database; leave them out")
        if index is not None:
            return cls(load_index(Path(index)), encoder, settings)
        shipped = Path(settings.index)
        return cls(load_index(shipped, content_digest(settings.content)), encoder, settings)

    @classmethod
    def build(
        cls,
        content: Path | str | None = None,
        index: Path | str | None = None,
        *,
        encoder: Encoder | str = DEFAULT_ENCODER,
        progress: Callable[[int, int], None] | None = None,
        settings: Settings | None = None,
        corpus: str | None = None,
        readers: Sequence[str] = (),
        processes: int = 1,
    ) -> KnowledgeBase:
        """Read a folder of Markdown, index it and, with `index`, save it there.

        Where `index` is a `postgresql://` URL the documents are published there under the name
        `corpus`, which the roles `readers` may read from then on. Sections that an index already
        there has embedded with the same encoder are not embedded again, nor those that an
        interrupted build had embedded. Many pages are read and cut by `processes` processes, see
        `kb.corpus.parallel.parallel_map`. Raises CorpusError for a bad file, EncoderError,
        IndexFolderError, IndexDatabaseError.
        """
        settings = settings or Settings()
        folder = Path(content) if content is not None else settings.content
        # Before the files are read: what is edited during the build leaves the index stale.
        digest = content_digest(folder)
        documents = read_corpus(folder, processes=processes)
        name = encoder if isinstance(encoder, str) else type(encoder).__name__
        ready = load_encoder(encoder) if isinstance(encoder, str) else encoder
        if is_database(index):
            from kb.postgres.index import PostgresIndex
            from kb.postgres.publish import publish

            place, published, sections = str(index), corpus or DEFAULT_CORPUS, documents.sections
            publish(
                place,
                published,
                sections,
                ready,
                name,
                digest,
                readers=readers,
                progress=progress,
                processes=processes,
            )
            return cls(PostgresIndex(place, (published,)), ready, settings)
        if corpus is not None or readers:
            raise InputError("corpus and readers are for an index in a database; leave them out")
        if index is None:
            made = build_index(documents, ready, name, progress=progress, processes=processes)
            return cls(made, ready, settings)
        target = Path(index)
        prepare_folder(target)
        known = _reusable_vectors(target, ready)
        with open_journal(target, probe(ready, name).vector) as journal:
            built = build_index(
                documents,
                ready,
                name,
                known=known,
                journal=journal,
                progress=progress,
                processes=processes,
            )
            save_index(built, target, digest)
        return cls(built, ready, settings)

    # --- questions ---

    def search(
        self,
        text: str,
        top_k: int = 5,
        language: Language | None = None,
        *,
        corpora: Sequence[str] | None = None,
    ) -> tuple[AnswerSection, ...]:
        """Return the `top_k` sections nearest to `text`, the best first, whatever their score.

        `corpora` are some of those that an index in a database was opened with.
        """
        if top_k < 1:
            raise InputError(f"top_k is {top_k}; expected 1 or more")
        query = self._read(text, None, language)
        seen, evidence, ranking = self._rank(query, top_k, corpora=corpora)
        return found_sections(query, seen, evidence, ranking, range(top_k))

    def ask(
        self,
        paste: str,
        question: str | None = None,
        language: Language | None = None,
        *,
        version: str | None = None,
        page: str | None = None,
        corpora: Sequence[str] | None = None,
    ) -> Answer:
        """Answer a pasted log, a question, or both.

        `language` is that of the answer; without it, that of the question. `version` is the
        release of SGLang, where it is known. `page` is the address of the page that is asked from,
        or its section's id, which wins among sections that fit about as well. `corpora` are some
        of those that an index in a database was opened with. Nothing found is an `Answer` with
        `found=False`.
        """
        query = self._read(paste, question, language)
        return self._answer(query, query, version, page, corpora)

    def ask_further(
        self,
        paste: str,
        question: str,
        language: Language | None = None,
        *,
        version: str | None = None,
        corpora: Sequence[str] | None = None,
    ) -> Answer:
        """Answer a further question about a paste: a topic it names comes before the failure.

        Thanks and the like are no question: they find nothing, and nothing is near.
        """
        query = self._read(paste, question, language)
        thanks = acknowledge(query)
        if thanks is not None:
            return thanks
        words = self._read("", query.question, query.language)
        return join_follow_up(
            self._answer(query, query, version, None, corpora),
            self._answer(replace(words, hidden=query.hidden), query, version, None, corpora),
            self.settings.top_k,
        )

    def evidence_for(
        self, paste: str, question: str | None = None
    ) -> tuple[Query, Evidence, CatalogMarks]:
        """Return what `ask` would decide by: for measuring and training, not for answering."""
        query = self._read(paste, question, None)
        catalog, matcher = self._catalog()
        marks = catalog_marks(query, catalog, find_messages(query, matcher))
        vectors = self._encoder.embed(query)
        seen = self.index.compared(query, vectors)
        evidence = collect_evidence(query, seen, vectors)
        evidence = judged(query, evidence, vectors, self.index.encoder.name)
        return query, evidence, marks

    def section(self, identifier: str, language: Language) -> Section | None:
        """Return a section by id, in `language` where it exists in it, None if there is none."""
        by_language = self.index.section(identifier)
        if not by_language:
            return None
        return by_language.get(language) or next(iter(by_language.values()))

    def warm_up(self) -> None:
        """Load the catalogue and the encoder and ask, so that the first question does not wait."""
        self.ask(PROBE_TEXT)
        self._encoder.get()

    def take_over(self, older: KnowledgeBase) -> None:
        """Use what `older` has loaded: the catalogue and, where it is the same, the encoder."""
        matcher = older._matcher
        with self._lock:
            self._matcher = self._matcher or matcher
        self._encoder.take_over(older._encoder)

    def close(self) -> None:
        """Let the database go, where the index lies in one."""
        self.index.close()

    @property
    def encoder(self) -> Encoder:
        """Return the encoder, loading it and comparing it with the index's where not done yet."""
        return self._encoder.get()

    # --- inside ---

    def _answer(
        self,
        query: Query,
        told: Query,
        version: str | None,
        page: str | None,
        corpora: Sequence[str] | None,
    ) -> Answer:
        """Answer `query`; what is true for a version and a command is read from `told`."""
        catalog, matcher = self._catalog()
        messages = find_messages(query, matcher)
        marks = catalog_marks(query, catalog, messages)
        seen, evidence, ranking = self._rank(
            query,
            self.settings.top_k,
            marks,
            corpora,
            page=page,
            may_decide=True,
            beside_log=told.paste.is_log,
        )
        told_messages = messages if told is query else find_messages(told, matcher)
        return compose_answer(
            query,
            seen,
            evidence,
            ranking,
            self.settings,
            lambda section, title: version_facts(
                told, section, catalog, told_messages, version, title
            ),
            messages[0][1] if messages else None,
        )

    def _catalog(self) -> tuple[Catalog, MessageMatcher]:
        with self._lock:
            if self._matcher is None:
                self._matcher = MessageMatcher(Catalog.load())
            return self._matcher.catalog, self._matcher

    def _read(self, text: str, question: str | None, language: Language | None) -> Query:
        return read_checked(
            text,
            question,
            language,
            max_chars=self.settings.max_paste_chars,
            hide_addresses=self.settings.hide_addresses,
        )

    def _rank(
        self,
        query: Query,
        n_shown: int,
        marks: CatalogMarks | None = None,
        corpora: Sequence[str] | None = None,
        *,
        page: str | None = None,
        may_decide: bool = False,
        beside_log: bool = False,
    ) -> tuple[Compared, Evidence, Ranking]:
        """Return what the query was compared with, the evidence and the ranking.

        The first `n_shown` are there with their Markdown. With `may_decide`, no encoder is waited
        for that could not change the answer. What is asked further `beside_log` is more likely
        about it than what is asked alone. Asked anew where the documents are replaced meanwhile.
        """
        for attempt in range(1, _TRIES + 1):
            seen, evidence, ranking = self._compare(query, marks, corpora, may_decide, beside_log)
            if page:
                ranking = prefer_page(ranking, evidence, section_of_page(page, evidence.ids))
            try:
                seen.fetch(ranking.ids[:n_shown])
            except OutdatedError:
                if attempt == _TRIES:
                    raise
                continue
            return seen, evidence, ranking
        raise AssertionError("the last try returns or raises")

    def _compare(
        self,
        query: Query,
        marks: CatalogMarks | None,
        corpora: Sequence[str] | None,
        may_decide: bool,
        beside_log: bool,
    ) -> tuple[Compared, Evidence, Ranking]:
        first: tuple[Compared, Evidence] | None = None
        if may_decide and self._legs == frozenset(LEGS):
            seen = self.index.compared(query, None, corpora)
            evidence = collect_evidence(query, seen, None)
            ranking = rank(evidence, query.programs, marks)
            if is_decided(query, evidence, ranking):
                return seen, evidence, ranking
            first = seen, evidence
        vectors = self._encoder.embed(query)
        seen = self.index.compared(query, vectors, corpora)
        if first is not None and first[0] is seen:  # the same sections: only cosines are missing
            evidence = with_dense(first[1], seen, vectors)
        else:
            evidence = collect_evidence(query, seen, vectors)
        evidence = replace(evidence, has_log=evidence.has_log or beside_log)
        if "dense" in self._legs:
            evidence = judged(query, evidence, vectors, self.index.encoder.name)
        return seen, evidence, rank(evidence, query.programs, marks, self._legs)


def _reusable_vectors(folder: Path, encoder: Encoder) -> dict[str, NDArray[np.float32]]:
    """Return the vectors of the index at `folder`, {} where there is none that fits."""
    from kb.errors import IndexFolderError

    try:
        index = load_index(folder)
    except IndexFolderError:
        return {}
    return known_vectors(index) if is_encoder_of(index, encoder) else {}
