"""A query and its first section in, what is true for the user's version out.

Steps: which releases the paste can come from → the launch command in it, or the one its
`server_args=` line tells of → every flag of that command and of the section, judged for that
release → the section's first remedy that changes the command, as the one change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kb.answer.asked_flags import asked_flags
from kb.answer.launch_command import (
    LaunchCommand,
    advise,
    check_command,
    command_from_server_args,
    find_command,
    fix_flags,
    parse_command,
)
from kb.answer.wording import stand_in_text
from kb.catalog import Catalog, MessageMatcher, check_flag, check_variable, flag_note
from kb.catalog.versions import assumed_release, find_version
from kb.errors import CatalogError
from kb.query.log_lines import Role
from kb.query.paste import Paste, Query
from kb.retrieval.confidence import CatalogMarks
from kb.types import (
    CommandAdvice,
    FlagNote,
    Language,
    MessageMatch,
    VersionEvidence,
    VersionRange,
)

__all__ = ["VersionFacts", "catalog_marks", "find_messages", "version_facts"]

_CODE_SPAN = re.compile(r"`+([^`\n]+)`+")
# In ASCII: a Korean particle follows a name at once.
_FLAG = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*", re.ASCII)
_FLAG_VALUE = re.compile(r"(?<![\w-])(--[A-Za-z][\w-]*)(?:[= ]([A-Za-z0-9][\w.-]*))?")
_VARIABLE = re.compile(r"SGL(?:ANG)?_[A-Z0-9_]+")
_LIST_ITEM = re.compile(r"\s*(?:\d+[.)]|[-*+])\s")
# Lines that may be a message of the program's own, the most telling first.
_MESSAGE_ROLES: tuple[Role, ...] = ("exception", "error", "warning", "stage", "other", "batch")
MAX_MESSAGE_LINES = 200
_MAX_FLAG_LINES = 500


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """What the catalogue says of one paste."""

    version: VersionRange
    flags: tuple[FlagNote, ...]
    asked: tuple[FlagNote, ...]  # those of `flags` that the words name
    command: CommandAdvice | None
    notes: tuple[str, ...]


def find_messages(query: Query, matcher: MessageMatcher) -> tuple[tuple[int, MessageMatch], ...]:
    """Return the program's own messages in a paste, with their line numbers, errors first.

    Line 0 is the question."""
    candidates = [
        (line.number, line.text) for role in _MESSAGE_ROLES for line in query.paste.of_role(role)
    ]
    candidates += [(0, words) for words in query.words.split("\n")]  # quoted in the question
    found = []
    for number, line in candidates[:MAX_MESSAGE_LINES]:
        message = matcher.match(line)
        if message is not None:
            found.append((number, message))
    return tuple(found)


def catalog_marks(
    query: Query, catalog: Catalog, messages: Sequence[tuple[int, MessageMatch]]
) -> CatalogMarks:
    """Return how much of a paste and its question the catalogue knows for SGLang's."""
    text = "\n".join((query.words, *(line.text for line in query.paste.lines[:_MAX_FLAG_LINES])))
    flags = {flag for flag in _FLAG.findall(text) if flag in catalog.flags}
    return CatalogMarks(len(flags), len(messages))


def version_facts(
    query: Query,
    section: str | None,
    catalog: Catalog,
    messages: Sequence[tuple[int, MessageMatch]],
    stated: str | None,
    title: str = "",
) -> VersionFacts:
    """Return what is true for the version found, or `stated` by the caller.

    `section` is the Markdown of the section answered with: its remedies are applied; `title` is
    its title in the language of the answer, by which a note names it. Raises
    CatalogError where `stated` is no version of SGLang.
    """
    text = query.paste.text
    if stated is not None:
        catalog.judge(stated)
    found = _version_of(query, catalog, messages, stated)
    release = assumed_release(found, catalog)
    # A command is shown as it was pasted, with the line breaks it has there.
    command = find_command(query.paste.as_pasted) or command_from_server_args(
        text, catalog, release
    )
    asked = asked_flags(query, catalog, release)
    named = {note.flag for note in asked}
    flags = asked + tuple(
        note
        for note in _flags(command, section, catalog, release, query.language)
        if note.flag not in named
    )
    if section is None and messages:
        flags += flags_of_message(messages[0][1], catalog, release, query.language)
    stand_in = stand_in_text(found, catalog, query.language)
    notes = (stand_in,) if stand_in else ()
    if command is None or section is None:
        return VersionFacts(found, flags, asked, None, notes)
    advice = advise(command, section, catalog, release, query.language, text, title)
    suggested = advice.command
    if suggested is not None and found.value is not None:
        suggested = _startable(suggested, catalog, found.value)
    return VersionFacts(found, flags, asked, suggested, (*notes, *advice.notes))


def _startable(advice: CommandAdvice, catalog: Catalog, release: str) -> CommandAdvice:
    """Return the advice with the names that `release` refuses renamed: else it would not start."""
    command = parse_command(advice.suggested)
    renamed = fix_flags(command, catalog, release) if command is not None else None
    if renamed is None:
        return advice
    changes = (*advice.changes, *renamed.changes)
    return CommandAdvice(advice.given, renamed.suggested, changes, advice.is_rebuilt)


def _version_of(
    query: Query,
    catalog: Catalog,
    messages: Sequence[tuple[int, MessageMatch]],
    stated: str | None,
) -> VersionRange:
    """Return the releases the paste and its question speak of; line 0 is the question."""
    lines = query.paste.text.split("\n")
    asked = query.question.split("\n") if query.question else []
    in_paste = [found for found in messages if found[0]]
    found = find_version([*lines, *asked], catalog, stated, in_paste)
    evidence = tuple(
        replace(item, line=0) if item.line > len(lines) else _as_pasted(item, query.paste)
        for item in found.evidence
    )
    return replace(found, evidence=evidence)


def _as_pasted(item: VersionEvidence, paste: Paste) -> VersionEvidence:
    """Return evidence with its number and its words as they stand in the paste.

    Of words that a terminal has wrapped, the longer piece.
    """
    if paste.wrapped is None or item.line < 1:
        return item
    lines = paste.as_pasted.split("\n")
    best = (0, paste.pasted_numbers(item.line)[0], "")
    for number in paste.pasted_numbers(item.line):
        line = lines[number - 1]
        if item.text in line:
            return replace(item, line=number)
        size = max(_shared_end(line, item.text), _shared_end(item.text, line))
        if size > best[0]:
            words = item.text[:size] if line.endswith(item.text[:size]) else item.text[-size:]
            best = (size, number, words)
    return replace(item, line=best[1], text=best[2])


def _shared_end(before: str, after: str) -> int:
    """Return how many characters the end of `before` shares with the beginning of `after`."""
    sizes = range(min(len(before), len(after)), 0, -1)
    return next((size for size in sizes if before.endswith(after[:size])), 0)


def flags_of_message(
    message: MessageMatch, catalog: Catalog, release: str | None, language: Language
) -> tuple[FlagNote, ...]:
    """Return the verdict on each flag that a message names: some name flags that do not exist."""
    return tuple(_judged(flag, catalog, release, language) for flag in message.flags)


def _flags(
    command: LaunchCommand | None,
    section: str | None,
    catalog: Catalog,
    release: str | None,
    language: Language,
) -> Iterator[FlagNote]:
    """Yield the verdict on each flag of the command, then on those only the section names."""
    seen: set[str] = set()
    if command is not None:
        for note in check_command(command, catalog, release, language):
            if note.flag not in seen:
                seen.add(note.flag)
                yield note
    for span in _remedy_spans(section or ""):
        for flag, value in _FLAG_VALUE.findall(span) if span.startswith("--") else ():
            if flag not in seen and flag in catalog.flags:
                seen.add(flag)
                spelled = f"{flag}={value}" if value else flag
                yield replace(_judged(spelled, catalog, release, language), flag=flag)
        variable = _VARIABLE.match(span)
        if variable and variable[0] not in seen and variable[0] in catalog.variables:
            seen.add(variable[0])
            yield flag_note(check_variable(catalog, variable[0], release), language)


def _remedy_spans(section: str) -> list[str]:
    """Return the code spans of a section's list items: what it says to do, in its order."""
    items = [line for line in section.split("\n") if _LIST_ITEM.match(line)]
    return [span.strip() for line in items for span in _CODE_SPAN.findall(line)]


def _judged(flag: str, catalog: Catalog, release: str | None, language: Language) -> FlagNote:
    try:
        return flag_note(check_flag(catalog, flag, release), language)
    except CatalogError:  # a release before the catalogue's first: judged by the newest
        return flag_note(check_flag(catalog, flag, None), language)
