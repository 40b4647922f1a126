"""What an agent asks in, what it is told out: the same facts as structure and as readable text."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from kb.answer.diagnosis import diagnose
from kb.answer.render import answer_to_text
from kb.errors import InputError
from kb.knowledge_base import KnowledgeBase
from kb.types import AnswerSection, Language, Section

__all__ = ["FoundSections", "Told", "ask", "doctor", "search", "section"]


@dataclass(frozen=True, slots=True)
class Told:
    """A result twice over: for a program and for a reader."""

    structure: dict[str, Any]  # JSON-ready, fields as they are named in kb.types
    text: str


@dataclass(frozen=True, slots=True)
class FoundSections:
    """The sections nearest to a text; an object, since structured content cannot be a list."""

    sections: tuple[AnswerSection, ...]  # the best first


def ask(
    base: KnowledgeBase,
    paste: str,
    question: str,
    language: Language | None,
    version: str,
    page: str = "",
) -> Told:
    """Answer a paste, a question or both; an empty `version` or `page` is not known."""
    answer = base.ask(paste, question or None, language, version=version or None, page=page or None)
    return Told(answer.to_dict(), answer_to_text(answer))


def search(base: KnowledgeBase, asked: str, top_k: int, language: Language | None) -> Told:
    """Return the `top_k` sections nearest to `asked`."""
    found = FoundSections(base.search(asked, top_k, language))
    lines = [
        f"{near.score:7.3f}  {near.id}  {near.title}  ({near.source.path}:{near.source.start_line})"
        for near in found.sections
    ]
    return Told(asdict(found), "\n".join(lines))


def section(base: KnowledgeBase, identifier: str, language: Language) -> Told:
    """Return a section whole, in `language` where it is written in it; InputError: no such id."""
    found: Section | None = base.section(identifier, language)
    if found is None:
        raise InputError(
            f"there is no section with the id {identifier!r}; expected an id as `ask` and"
            " `search` give them, `search` finds it by what the section is about"
        )
    where = f"({found.source.path}:{found.source.start_line}-{found.source.end_line})"
    return Told(asdict(found), f"{found.markdown}\n{where}")


def doctor(command: str, version: str, language: Language) -> Told:
    """Judge each flag of a launch command; an empty `version` is one that is not known."""
    examination = diagnose(command, version or None, language)
    return Told(asdict(examination.diagnosis), examination.text)
