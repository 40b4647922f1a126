"""The hand-kept table of the programs beside the server: names, command lines, flags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

from kb.catalog.foreign import counterpart
from kb.errors import CatalogError

__all__ = ["Program", "is_foreign_command", "programs", "programs_with"]


@dataclass(frozen=True, slots=True)
class Program:
    """A program whose flags are not the server's."""

    key: str
    names: tuple[str, ...]  # words that name it in a text
    commands: tuple[str, ...]  # what its command lines begin with
    flags: frozenset[str]

    def is_named(self, text: str) -> bool:
        """Whether `text` names the program, whatever the case."""
        return any(
            re.search(rf"(?i)(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text)
            for name in self.names
        )


@lru_cache(maxsize=4)
def programs(folder: Path) -> tuple[Program, ...]:
    """Return the programs of `folder`/programs.yaml, none where there is no such file."""
    path = folder / "programs.yaml"
    if not path.is_file():
        return ()
    try:
        table = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        return tuple(
            Program(key, tuple(row["names"]), tuple(row["commands"]), frozenset(row["flags"]))
            for key, row in table.items()
        )
    except (yaml.YAMLError, KeyError, TypeError, AttributeError) as problem:
        raise CatalogError(
            f"{path} cannot be read ({problem}): expected for each program lists of `names`,"
            " `commands` and `flags`"
        ) from problem


def programs_with(folder: Path, flag: str) -> Iterator[Program]:
    """Yield the programs that have `flag`; those of foreign.yaml too."""
    for program in programs(folder):
        if flag in program.flags:
            yield program
    foreign = counterpart(folder, flag)
    if foreign is not None:
        yield Program(foreign.program, (foreign.program,), (), frozenset({flag}))


def is_foreign_command(folder: Path, words: Sequence[str]) -> bool:
    """Whether the words of a command line begin with another program's command, or a path."""
    line = " ".join(words)
    for program in programs(folder):
        for command in program.commands:
            if line == command or line.startswith(command + " "):
                return True
    first = words[0] if words else ""
    return bool(re.fullmatch(r"python[\d.]*|[\w$./~{}-]*/[\w.-]+|[\w./-]+\.(?:py|sh)", first))
