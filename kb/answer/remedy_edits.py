"""One remedy and one command → the edits it takes, or what holds already, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kb.answer.check_command import judge
from kb.answer.command import LaunchCommand, Option
from kb.answer.edits import Edit, add_flag, add_variable, remove_option, set_values
from kb.answer.remedies import Argument, Remedy
from kb.answer.server_args import key_of
from kb.answer.value_order import (
    Direction,
    direction_of,
    is_default,
    is_json,
    names_of,
    reached,
    reached_in,
)
from kb.catalog.catalog import Catalog
from kb.types import CommandChange

__all__ = ["Outcome", "Unset", "try_remedy"]

# Flags of docker that may stand once only.
_ONCE = frozenset({"--gpus", "--ipc", "--network", "--shm-size"})


@dataclass(frozen=True, slots=True)
class Unset:
    """A flag that the command does not set, so that its value is the server's own choice."""

    flag: str
    field: str  # its key in a `server_args=` line
    wanted: str  # the remedy's value
    direction: Direction


@dataclass(slots=True)
class Outcome:
    """What one remedy comes to for one command."""

    edits: list[Edit] = field(default_factory=list)
    changes: list[CommandChange] = field(default_factory=list)
    holds: str | None = None  # what is in force already, as written
    unset: Unset | None = None
    possible: bool = True  # False: part of it cannot be made, so that nothing may be


def try_remedy(
    command: LaunchCommand,
    remedy: Remedy,
    remedies: Sequence[Remedy],
    catalog: Catalog,
    version: str | None,
) -> Outcome:
    """Return what `remedy`, one of the section's `remedies`, comes to for `command`."""
    trial = _Trial(command, remedies, catalog, version)
    for argument in remedy.arguments:
        if remedy.action == "remove":
            trial.remove(argument)
        elif argument.kind == "variable":
            trial.set_variable(argument)
        elif argument.kind == "docker":
            trial.set_docker(argument)
        else:
            trial.set_flag(argument)
    return trial.outcome


class _Trial:
    def __init__(
        self,
        command: LaunchCommand,
        remedies: Sequence[Remedy],
        catalog: Catalog,
        version: str | None,
    ) -> None:
        self.command = command
        self.remedies = remedies
        self.catalog = catalog
        self.version = version
        self.outcome = Outcome()

    def set_flag(self, argument: Argument) -> None:
        same = self._said_otherwise(argument)
        if same is not None:
            self.outcome.holds = self._written(same)
            return
        option = next(self._present(argument), None)
        if option is None:
            self._add_flag(argument)
            return
        accepted = self._accepts(option)
        if accepted and not self._is_open(option, argument):
            return
        values, name = argument.values, None
        if not accepted:
            name = argument.name
            if option.values and not self._is_open(option, argument):
                self.outcome.holds = None  # its value stays, under the name the release takes
                values = tuple(self.command.text[v.start : v.end] for v in option.values)
        edit, new = set_values(self.command, option, values, name)
        self._edit(edit, option.flag, self._written(option), new)

    def remove(self, argument: Argument) -> None:
        for option in self._present(argument):
            if argument.values and _joined(option) != " ".join(argument.values):
                continue
            edit = remove_option(self.command, option)
            self._edit(edit, option.flag, self._written(option), None)

    def set_variable(self, argument: Argument) -> None:
        name, value = argument.name, argument.values[0]
        present = [item for item in self.command.variables if item.flag == name]
        if present:
            if self._is_open(present[-1], argument):
                edit, new = set_values(self.command, present[-1], argument.values, None)
                self._edit(edit, name, self._written(present[-1]), new)
            return
        if is_default(argument):
            return
        added = add_variable(self.command, name, value)
        if added is None:
            self.outcome.possible = False
            return
        self._edit(added, name, None, f"{name}={value}")

    def set_docker(self, argument: Argument) -> None:
        if self.command.container is None:
            self.outcome.possible = False
            return
        present = [item for item in self.command.container_options if item.flag == argument.name]
        for item in present:
            once = argument.name in _ONCE
            if reached(_joined(item), " ".join(argument.values), "raise" if once else None):
                self.outcome.holds = self._written(item)
                return
        if present and argument.name in _ONCE:
            edit, new = set_values(self.command, present[0], argument.values, None)
            self._edit(edit, argument.name, self._written(present[0]), new)
            return
        new = " ".join((argument.name, *argument.values))
        at = self.command.container
        self._edit(Edit(at, at, f" {new}"), argument.name, None, new)

    def _add_flag(self, argument: Argument) -> None:
        assert argument.verdict is not None and argument.verdict.form is not None
        form, key = argument.verdict.form, key_of(argument.verdict.form)
        in_force = self._in_force(argument)
        wanted = " ".join(argument.values)
        direction = direction_of(argument, self.remedies)
        if in_force is not None:
            known = reached_in(in_force, argument, self.remedies) if argument.values else True
            if known or known is None:
                self.outcome.holds = f"{key}={in_force}" if known else None
                return
        elif is_default(argument):
            return
        elif argument.values and argument.verdict.default is None and direction is not None:
            self.outcome.unset = Unset(argument.name, key, wanted, direction)
        name = key if self.command.style == "call" else argument.name
        edit, new = add_flag(self.command, name, argument.values, form.is_switch)
        self._edit(edit, argument.name, None, new)

    def _is_open(self, option: Option, argument: Argument) -> bool:
        """Whether the value that is written is to be changed; notes what holds."""
        if not argument.values:
            known: bool | None = True
        elif not option.values:
            return True
        else:
            wanted = " ".join(argument.values)
            known = reached_in(_joined(option), argument, self.remedies)
            if not known and is_json(wanted):
                return False
            if known is None and is_default(argument):
                known = False  # back to the default, from wherever
        if known:
            self.outcome.holds = self._written(option)
        return known is False

    def _edit(self, edit: Edit, flag: str, old: str | None, new: str | None) -> None:
        self.outcome.edits.append(edit)
        self.outcome.changes.append(CommandChange(flag, old, new))

    def _written(self, option: Option) -> str:
        return self.command.text[option.start : option.end]

    def _present(self, argument: Argument) -> Iterator[Option]:
        """Yield the command's options that the remedy speaks of, whatever their name, last first.

        The parser takes the last of several.
        """
        wanted = names_of(argument)
        for option in reversed(self.command.options):
            verdict = judge(option.flag, self.catalog, self.version)
            same = argument.verdict is not None and verdict.name == argument.verdict.name
            # A renamed flag is the same one only if both take a value, or neither does.
            alike = bool(option.values) == bool(argument.values)
            if (same and verdict.name is not None) or (wanted & names_of(verdict) and alike):
                yield option

    def _said_otherwise(self, argument: Argument) -> Option | None:
        """Return the option that says the same in other words: `--disable-x` and `--x=disabled`."""
        for option in self.command.options:
            if bool(option.values) == bool(argument.values):
                continue
            verdict = judge(option.flag, self.catalog, self.version)
            instead = (verdict.replacement or "").split()
            if argument.values and f"{argument.name}={' '.join(argument.values)}" in instead:
                return option
            instead = ((argument.verdict and argument.verdict.replacement) or "").split()
            if option.values and f"{verdict.name}={_joined(option)}" in instead:
                return option
        return None

    def _accepts(self, option: Option) -> bool:
        verdict = judge(option.flag, self.catalog, self.version)
        dashes = option.flag.startswith("--") or self.command.style == "call"
        return dashes and verdict.status in ("accepted", "deprecated")

    def _in_force(self, argument: Argument) -> str | None:
        """Return what the server says it ran with where the command does not set the flag."""
        assert argument.verdict is not None and argument.verdict.form is not None
        value = self.command.in_force.get(key_of(argument.verdict.form))
        if argument.verdict.form.is_switch:
            return "True" if value is True else None
        return None if value is None or isinstance(value, bool) else str(value)


def _joined(option: Option) -> str:
    return " ".join(value.value for value in option.values)
