"""Environment variables that are set, and a version → one note per variable of SGLang's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kb.catalog.catalog import Catalog
from kb.catalog.flags import FlagVerdict, flag_note
from kb.catalog.variables import check_variable, is_sglangs
from kb.types import FlagNote, Language

__all__ = ["CheckedVariable", "check_variables"]


@dataclass(frozen=True, slots=True)
class CheckedVariable:
    """A variable with what the catalogue says of it."""

    verdict: FlagVerdict
    note: FlagNote

    @property
    def is_fine(self) -> bool:
        """Whether the release reads it: a server starts with any, and ignores what it doesn't."""
        return self.note.status in ("accepted", "deprecated")


def check_variables(
    names: Iterable[str], catalog: Catalog, version: str | None, language: Language
) -> tuple[CheckedVariable, ...]:
    """Return a note for each of SGLang's names, once, in order; CatalogError if `version` is none.

    Variables of CUDA, NCCL, the Hub and others are left alone.
    """
    own = dict.fromkeys(name for name in names if is_sglangs(name))
    verdicts = [check_variable(catalog, name, version) for name in own]
    return tuple(CheckedVariable(verdict, flag_note(verdict, language)) for verdict in verdicts)
