"""A launch command and a release in, what is right and wrong with it out, flag by flag."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.answer.check_command import CheckedOption, examine
from kb.answer.check_variables import CheckedVariable, check_variables
from kb.answer.command import LaunchCommand
from kb.answer.find_command import parse_command
from kb.answer.find_variables import find_variables
from kb.answer.fix_flags import fix_flags
from kb.catalog.catalog import Catalog
from kb.catalog.versions import assumed_release, find_version
from kb.errors import InputError
from kb.strings import text
from kb.types import CommandAdvice, FlagNote, Language

__all__ = ["Diagnosis", "Examination", "diagnose"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A launch command judged flag by flag; the shape of `kb doctor --json`."""

    release: str  # of SGLang, the one judged by
    # One per flag of the command, in its order, then one per variable of SGLang's that is set.
    flags: tuple[FlagNote, ...]
    command: CommandAdvice | None  # with the names that release takes; None: nothing to rename


@dataclass(frozen=True, slots=True)
class Examination:
    """A diagnosis and how it reads."""

    diagnosis: Diagnosis
    text: str  # lines for a reader, in their language
    is_fine: bool  # every flag is accepted, with its value, and every variable is read


def diagnose(command: str, version: str | None, language: Language) -> Examination:
    """Judge flags and variables of a launch command, or of the manifest that it stands in.

    Without `version`, by one the text names, or the newest. Raises InputError where the text holds
    no launch command, CatalogError for no known release.
    """
    launch = parse_command(command)
    names = [variable.name for variable in find_variables(command)]
    if not names and (launch is None or not launch.options):
        raise InputError(text("doctor.no_command", language))
    catalog = Catalog.load()
    # An image tag in the command says the release too.
    release = version or assumed_release(find_version(command.split("\n"), catalog), catalog)
    options = examine(launch, catalog, release, language) if launch else ()
    variables = check_variables(names, catalog, release, language)
    examined: tuple[CheckedOption | CheckedVariable, ...] = (*options, *variables)
    diagnosis = Diagnosis(
        catalog.judge(release).release,
        tuple(checked.note for checked in examined),
        fix_flags(launch, catalog, release) if launch else None,
    )
    judged_by = "doctor.judged_by" if release else "doctor.judged_by_newest"
    heading = text(judged_by, language, release=diagnosis.release)
    fine = "doctor.all_fine_variables" if variables else "doctor.all_fine"
    lines = [heading, *_lines(examined, diagnosis.command, fine, language)]
    is_fine = all(checked.is_fine for checked in examined)
    if launch is not None and _names_no_model(launch):
        if is_fine:
            lines.remove(text(fine, language))
        lines.append(text("doctor.no_model", language))
        is_fine = False
    return Examination(diagnosis, "\n".join(lines), is_fine)


# `sglang serve` takes the model in place of the first flag too; a shell's variable may hold it.
_STARTS = re.compile(r"sglang\.launch_server|\bsglang serve\b(?!\s+[^-\s])")
_MODEL_FLAGS = frozenset({"--model-path", "--model", "--config"})


def _names_no_model(launch: LaunchCommand) -> bool:
    """Whether a whole command that starts a server says nowhere of which model."""
    if "$" in launch.text or not _STARTS.search(launch.text):
        return False
    return not any(option.flag.split("=")[0] in _MODEL_FLAGS for option in launch.options)


def _lines(
    examined: Sequence[CheckedOption | CheckedVariable],
    advice: CommandAdvice | None,
    fine: str,
    language: Language,
) -> list[str]:
    lines = [
        f"  {'ok' if checked.is_fine else '!!'}  {checked.note.flag}  {checked.note.note}"
        for checked in examined
    ]
    if all(checked.is_fine for checked in examined):
        lines.append(text(fine, language))
    if advice is not None:
        lines += ["", text("doctor.suggested", language), advice.suggested]
        left = [
            f"`{checked.note.flag}`"
            for checked in examined
            if not checked.is_fine and re.search(_whole(checked.note.flag), advice.suggested)
        ]
        if left:
            lines.append(text("doctor.left", language, flags=", ".join(left)))
    return lines


def _whole(name: str) -> str:
    return rf"(?<![\w-]){re.escape(name)}(?![\w-])"
