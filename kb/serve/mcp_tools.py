"""What an agent asks in, what it is told out: the same facts as structure and as readable text."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from kb.answer.check_command import CheckedOption, examine
from kb.answer.find_command import parse_command
from kb.answer.fix_flags import fix_flags
from kb.answer.render import answer_to_text
from kb.catalog import Catalog
from kb.catalog.versions import assumed_release, find_version
from kb.errors import InputError
from kb.knowledge_base import KnowledgeBase
from kb.strings import text
from kb.types import AnswerSection, CommandAdvice, FlagNote, Language, Section

__all__ = ["Diagnosis", "FoundSections", "Told", "ask", "doctor", "search", "section"]


@dataclass(frozen=True, slots=True)
class Told:
    """A result twice over: for a program and for a reader."""

    structure: dict[str, Any]  # JSON-ready, fields as they are named in kb.types
    text: str


@dataclass(frozen=True, slots=True)
class FoundSections:
    """The sections nearest to a text; an object, since structured content cannot be a list."""

    sections: tuple[AnswerSection, ...]  # the best first


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A launch command judged flag by flag; the shape of `kb doctor --json`."""

    release: str  # of SGLang, the one judged by
    flags: tuple[FlagNote, ...]  # one per flag of the command, in its order
    command: CommandAdvice | None  # with the names that release takes; None: nothing to rename


def ask(
    base: KnowledgeBase, paste: str, question: str, language: Language | None, version: str
) -> Told:
    """Answer a paste, a question or both; an empty `version` is one that is not known."""
    answer = base.ask(paste, question or None, language, version=version or None)
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
    """Judge each flag of a launch command; without `version`, by one the text names, or the newest.

    Raises InputError where the text holds no launch command, CatalogError for no known release.
    """
    launch = parse_command(command)
    if launch is None or not launch.options:
        raise InputError(text("doctor.no_command", language))
    catalog = Catalog.load()
    release = version or assumed_release(find_version(command.split("\n"), catalog), catalog)
    examined = examine(launch, catalog, release, language)
    diagnosis = Diagnosis(
        catalog.judge(release).release,
        tuple(checked.note for checked in examined),
        fix_flags(launch, catalog, release),
    )
    judged_by = "doctor.judged_by" if release else "doctor.judged_by_newest"
    heading = text(judged_by, language, release=diagnosis.release)
    return Told(
        asdict(diagnosis), "\n".join([heading, *_lines(examined, diagnosis.command, language)])
    )


def _lines(
    examined: tuple[CheckedOption, ...], advice: CommandAdvice | None, language: Language
) -> list[str]:
    lines = [
        f"  {'ok' if checked.is_fine else '!!'}  {checked.note.flag}  {checked.note.note}"
        for checked in examined
    ]
    if all(checked.is_fine for checked in examined):
        lines.append(text("doctor.all_fine", language))
    if advice is not None:
        lines += ["", text("doctor.suggested", language), advice.suggested]
    return lines
