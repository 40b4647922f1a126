"""What the page sends in, the HTML it shows out; errors become messages, never tracebacks."""

from __future__ import annotations

from dataclasses import dataclass

from kb.errors import KBError
from kb.feedback.masking import signature_lines
from kb.knowledge_base import KnowledgeBase
from kb.query.language import detect_language
from kb.serve.answer_html import answer_html, error_html, section_html
from kb.serve.current_base import CurrentBase
from kb.serve.feedback import Feedback
from kb.serve.section_links import SectionLinks
from kb.serve.topics_html import topics_html
from kb.strings import text
from kb.types import Answer, Language, VersionRange

__all__ = ["Replies", "Reply"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What the page shows for a question."""

    html: str
    version: str | None = None  # the release of SGLang the log is of, or `first–last`
    answer: Answer | None = None  # what it shows, where there is one


class Replies:
    """The knowledge base as the page sees it; safe from several threads."""

    def __init__(self, base: KnowledgeBase | CurrentBase, feedback: Feedback | None = None) -> None:
        """Take a loaded knowledge base and what keeps feedback; without that, nothing is kept."""
        self._current = CurrentBase.of(base)
        self._feedback = feedback
        sections = self._current.base.index.listed
        self._links_of = (sections, SectionLinks(sections))

    def ask(
        self,
        paste: str,
        question: str,
        chosen: Language | None,
        page: Language,
        version: str,
        *,
        again: bool = False,
        is_further: bool = False,
    ) -> Reply:
        """Answer in the `chosen` language or, without one, in that of the words asked.

        Where there are no words, a log only, the answer is in the language of the `page`. What is
        asked `again`, in another language, is not counted twice. A question that `is_further` is
        about a paste that was answered before.
        """
        language = chosen or _language_of(paste, question, page)
        base, links = self._now()
        problem = _cannot_ask(base, paste, question, page)
        if problem:
            return Reply(problem)
        try:
            ask = base.ask_further if is_further else base.ask
            answer = ask(paste, question.strip(), language, version=version.strip() or None)
        except KBError as error:
            return Reply(error_html(text("chat.error", page), error.in_language(page), page))
        found = _release(answer.version) if answer.version and not version.strip() else None
        signatures = None
        if self._feedback:
            signatures = signature_lines(paste) if answer.found else ()
            if not again:
                self._feedback.answered(answer, paste)
        further_lines = len(paste.splitlines()) if is_further else 0
        html = answer_html(
            answer,
            links,
            paste,
            question,
            signatures,
            further_lines=further_lines,
            hide_addresses=base.settings.hide_addresses,
        )
        nothing_asked = not answer.found and not answer.nearest
        if nothing_asked and not is_further:  # what could be asked is shown
            html += topics_html(base.index.listed, answer.language)
        return Reply(html, found, answer)

    def section(self, identifier: str, language: Language) -> str | None:
        """Return a section as HTML, None where no section has this id."""
        base, links = self._now()
        section = base.section(identifier, language)
        return section_html(section, links) if section else None

    def topics(self, language: Language) -> str:
        """Return the overview of all sections."""
        return topics_html(self._current.base.index.listed, language)

    def _now(self) -> tuple[KnowledgeBase, SectionLinks]:
        """Return the knowledge base of now with the links between its sections."""
        base = self._current.base
        sections, links = self._links_of
        if sections is not base.index.listed:  # one tuple as long as nothing is published
            sections = base.index.listed
            links = SectionLinks(sections)
            self._links_of = (sections, links)
        return base, links


def _cannot_ask(base: KnowledgeBase, paste: str, question: str, page: Language) -> str | None:
    """Return the message about the two mistakes a person makes, in the page's language."""
    limit = base.settings.max_paste_chars
    size = len(paste) + len(question)
    if not paste.strip() and not question.strip():
        message = text("chat.error_empty", page)
    elif size > limit:
        message = text("chat.error_too_large", page, size=f"{size:,}", limit=f"{limit:,}")
    else:
        return None
    return error_html(text("chat.error", page), message, page)


def _release(version: VersionRange) -> str | None:
    if version.value is None and version.low and version.high:
        return f"{version.low}–{version.high}"
    return version.value


def _language_of(paste: str, question: str, page: Language) -> Language:
    if question.strip():
        return detect_language(question, "")
    return "ko" if detect_language(None, paste) == "ko" else page
