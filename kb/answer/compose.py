"""Ranked sections in, the `Answer` out: which are shown, in which language, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from kb.answer.general_words import is_general
from kb.answer.small_talk import says_nothing
from kb.query.log_lines import is_report
from kb.query.paste import Query
from kb.query.pleasantries import is_pleasantry
from kb.retrieval.signature_evidence import failure_line
from kb.retrieval.tokenization import tokenize
from kb.settings import Settings
from kb.strings import program_name, text
from kb.types import (
    Answer,
    AnswerSection,
    Language,
    MatchedLine,
    MessageMatch,
    NearestSection,
    Section,
)

if TYPE_CHECKING:
    from kb.answer.for_version import VersionFacts
    from kb.retrieval.evidence import Evidence
    from kb.retrieval.fusion import Ranking
    from kb.retrieval.searchable import Compared

__all__ = ["MIN_IN_SCOPE", "SECOND_SHARE", "compose_answer", "found_sections"]

# From this probability on the answer is given, below it is "not in the knowledge base".
MIN_IN_SCOPE = 0.5
# A further section is shown where its score is at least this share of the first one's.
SECOND_SHARE = 0.6
_MAX_MATCHED_LINES = 5
_MAX_PIECES = 4  # of a line that a terminal has wrapped
_MAX_NEAREST = 5
_MAX_TELLING_LINES = 400
_MAX_TOLD = 2
_QUOTED_CHARS = 40  # of a message, by which it is known again: what follows may be cut


def _in_language(by_language: dict[Language, Section], language: Language) -> Section:
    return by_language.get(language) or next(iter(by_language.values()))


def _telling_lines(query: Query, index: Compared, identifier: str) -> list[int]:
    """Return the numbers of the lines that share most with a section, the best first."""
    position = index.ids.index(identifier)
    tokenized = [
        (line, set(tokenize(line.text)))
        for line in query.paste.lines[:_MAX_TELLING_LINES]
        if line.role not in ("progress", "access")
        and (line.role != "prose" or is_report(line.text))
    ]
    known = set(index.lexical.terms_of(position, set().union(*(terms for _, terms in tokenized))))
    weighed = []
    for line, terms in tokenized:
        held = [term for term in terms if term in known]
        weight = index.lexical.idf(held) * (2.0 if line.role in ("exception", "error") else 1.0)
        if weight > 0:
            weighed.append((-weight, line.number))
    return [number for _, number in sorted(weighed)]


def _matched_lines(
    query: Query, index: Compared, evidence: Evidence, identifier: str, is_first: bool
) -> tuple[MatchedLine, ...]:
    """Return the lines of the paste that decided for a section, the best first.

    Its own signatures' lines, then those of the section it stands under, then the exception that a
    frame belongs to; for the first section also the two lines that share most with it.
    """
    lines = query.paste.as_pasted.split("\n")
    parent = index.parents.get(identifier)
    own = evidence.hits.get(identifier, ())
    inherited = evidence.hits.get(parent, ()) if parent and own else ()
    decided = [(hit.line, hit.signature.line) for hit in (*own[:_MAX_MATCHED_LINES], *inherited)]
    exceptions = [line.number for line in query.paste.of_role("exception")]
    if own and exceptions:
        decided.insert(min(2, len(decided)), (exceptions[0], ""))
    if is_first:
        told = {number for number, _ in decided}
        telling = [n for n in _telling_lines(query, index, identifier) if n not in told]
        decided += [(number, "") for number in telling[:_MAX_TOLD]]
    matched: dict[int, MatchedLine] = {}
    for read_number, signature in decided:
        for number in query.paste.pasted_numbers(read_number)[:_MAX_PIECES]:
            known = matched.get(number)
            line_text = lines[number - 1].rstrip("\r")
            if line_text and (known is None or not known.signature):
                matched[number] = MatchedLine(number, line_text, signature)
    return tuple(list(matched.values())[:_MAX_MATCHED_LINES])


def found_sections(
    query: Query, index: Compared, evidence: Evidence, ranking: Ranking, ranks: Iterable[int]
) -> tuple[AnswerSection, ...]:
    """Return the sections at `ranks` (0-based) in the language of the query."""
    found = []
    for position in ranks:
        if position >= len(ranking.ids):
            break
        identifier = ranking.ids[position]
        section = _in_language(dict(index.by_id[identifier]), query.language)
        found.append(
            AnswerSection(
                id=section.id,
                title=section.title,
                language=section.language,
                markdown=section.markdown,
                source=section.source,
                score=round(ranking.scores[position], 4),
                matched_lines=_matched_lines(
                    query, index, evidence, identifier, is_first=position == 0
                ),
                kind=section.kind,
            )
        )
    return tuple(found)


def _is_quoted_later(query: Query, numbers: list[int]) -> bool:
    """Whether a later one of these lines holds the message of the first.

    `Capture cuda graph failed: CUDA out of memory` tells of the `OutOfMemoryError` before it.
    """
    text_of = {line.number: line.text for line in query.paste.lines}
    first, *later = sorted(numbers)
    message = text_of[first].partition(": ")[2].strip()[:_QUOTED_CHARS]
    return bool(message) and any(message in text_of[number] for number in later)


def _in_order_of_failure(
    query: Query, evidence: Evidence, ranking: Ranking, shown: list[int]
) -> list[int]:
    """Return the ranks to show, independent failures in the order in which they happened.

    Exceptions that Python itself chains, and one that quotes the other's message, are one failure:
    there the ranking decides.
    """
    chained = any("above exception" in line.text for line in query.paste.of_role("header"))
    if chained:
        return shown
    lines = {
        position: failure_line(query, evidence.hits.get(ranking.ids[position], ()))
        for position in shown
    }
    failures = [position for position in shown if lines[position] is not None]
    if len(failures) < 2 or shown[0] not in failures:
        return shown
    if _is_quoted_later(query, [lines[position] or 0 for position in failures]):
        return shown
    failures.sort(key=lambda position: lines[position] or 0)
    return failures + [position for position in shown if position not in failures]


def _refusal(query: Query, told: VersionFacts, healthy: bool, is_complaint: bool) -> list[str]:
    """Return why nothing was found, and what is known all the same."""
    if healthy:
        return [text("answer.healthy", query.language)]
    known = [asked.note for asked in told.asked]
    key = "answer.not_found"
    if known:
        key = "answer.only_flags"
    elif is_complaint:
        key = "answer.which_one"
    notes = [text(key, query.language), *known]
    if query.programs.other:
        program = program_name(query.programs.other, query.language)
        notes.append(text("answer.looks_foreign", query.language, program=program))
    return notes


def compose_answer(
    query: Query,
    index: Compared,
    evidence: Evidence,
    ranking: Ranking,
    settings: Settings,
    facts: Callable[[str | None, str], VersionFacts],
    message: MessageMatch | None,
) -> Answer:
    """Return the answer: sections where it is in scope, else the nearest ones by name.

    To what says nothing at all nothing is near.

    `facts` tells what is true for the version, given the English Markdown of the first section and
    its title in the answer's language;
    `message` is the program's own message in the paste, shown where no section explains it.
    """
    healthy = not query.words and query.paste.is_healthy
    courtesy = is_pleasantry(query.words) and not query.paste.is_log
    found = ranking.in_scope >= MIN_IN_SCOPE and not (healthy or courtesy)
    is_complaint = not found and not healthy and is_general(query, index)
    is_small_talk = not found and not is_complaint and says_nothing(query, evidence)
    notes = []
    sections: tuple[AnswerSection, ...] = ()
    if found:
        floor = ranking.scores[0] * SECOND_SHARE
        shown = [
            position
            for position in range(min(settings.top_k, len(ranking.ids)))
            if position == 0 or ranking.scores[position] >= floor
        ]
        shown = _in_order_of_failure(query, evidence, ranking, shown)
        sections = found_sections(query, index, evidence, ranking, shown)
    first = sections[0] if found else None
    remedies = _in_language(dict(index.by_id[first.id]), "en").markdown if first else None
    told = facts(remedies, first.title if first else "")
    if found:
        # Where an exception is there that no section explains, no line above would tell more.
        exceptions = query.paste.of_role("exception")
        if sections[0].kind == "consequence" and query.paste.is_log and not exceptions:
            notes.append(text("answer.consequence_only", query.language))
    elif is_small_talk:
        notes.append(text("answer.says_nothing", query.language))
    else:
        notes += _refusal(query, told, healthy, is_complaint)
    if query.hidden:
        notes.append(text("answer.hidden_values", query.language, count=query.hidden))
    shown_ids = {section.id for section in sections}
    nearest = tuple(
        NearestSection(
            identifier, _in_language(dict(index.by_id[identifier]), query.language).title
        )
        for identifier in ranking.ids[: _MAX_NEAREST + len(shown_ids)]
        if identifier not in shown_ids and not is_small_talk
    )[:_MAX_NEAREST]
    explained = bool(sections) and bool(sections[0].matched_lines)
    return Answer(
        found=found,
        language=query.language,
        confidence=round(ranking.confidence, 4),
        sections=sections,
        nearest=nearest,
        version=told.version,
        flags=told.flags,
        command=told.command,
        message=None if explained else message,
        notes=(*notes, *told.notes),
    )
