"""What the rules look at: the documents of a folder and, for SGLang's flags, the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

from kb.catalog import Catalog
from kb.corpus.documents import Corpus
from kb.corpus.sections import page_key
from kb.lint.mentions import Mention, mentions_of
from kb.lint.page import Page
from kb.types import Language, Section

__all__ = ["LANGUAGES", "LintTarget", "Pair"]

LANGUAGES: tuple[Language, Language] = ("en", "ko")


@dataclass(frozen=True, slots=True)
class Pair:
    """One section in both languages, each with the page it stands in."""

    en: tuple[Page, Section]
    ko: tuple[Page, Section]


@dataclass(frozen=True)
class LintTarget:
    """A folder as read, and how strictly to judge it."""

    folder: Path
    corpus: Corpus
    catalog: Catalog | None = None  # None: flags and variables are not looked at
    strict: bool = False  # also judge what only SGLang's own pages can be held to

    @cached_property
    def pages(self) -> Sequence[Page]:
        """Return the documents in path order."""
        return tuple(Page(document) for document in self.corpus.documents)

    @cached_property
    def sections(self) -> Sequence[tuple[Page, Section]]:
        """Return all sections, those of pages that are not searched too."""
        return tuple((page, section) for page in self.pages for section in page.document.sections)

    @cached_property
    def mentions(self) -> Sequence[tuple[Page, Section, tuple[Mention, ...]]]:
        """Return for each section the flags and variables in it; nothing without a catalogue."""
        if self.catalog is None:
            return ()
        folder = self.catalog.folder
        return tuple(
            (page, section, tuple(mentions_of(page, section, folder)))
            for page, section in self.sections
        )

    @cached_property
    def bilingual(self) -> bool:
        """Whether there are pages in both languages."""
        return {page.document.language for page in self.pages} == set(LANGUAGES)

    @cached_property
    def pairs(self) -> Sequence[Pair]:
        """Return the sections that stand in both languages.

        Headings with an id of their own pair by it; those of two pages of one name that have none
        pair by their order, where both pages have the same headings in number and level.
        """
        return tuple(self._pairs())

    def _pairs(self) -> Iterator[Pair]:
        english = {section.id: (page, section) for page, section in self._of("en")}
        slugged = {
            language: {
                key: list(members)
                for key, members in groupby(
                    (item for item in self._of(language) if "#" in item[1].id),
                    key=lambda item: page_key(item[1].source.path),
                )
            }
            for language in LANGUAGES
        }
        for page, section in self._of("ko"):
            if "#" not in section.id and section.id in english:
                yield Pair(english[section.id], (page, section))
        for key, members in slugged["ko"].items():
            others = slugged["en"].get(key, [])
            if [item.level for _, item in members] == [item.level for _, item in others]:
                yield from (Pair(en, ko) for en, ko in zip(others, members, strict=True))

    def _of(self, language: Language) -> Iterator[tuple[Page, Section]]:
        return (item for item in self.sections if item[1].language == language)
