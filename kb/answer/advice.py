"""A launch command and a section's remedies → the command with the first that changes it made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kb.answer.check_command import judge
from kb.answer.command import LaunchCommand, Option
from kb.answer.edits import Edit, add_flag, add_variable, apply_edits, remove_option, set_values
from kb.answer.fix_flags import fix_flags
from kb.answer.remedies import FlagValue, Remedy, remedies_from_section
from kb.answer.remedy_wording import Direction
from kb.answer.server_args import key_of
from kb.catalog.catalog import Catalog
from kb.strings import text
from kb.types import CommandAdvice, CommandChange, Language

__all__ = ["Advice", "advise", "apply_remedy"]


# Sections whose remedies are examples of renames: the cure is in the command itself.
_ABOUT_FLAGS = re.compile(r"\{#(?:unrecognized-arguments|ambiguous-option)[ }]")


@dataclass(frozen=True, slots=True)
class Advice:
    """What a section's remedies come to for one command."""

    command: CommandAdvice | None  # None: no remedy changes anything
    notes: tuple[str, ...]  # remedies passed over because they already hold, in the language


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
) -> Advice:
    """As `apply_remedy`, and say which remedies already hold.

    Give the English text of the section where there is one: code spans are the same in every
    language, and what a sentence says to do with a flag is read more surely in English. `paste`
    decides on items that are for one message only. Where the section is about the spelling of
    flags, the command's own are renamed instead.
    """
    heading = section_markdown.split("\n", 1)[0]
    if _ABOUT_FLAGS.search(heading):
        return Advice(fix_flags(command, catalog, version), ())
    remedies = remedies_from_section(section_markdown, catalog, version, paste)
    notes: list[str] = []
    for remedy in remedies:
        applied = _Applied(command, remedy, remedies, catalog, version)
        if applied.edits:
            suggested = apply_edits(command.text, [edit for edit, _ in applied.edits])
            changes = tuple(change for _, change in applied.edits)
            return Advice(CommandAdvice(command.text, suggested, changes), tuple(notes))
        if applied.holds is not None:
            notes.append(
                text("command.already", language, present=applied.holds, remedy=remedy.text)
            )
    return Advice(None, tuple(notes))


class _Applied:
    """One remedy tried on one command: the edits it takes, or what holds already."""

    def __init__(
        self,
        command: LaunchCommand,
        remedy: Remedy,
        remedies: Sequence[Remedy],
        catalog: Catalog,
        version: str | None,
    ) -> None:
        self.command = command
        self.remedies = remedies
        self.catalog = catalog
        self.version = version
        self.edits: list[tuple[Edit, CommandChange]] = []
        self.holds: str | None = None
        for flag in remedy.flags:
            if remedy.kind == "variable":
                self._variable(flag)
            elif remedy.kind == "docker":
                self._docker(flag)
            elif remedy.kind == "remove":
                self._remove(flag)
            else:
                self._set(flag, remedy.direction)

    def _set(self, flag: FlagValue, direction: Direction | None) -> None:
        same = self._said_otherwise(flag)
        if same is not None:
            self.holds = self.command.text[same.start : same.end]
            return
        option = self._present(flag)
        if option is None:
            in_force = self._in_force(flag)
            if in_force is not None and self._stands(in_force, flag, direction):
                self.holds = f"{_field(flag)}={in_force}"
                return
            edit, new = add_flag(self.command, self._name(flag), flag.values, _is_switch(flag))
            self.edits.append((edit, CommandChange(flag.flag, None, new)))
            return
        written = self.command.text[option.start : option.end]
        accepted = self._accepts(option)
        if not flag.values:
            if accepted:
                self.holds = written
                return
        elif accepted and option.values and self._stands(_joined(option), flag, direction):
            self.holds = written
            return
        edit, new = set_values(self.command, option, flag.values, None if accepted else flag.flag)
        self.edits.append((edit, CommandChange(option.flag, written, new)))

    def _remove(self, flag: FlagValue) -> None:
        option = self._present(flag)
        if option is None or (flag.values and _joined(option) != " ".join(flag.values)):
            return
        written = self.command.text[option.start : option.end]
        edit = remove_option(self.command, option)
        self.edits.append((edit, CommandChange(option.flag, written, None)))

    def _variable(self, flag: FlagValue) -> None:
        present = [item for item in self.command.variables if item.flag == flag.flag]
        if present:
            option = present[-1]
            written = self.command.text[option.start : option.end]
            if _joined(option) == flag.values[0]:
                self.holds = written
                return
            edit, new = set_values(self.command, option, flag.values, None)
            self.edits.append((edit, CommandChange(flag.flag, written, new)))
            return
        added = add_variable(self.command, flag.flag, flag.values[0])
        if added is not None:
            self.edits.append(
                (added, CommandChange(flag.flag, None, f"{flag.flag}={flag.values[0]}"))
            )

    def _docker(self, flag: FlagValue) -> None:
        if self.command.container is None:
            return
        present = [item for item in self.command.container_options if item.flag == flag.flag]
        if any(_joined(item) == " ".join(flag.values) for item in present):
            self.holds = self.command.text[present[0].start : present[0].end]
            return
        if present and flag.flag in ("--ipc", "--network", "--shm-size", "--gpus"):
            option = present[0]
            written = self.command.text[option.start : option.end]
            edit, new = set_values(self.command, option, flag.values, None)
            self.edits.append((edit, CommandChange(flag.flag, written, new)))
            return
        new = " ".join((flag.flag, *flag.values))
        at = self.command.container
        self.edits.append((Edit(at, at, f" {new}"), CommandChange(flag.flag, None, new)))

    def _present(self, flag: FlagValue) -> Option | None:
        """Return the command's own option that the remedy speaks of, under whichever name."""
        wanted = _names(flag.verdict)
        for option in reversed(self.command.options):
            verdict = judge(option.flag, self.catalog, self.version)
            if verdict.name is not None and flag.verdict and verdict.name == flag.verdict.name:
                return option
            # A renamed flag is the same one only if both take a value, or neither does.
            if wanted & _names(verdict) and bool(option.values) == bool(flag.values):
                return option
        return None

    def _said_otherwise(self, flag: FlagValue) -> Option | None:
        """Return the option that says the same in other words: `--disable-x` and `--x=disabled`."""
        for option in self.command.options:
            if bool(option.values) == bool(flag.values):
                continue
            verdict = judge(option.flag, self.catalog, self.version)
            instead = (verdict.replacement or "").split()
            if flag.values and f"{flag.flag}={' '.join(flag.values)}" in instead:
                return option
            instead = ((flag.verdict and flag.verdict.replacement) or "").split()
            if option.values and f"{verdict.name}={_joined(option)}" in instead:
                return option
        return None

    def _accepts(self, option: Option) -> bool:
        verdict = judge(option.flag, self.catalog, self.version)
        dashes = option.flag.startswith("--") or self.command.style == "call"
        return dashes and verdict.status in ("accepted", "deprecated")

    def _name(self, flag: FlagValue) -> str:
        """Return the flag as this command would write it: a keyword in a Python call."""
        return _field(flag) if self.command.style == "call" else flag.flag

    def _in_force(self, flag: FlagValue) -> str | None:
        """Return what the server says it ran with where the command does not set the flag."""
        form = flag.verdict.form if flag.verdict else None
        if form is None:
            return None
        value = self.command.in_force.get(key_of(form))
        if form.is_switch:
            return "True" if value is True else None
        return None if value is None or isinstance(value, bool) else str(value)

    def _stands(self, present: str, flag: FlagValue, said: Direction | None) -> bool:
        """Whether the present value is at the remedy's already, or past it."""
        if not flag.values:
            return True
        wanted = " ".join(flag.values)
        if present.strip("'\"") == wanted.strip("'\""):
            return True
        now, target = _number(present), _number(wanted)
        if now is None or target is None:
            return False
        if now == target:
            return True
        direction = self._direction(flag, target) or said
        if now < 0 <= target:
            return False  # a negative value switches the limit off: nothing is past it
        if direction == "lower":
            return now < target
        return direction == "raise" and now > target

    def _direction(self, flag: FlagValue, target: float) -> Direction | None:
        """Return where the section's values of this flag lead: they are listed in that order."""
        listed = [
            number
            for remedy in self.remedies
            for other in remedy.flags
            if _names(other.verdict) & _names(flag.verdict)
            for number in [_number(" ".join(other.values))]
            if number is not None
        ]
        if len(listed) > 1:
            if all(a > b for a, b in pairwise(listed)):
                return "lower"
            if all(a < b for a, b in pairwise(listed)):
                return "raise"
            return None
        default = _number(str(flag.verdict.default)) if flag.verdict else None
        if default is None or default == target or default < 0:
            return None
        return "lower" if target < default else "raise"


def _names(verdict: object) -> set[str]:
    names = (getattr(verdict, "name", None), getattr(verdict, "use", None))
    return {name for name in names if name}


def _field(flag: FlagValue) -> str:
    """Return the key under which the server keeps the flag's value."""
    form = flag.verdict.form if flag.verdict else None
    return key_of(form) if form else flag.flag


def _is_switch(flag: FlagValue) -> bool:
    form = flag.verdict.form if flag.verdict else None
    return form is not None and form.is_switch


def _joined(option: Option) -> str:
    return " ".join(value.value for value in option.values)


_SUFFIXES = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
_NUMBER = re.compile(r"['\"]?([+-]?\d+(?:\.\d+)?)(k|M|G|Ki|Mi|Gi|)['\"]?")


def _number(value: str) -> float | None:
    match = _NUMBER.fullmatch(value)
    return float(match.group(1)) * _SUFFIXES[match.group(2)] if match else None
