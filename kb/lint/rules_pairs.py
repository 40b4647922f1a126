"""Rules on the two languages of a section: what is no language must be the same in both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from kb.corpus.documents import Problem
from kb.corpus.markdown import split_lines
from kb.corpus.sections import page_key
from kb.lint.numbers import numbers_of, spelled_out
from kb.lint.page import Page
from kb.lint.target import LANGUAGES, LintTarget
from kb.types import Section

__all__ = [
    "different_code",
    "different_fence",
    "different_link",
    "different_number",
    "missing_translation",
]

_NAMES = {"en": "English", "ko": "Korean"}
MAX_SHOWN = 60  # characters of a span or line in a message


def missing_translation(target: LintTarget) -> Iterator[Problem]:
    """Report pages and sections that stand in one language only."""
    if not target.bilingual:
        return
    ids = {
        language: {s.id for _, s in target.sections if s.language == language}
        for language in LANGUAGES
    }
    keys = {
        language: {
            page_key(p.document.path) for p in target.pages if p.document.language == language
        }
        for language in LANGUAGES
    }
    paired = {id(s) for pair in target.pairs for _, s in (pair.en, pair.ko)}
    for page in target.pages:
        document = page.document
        other = LANGUAGES[1 - LANGUAGES.index(document.language)]
        alone = [section for section in document.sections if id(section) not in paired]
        if not alone:
            continue
        has_page = page_key(document.path) in keys[other]
        if len(alone) == len(document.sections) and not has_page:
            message = f"this page has no {_NAMES[other]} counterpart: write it, or remove this one"
            yield Problem(document.path, 1, message)
            continue
        slugged = [section for section in alone if "#" in section.id]
        if slugged:
            message = (
                f"{len(slugged)} headings from here on have no id and not the same order in"
                f" {_NAMES[other]}: give both `{{#id}}`"
            )
            yield Problem(document.path, slugged[0].source.start_line, message)
        for section in alone:
            if section.id not in ids[other] and "#" not in section.id:
                message = f"`{section.id}` has no {_NAMES[other]} section: write it with this id"
                yield Problem(document.path, section.source.start_line, message)


def different_code(target: LintTarget) -> Iterator[Problem]:
    """Report inline code that stands more often in one language than in the other."""
    yield from _compare(
        target,
        "inline code",
        lambda page, section: [s.text for s in page.within(page.spans, section)],
    )


def different_link(target: LintTarget) -> Iterator[Problem]:
    """Report addresses that stand more often in one language than in the other."""
    yield from _compare(
        target,
        "the link",
        lambda page, section: [s.target for s in page.within(page.links, section)],
    )


def different_number(target: LintTarget) -> Iterator[Problem]:
    """Report numbers outside code that stand in one language only.

    A small number may be a word in the other language: "both", "두 번".
    """
    for pair in target.pairs:
        texts = {
            section.language: "\n".join(piece.text for piece in page.within(page.prose, section))
            for page, section in (pair.en, pair.ko)
        }
        counts = {language: set(numbers_of(text)) for language, text in texts.items()}
        for (_, section), (_, other) in ((pair.en, pair.ko), (pair.ko, pair.en)):
            missing = counts[other.language] - counts[section.language]
            for number in sorted(missing - spelled_out(texts[section.language], section.language)):
                yield _missing(section, other, f"the number {number}")


def different_fence(target: LintTarget) -> Iterator[Problem]:
    """Report code blocks that are not the same, line by line and in order, in both languages."""
    for pair in target.pairs:
        fences = [page.fences_in(section) for page, section in (pair.en, pair.ko)]
        (_, english), (_, korean) = pair.en, pair.ko
        if len(fences[0]) != len(fences[1]):
            message = (
                f"{len(fences[1])} code blocks, but {len(fences[0])} in"
                f" {english.source.path}:{english.source.start_line}: expected the same ones"
            )
            yield Problem(korean.source.path, korean.source.start_line, message)
            continue
        for en, ko in zip(*fences, strict=True):
            place = f"{english.source.path}:{en.start_line}"
            if en.info != ko.info:
                message = f"a code block of `{ko.info}`, expected `{en.info}` as in {place}"
                yield Problem(korean.source.path, ko.start_line, message)
            if en.text != ko.text:
                number, given, expected = _first_difference(en.text, ko.text)
                message = (
                    f"this line of the code block is {_shown(given)}, expected"
                    f" {_shown(expected)} as in {place}"
                )
                line = min(ko.start_line + 1 + number, ko.end_line)
                yield Problem(korean.source.path, line, message)


def _compare(
    target: LintTarget, what: str, pieces: Callable[[Page, Section], list[str]]
) -> Iterator[Problem]:
    for pair in target.pairs:
        counts = {
            section.language: Counter(pieces(page, section)) for page, section in (pair.en, pair.ko)
        }
        for (_, section), (_, other) in ((pair.en, pair.ko), (pair.ko, pair.en)):
            missing = counts[other.language] - counts[section.language]
            for piece, count in sorted(missing.items()):
                times = f" ({count} times more)" if count > 1 else ""
                yield _missing(section, other, f"{what} {_shown(piece)}{times}")


def _missing(section: Section, other: Section, what: str) -> Problem:
    place = f"{other.source.path}:{other.source.start_line}"
    message = f"`{section.id}` lacks {what} that is in {place}: add it here or remove it there"
    return Problem(section.source.path, section.source.start_line, message)


def _first_difference(expected: str, given: str) -> tuple[int, str, str]:
    """Return the number (from 0) of the first line that differs, and both lines."""
    ours, theirs = split_lines(given), split_lines(expected)
    shorter = min(len(ours), len(theirs))
    number = next((n for n in range(shorter) if ours[n] != theirs[n]), shorter)
    first, second = ("".join(lines[number : number + 1]).rstrip("\r\n") for lines in (ours, theirs))
    return number, first, second


def _shown(text: str) -> str:
    if not text:
        return "missing"
    short = text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
    return f"`` {short} ``" if "`" in short else f"`{short}`"
