"""A launch command and a version → the command with the names that version takes."""

from __future__ import annotations

from kb.answer.check_command import judge
from kb.answer.command import LaunchCommand, Option
from kb.answer.edits import Edit, apply_edits
from kb.catalog.catalog import Catalog
from kb.catalog.flags import FlagVerdict
from kb.catalog.variables import check_variable, is_sglangs
from kb.types import CommandAdvice, CommandChange

__all__ = ["fix_flags"]


def fix_flags(
    command: LaunchCommand, catalog: Catalog, version: str | None
) -> CommandAdvice | None:
    """Rename what `version` refuses, each value kept; None if there is nothing to rename.

    Only where the catalogue knows what to write and the value can stay as it is: no value is
    made up, and guesses at slips of the pen are renamed for hyphens and dashes alone.
    """
    edits: list[Edit] = []
    changes: list[CommandChange] = []
    options = command.options if command.style != "call" else ()
    renamed = [
        *((option, _instead(option, catalog, version)) for option in options),
        *((one, _variable_instead(one, catalog, version)) for one in command.variables),
    ]
    for option, written in renamed:
        if written is not None:
            old = command.text[option.start : option.end]
            new = old.replace(option.flag, written, 1)
            edits.append(Edit(option.start, option.end, new))
            changes.append(CommandChange(option.flag, old, new))
    if not edits:
        return None
    suggested = apply_edits(command.text, edits)
    return CommandAdvice(command.text, suggested, tuple(changes), command.offset < 0)


def _variable_instead(variable: Option, catalog: Catalog, version: str | None) -> str | None:
    """Return the variable to set in the place of one that is not read, its value as it is."""
    if not is_sglangs(variable.flag):
        return None
    verdict = check_variable(catalog, variable.flag, version)
    # A deprecated one still works; a guess at a slip of the pen is for the reader to judge; of a
    # renamed one with other words in its name the value may mean something else.
    words = variable.flag.partition("_")[2]
    same = verdict.use is not None and verdict.use.partition("_")[2] == words
    return verdict.use if same and verdict.status in ("removed", "not_yet", "unknown") else None


def _instead(option: Option, catalog: Catalog, version: str | None) -> str | None:
    verdict = judge(option.flag, catalog, version)
    if verdict.status in ("accepted", "deprecated"):
        return verdict.flag if option.flag != verdict.flag and option.flag[0] in "–—" else None
    if verdict.use is None or (verdict.status == "unknown" and not _same_but_dashes(verdict)):
        return None
    written = verdict.replacement or verdict.use
    if written != verdict.use:  # with its value, or several flags: only for what had no value
        return written if not option.values else None
    found = catalog.options(verdict.release).get(verdict.use)
    if found is None or found[1].is_switch == bool(option.values):
        return None
    return written


def _same_but_dashes(verdict: FlagVerdict) -> bool:
    return verdict.use == verdict.flag.partition("=")[0].replace("_", "-")
