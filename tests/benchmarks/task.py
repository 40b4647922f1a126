"""The task that every contestant gets: the same pages, the same queries, one way of judging."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kb.corpus.documents import read_corpus
from kb.evaluation.golden import Case, read_golden, read_jsonl
from kb.query.paste import read_query
from kb.retrieval.evidence import dense_texts

__all__ = ["LANGUAGES", "Page", "Query", "Task", "read_task"]

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("en", "ko")
TOP_K = 3


@dataclass(frozen=True)
class Page:
    """A Markdown file of the content, and which section each of its lines belongs to."""

    path: str
    language: str
    text: str
    sections: tuple[tuple[str, int, int], ...]  # (id, first line, last line), 1-based

    @cached_property
    def lines(self) -> dict[str, set[str]]:
        """Return the ids of the sections that hold a line, by the line without outer blanks."""
        table: dict[str, set[str]] = defaultdict(set)
        lines = self.text.split("\n")
        for identifier, first, last in self.sections:
            for line in lines[first - 1 : last]:
                if line.strip():
                    table[line.strip()].add(identifier)
        return table

    def ids_in(self, piece: str) -> tuple[str, ...]:
        """Return the sections a piece of this page lies in, the one with most of its lines first.

        Lines that stand in several sections tell nothing.
        """
        votes: Counter[str] = Counter()
        for line in piece.split("\n"):
            held = self.lines.get(line.strip(), ())
            if len(held) == 1:
                votes[next(iter(held))] += len(line)
        return tuple(identifier for identifier, _ in votes.most_common())


@dataclass(frozen=True)
class Query:
    """A question in one language, a paste, or both; `accepted` are the right sections."""

    id: str
    set: str  # "golden" or "dev"
    language: str
    question: str
    paste: str
    accepted: frozenset[str]

    @cached_property
    def raw(self) -> str:
        """Return what a user types into a search box: the question, then the paste."""
        return "\n".join(part for part in (self.question, self.paste) if part)

    @cached_property
    def condensed(self) -> str:
        """Return what this project's reader shows its own encoder: the words and the error."""
        query = read_query(self.paste, self.question)
        return "\n".join(part for part in dense_texts(query) if part.strip()) or self.raw

    @cached_property
    def first_error(self) -> str:
        """Return the first line that says what failed, "" where none does."""
        return read_query(self.paste, self.question).error_text.split("\n", 1)[0]


@dataclass(frozen=True)
class Task:
    """Pages and queries."""

    pages: tuple[Page, ...]
    queries: tuple[Query, ...]
    fences: tuple[str, ...]  # each fence of the pages as it is written, its marks included
    n_out_of_scope: int

    def pages_of(self, languages: Sequence[str]) -> tuple[Page, ...]:
        """Return the pages in `languages`."""
        return tuple(page for page in self.pages if page.language in languages)

    def share_of_fences(self, pieces: Sequence[str]) -> float:
        """Return the share of the fences that are whole, byte for byte, in one of `pieces`."""
        return sum(any(fence in piece for piece in pieces) for fence in self.fences) / len(
            self.fences
        )


def read_task(cases: Path | None) -> Task:
    """Read the shipped content, the golden cases and, with `cases`, those of a JSONL file."""
    corpus = read_corpus(ROOT / "content")
    by_path = defaultdict(list)
    for section in corpus.sections:
        source = section.source
        by_path[source.path].append((section.id, source.start_line, source.end_line))
    documents = [document for document in corpus.documents if document.path in by_path]
    pages = tuple(
        Page(doc.path, doc.language, "".join(doc.lines), tuple(by_path[doc.path]))
        for doc in documents
    )
    fences = tuple(
        "".join(doc.lines[fence.start_line - 1 : fence.end_line]).rstrip("\n")
        for doc in documents
        for fence in doc.fences
    )
    golden = read_golden(ROOT / "tests" / "golden")
    dev = read_jsonl(cases) if cases else []
    queries = (*_queries("golden", golden), *_queries("dev", dev))
    return Task(pages, queries, fences, sum(not case.in_scope for case in (*golden, *dev)))


def _queries(name: str, cases: Sequence[Case]) -> Iterator[Query]:
    """Yield a query in each language that a case in scope is written in; Chinese counts to en."""
    for case in cases:
        if not case.in_scope:
            continue
        accepted = frozenset(case.topics)
        asked = {"en": case.question or "", "ko": case.question_ko or ""}
        for language, question in asked.items():
            if question or (language == "en" and case.paste and not case.question_ko):
                yield Query(f"{case.id}:{language}", name, language, question, case.paste, accepted)
