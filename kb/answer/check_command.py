"""A launch command and a version → one note per flag: is it accepted, and is its value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from kb.answer.command import LaunchCommand, Option
from kb.catalog.catalog import Catalog
from kb.catalog.flags import FlagVerdict, check_flag, flag_note
from kb.strings import text
from kb.types import FlagNote, Language

__all__ = ["CheckedOption", "check_command", "examine", "judge", "value_problem"]

# Values that stand for others: `$MODEL`, `<rank-0-ip>`, `{{ .Values.model }}`, `...`.
_STAND_IN = re.compile(r"\$|<|\{\{|…|\.\.\.")
_CONVERTERS = {
    "int": re.compile(r"[+-]?\d+(?:_\d+)*"),
    "float": re.compile(r"[+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:inf|nan)"),
    "human_readable_int": re.compile(r"[+-]?\d+(?:_\d+)*|\d+(?:\.\d+)?[kMGT]|\d+[KMGT]i"),
}
# What a value has to be besides its type: lowest, highest, whether the ends themselves are allowed.
_RANGES: Mapping[str, tuple[float, float, bool]] = {
    "--mem-fraction-static": (0, 1, False),  # a share of the GPU's memory
    "--port": (1, 65535, True),
    "--tp-size": (1, 4096, True),
    "--pp-size": (1, 4096, True),
    "--dp-size": (1, 4096, True),
    "--attn-dp-size": (1, 4096, True),
    "--ep-size": (1, 4096, True),
    "--nnodes": (1, 4096, True),
}


@dataclass(frozen=True, slots=True)
class CheckedOption:
    """A flag of a command with what the catalogue says of it."""

    option: Option
    verdict: FlagVerdict
    note: FlagNote
    is_fine: bool  # the server would start with it, as far as the catalogue knows


def check_command(
    command: LaunchCommand, catalog: Catalog, version: str | None, language: Language
) -> tuple[FlagNote, ...]:
    """Return one note per flag of the command, in order; CatalogError if `version` is none."""
    return tuple(checked.note for checked in examine(command, catalog, version, language))


def examine(
    command: LaunchCommand, catalog: Catalog, version: str | None, language: Language
) -> tuple[CheckedOption, ...]:
    """Return each flag of the command with its verdict and its note, in order."""
    examined = []
    for option in command.options:
        verdict = judge(option.flag, catalog, version)
        note = flag_note(verdict, language)
        if option.flag[0] in "–—":
            sentence = text("command.smart_dash", language, flag=option.flag, use=verdict.flag)
            note = FlagNote(option.flag, "unknown", verdict.use or verdict.flag, sentence)
        problem = value_problem(option, verdict, language)
        if problem:
            note = replace(note, note=f"{note.note} {problem}")
        is_fine = problem is None and note.status in ("accepted", "deprecated")
        examined.append(CheckedOption(option, verdict, note, is_fine))
    return tuple(examined)


def judge(flag: str, catalog: Catalog, version: str | None) -> FlagVerdict:
    """Judge a flag as written in a command; a typographic dash is read as the two hyphens meant."""
    return check_flag(catalog, re.sub(r"\A[–—]-?", "--", flag), version)


def value_problem(option: Option, verdict: FlagVerdict, language: Language) -> str | None:
    """Say what is wrong with the option's values in that version, None if nothing is known to be.

    Variables and placeholders are not judged.
    """
    form = verdict.form
    if form is None:
        return None
    values = [value.value for value in option.values]
    slots: dict[str, object] = {"flag": option.flag, "value": " ".join(values)}
    if _is_python(option):
        return None
    if form.is_switch:
        return text("command.takes_no_value", language, **slots) if values else None
    if not values:
        if form.nargs in ("?", "*"):
            return None
        return text("command.needs_value", language, **slots)
    if form.nargs is None and len(values) > 1:
        slots["value"] = " ".join(values[1:])
        return text("command.too_many_values", language, **slots)
    for value in values:
        if _STAND_IN.search(value):
            continue
        slots["value"] = value
        converter = _CONVERTERS.get(form.type or "")
        if converter and not converter.fullmatch(value):
            return text(f"command.not_{form.type}", language, **slots)
        if form.choices and value not in map(str, form.choices):
            slots["choices"] = ", ".join(f"`{choice}`" for choice in form.choices)
            return text("command.not_a_choice", language, release=verdict.release, **slots)
        limits = _RANGES.get(verdict.name or "")
        if limits and form.type in ("int", "float") and not _in_range(float(value), *limits):
            low, high, _ = limits
            return text("command.out_of_range", language, low=low, high=high, **slots)
    return None


def _is_python(option: Option) -> bool:
    """Whether this is a keyword argument of a call: its value is Python, not a word."""
    return not option.flag.startswith(("-", "–", "—"))


def _in_range(value: float, low: float, high: float, ends: bool) -> bool:
    return low <= value <= high if ends else low < value < high
