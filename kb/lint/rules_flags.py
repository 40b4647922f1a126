"""Rules on SGLang's flags and variables: what a page says of them holds in the releases it names.

A folder of any origin is judged by what the catalogue can know: a flag that some release had must
be there in the releases it is printed for. A flag no release had is reported under `strict` alone,
as it may be any program's; a variable named `SGLANG_…` is SGLang's own and always judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kb.catalog import Catalog, check_flag, flag_note
from kb.catalog.forms import FlagHistory
from kb.catalog.spans import accepted_places, is_variable, spans_text
from kb.corpus.documents import Problem
from kb.lint.mentions import Mention
from kb.lint.page import Page
from kb.lint.programs import programs_with
from kb.lint.target import LintTarget
from kb.lint.version_notes import NOTATION, VersionNote, read_note
from kb.types import Section

__all__ = [
    "flag_value",
    "flag_version",
    "missing_version",
    "unknown_flag",
    "unknown_variable",
    "version_note",
]

# A flag that came after this release is printed with the release it came with: older ones are
# still in use. Mid-2025; whoever runs less has met most of the renames already.
NEWER_THAN = "0.4.6.post5"


def unknown_flag(target: LintTarget) -> Iterator[Problem]:
    """Report flags that no release of SGLang has had, under `strict`.

    Another program's flag may stand where the section names that program.
    """
    catalog = target.catalog
    if catalog is None or not target.strict:
        return
    for page, section, mention in _mentions(target):
        if is_variable(mention.name) or mention.name in catalog.flags:
            continue
        verdict = check_flag(catalog, mention.name, None)
        if verdict.status in ("accepted", "deprecated"):
            continue  # the short form of one flag: `--tp`
        if _is_other_programs(catalog, section, mention.name):
            continue
        owners = list(programs_with(catalog.folder, mention.name))
        if owners:
            said = f"`{mention.name}` is a flag of {owners[0].key}, which the section does not name"
        else:
            note = flag_note(verdict, "en").note
            said = f"`{mention.name}` is a flag of no release from {catalog.releases[0]} on: {note}"
        yield Problem(page.document.path, mention.line, said)


def unknown_variable(target: LintTarget) -> Iterator[Problem]:
    """Report variables `SGLANG_…` and `SGL_…` that no release reads."""
    catalog = target.catalog
    if catalog is None:
        return
    for page, _, mention in _mentions(target):
        if is_variable(mention.name) and mention.name not in catalog.variables:
            message = (
                f"`{mention.name}` is read by no release from {catalog.releases[0]} to"
                f" {catalog.newest}: expected a variable of the catalogue"
            )
            yield Problem(page.document.path, mention.line, message)


def version_note(target: LintTarget) -> Iterator[Problem]:
    """Report notes behind a flag or variable that are not in the notation, or name no release."""
    catalog = target.catalog
    if catalog is None:
        return
    for page, _, mention in _mentions(target):
        note = read_note(mention.after, catalog)
        if isinstance(note, str):
            message = f"`{mention.name}` {note}: expected the versions as {NOTATION}"
            yield Problem(page.document.path, mention.line, message)
        elif note is not None and note.unknown:
            message = (
                f"`{mention.name}` ({note.text}): {', '.join(note.unknown)} is no release from"
                f" {catalog.releases[0]} to {catalog.newest}"
            )
            yield Problem(page.document.path, mention.line, message)


def flag_version(target: LintTarget) -> Iterator[Problem]:
    """Report flags and variables that a release they are printed for does not take.

    Without a note that is the newest one; a note in the same section speaks for all mentions.
    """
    catalog = target.catalog
    if catalog is None:
        return
    newest = len(catalog.releases) - 1
    for page, _, mentions in target.mentions:
        noted = _noted(mentions, catalog)
        for mention in mentions:
            places = accepted_places(catalog, mention.name)
            if not places or mention.role == "quoted":
                continue
            note = read_note(mention.after, catalog)
            expected = spans_text(catalog, places)
            if isinstance(note, VersionNote):
                wrong = [place for place in note.places if place not in places]
                if wrong:
                    message = (
                        f"`{mention.name}` ({note.text}) is not accepted in"
                        f" {catalog.releases[wrong[0]]}: expected {expected}"
                    )
                    yield Problem(page.document.path, mention.line, message)
            elif newest not in places and mention.name not in noted:
                message = (
                    f"`{mention.name}` is not accepted in {catalog.newest}: write the versions"
                    f" behind it, expected {expected}, or what replaced it"
                )
                yield Problem(page.document.path, mention.line, message)


def missing_version(target: LintTarget) -> Iterator[Problem]:
    """Report flags and variables that came lately and are printed without it, under `strict`."""
    catalog = target.catalog
    if catalog is None or not target.strict or NEWER_THAN not in catalog.releases:
        return
    newest, bound = len(catalog.releases) - 1, catalog.position(NEWER_THAN)
    for page, _, mentions in target.mentions:
        noted = _noted(mentions, catalog)
        for mention in mentions:
            places = accepted_places(catalog, mention.name)
            # A name the newest release does not take is a matter of flag_version.
            if newest not in places or min(places) <= bound or mention.role == "quoted":
                continue
            if mention.name not in noted:
                message = (
                    f"`{mention.name}` is newer than {NEWER_THAN}: write the versions behind it,"
                    f" expected {spans_text(catalog, places)}"
                )
                yield Problem(page.document.path, mention.line, message)


def flag_value(target: LintTarget) -> Iterator[Problem]:
    """Report values a flag does not take in the newest of the releases it is printed for.

    Not where the section names another program that has a flag of the same name.
    """
    catalog = target.catalog
    if catalog is None:
        return
    for page, section, mention in _mentions(target):
        history = catalog.flags.get(mention.name)
        if history is None or mention.value is None or mention.role == "quoted":
            continue
        note = read_note(mention.after, catalog)
        places = note.places if isinstance(note, VersionNote) else ()
        choices = _choices(catalog, history, max(places, default=len(catalog.releases) - 1))
        if not choices or not _is_literal(mention.value) or mention.value in choices:
            continue
        if not _is_other_programs(catalog, section, mention.name):
            message = (
                f"`{mention.name}` does not take `{mention.value}`: expected one of"
                f" {', '.join(choices)}"
            )
            yield Problem(page.document.path, mention.line, message)


def _mentions(target: LintTarget) -> Iterator[tuple[Page, Section, Mention]]:
    for page, section, mentions in target.mentions:
        for mention in mentions:
            yield page, section, mention


def _is_other_programs(catalog: Catalog, section: Section, flag: str) -> bool:
    """Whether the section names another program that has `flag`."""
    owners = programs_with(catalog.folder, flag)
    return any(owner.is_named(section.markdown) for owner in owners)


def _noted(mentions: Iterable[Mention], catalog: Catalog) -> frozenset[str]:
    """Return the names that have a note on their releases anywhere among `mentions`."""
    return frozenset(
        mention.name for mention in mentions if read_note(mention.after, catalog) is not None
    )


def _choices(catalog: Catalog, history: FlagHistory, place: int) -> tuple[str, ...]:
    for run in history.runs:
        if catalog.position(run.first) <= place <= catalog.position(run.last):
            return tuple(str(choice) for choice in run.form.choices or ())
    return ()


def _is_literal(value: str) -> bool:
    """Whether a value is one to type, not a placeholder such as NAME, <name> or …."""
    return value == value.lower() and not any(sign in value for sign in "<>…{}$*")
