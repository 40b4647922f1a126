"""A launch command and a version → the command with the names that version takes."""

from __future__ import annotations

from kb.answer.check_command import judge
from kb.answer.command import LaunchCommand, Option
from kb.answer.edits import Edit, apply_edits
from kb.catalog.catalog import Catalog
from kb.catalog.flags import FlagVerdict
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
    for option in command.options if command.style != "call" else ():
        verdict = judge(option.flag, catalog, version)
        written = _instead(option, verdict, catalog)
        if written is None:
            continue
        old = command.text[option.start : option.end]
        new = old.replace(option.flag, written, 1)
        edits.append(Edit(option.start, option.end, new))
        changes.append(CommandChange(option.flag, old, new))
    if not edits:
        return None
    return CommandAdvice(command.text, apply_edits(command.text, edits), tuple(changes))


def _instead(option: Option, verdict: FlagVerdict, catalog: Catalog) -> str | None:
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
