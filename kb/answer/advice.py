"""A launch command and a section's remedies → the command with the first that changes it made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kb.answer.command import LaunchCommand
from kb.answer.edits import apply_edits
from kb.answer.fix_flags import fix_flags
from kb.answer.remedies import Remedy, remedies_from_section
from kb.answer.remedy_edits import Outcome, try_remedy
from kb.answer.remedy_items import remedy_items
from kb.catalog.catalog import Catalog
from kb.strings import text
from kb.types import CommandAdvice, Language

__all__ = ["Advice", "advise", "apply_remedy"]


_ID = re.compile(r"\s*\{[^{}]*\}\s*\Z")  # of a heading, with its classes
# Sections whose remedies are examples of renames: the cure is in the command itself.
_ABOUT_FLAGS = re.compile(r"\{#(?:unrecognized-arguments|ambiguous-option)[ }]")


@dataclass(frozen=True, slots=True)
class Advice:
    """What a section's remedies come to for one command."""

    command: CommandAdvice | None  # None: no remedy changes anything
    notes: tuple[str, ...]  # what was passed over, and what to look at first, in the language


def apply_remedy(
    command: LaunchCommand,
    section_markdown: str,
    catalog: Catalog,
    version: str | None,
    paste: str = "",
) -> CommandAdvice | None:
    """Make the section's first remedy that changes `command`; None if there is none.

    Values are the section's; nothing else of the command changes. CatalogError if `version` is
    no version.
    """
    return advise(command, section_markdown, catalog, version, "en", paste).command


def advise(
    command: LaunchCommand,
    section_markdown: str,
    catalog: Catalog,
    version: str | None,
    language: Language,
    paste: str = "",
    title: str = "",
) -> Advice:
    """As `apply_remedy`, and say which remedies already hold and what to look at first.

    `paste` decides on items that are for one message only. Where the section is about the spelling
    of flags, the command's own are renamed instead. `title` is the section's in `language`, without
    it that of the heading.
    """
    heading = section_markdown.split("\n", 1)[0]
    if _ABOUT_FLAGS.search(heading):
        return Advice(fix_flags(command, catalog, version), ())
    title = title or _ID.sub("", heading).lstrip("# ")
    remedies = remedies_from_section(section_markdown, catalog, version, paste)
    notes: list[str] = []
    # Steps that are no remedies by their form are for the reader's eyes.
    read = {item.step for item in remedy_items(section_markdown)}
    for remedy in remedies:
        outcome = try_remedy(command, remedy, remedies, catalog, version)
        if outcome.edits and outcome.possible:
            suggested = apply_edits(command.text, outcome.edits)
            notes += _looked_at_first(remedy, outcome, read, title, language)
            changes = tuple(outcome.changes)
            advice = CommandAdvice(command.text, suggested, changes, command.offset < 0)
            return Advice(advice, tuple(notes))
        if outcome.holds is not None:
            notes.append(
                text("command.already", language, present=outcome.holds, remedy=remedy.text)
            )
    return Advice(None, tuple(notes))


def _looked_at_first(
    remedy: Remedy, outcome: Outcome, read: set[int | None], title: str, language: Language
) -> Iterator[str]:
    """Say what may make another step the better one: earlier steps, a value nobody has seen."""
    if remedy.step is not None and not read.issuperset(range(1, remedy.step)):
        yield text("command.earlier_steps", language, step=remedy.step, title=title)
    unset = outcome.unset
    if unset is not None:
        slots = {"flag": unset.flag, "field": unset.field, "value": unset.wanted}
        yield text(f"command.unset_{unset.direction}", language, **slots)
