"""Flags of other programs, and renames the sources do not state: two hand-kept tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from kb.errors import CatalogError

__all__ = ["Counterpart", "counterpart", "renames"]


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A flag of another program."""

    program: str  # "vLLM"
    # SGLang's counterparts, best first; flags of one belong together, as one writes them
    written: tuple[tuple[str, ...], ...]


def counterpart(folder: Path, flag: str) -> Counterpart | None:
    """Return whose flag it is and SGLang's counterpart, None if it is in no table."""
    return _foreign(folder).get(flag)


def renames(folder: Path) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Return what to write for flags whose end the sources do not explain, or explain wrongly.

    Best first; the flags of one entry belong together. No entry at all: there is nothing.
    """
    return _renames(folder)


@lru_cache(maxsize=4)
def _foreign(folder: Path) -> dict[str, Counterpart]:
    table: dict[str, Counterpart] = {}
    for program, flags in _yaml(folder / "foreign.yaml").items():
        for flag, counterparts in flags.items():
            written = tuple(tuple(each.split()) for each in counterparts or ())
            table.setdefault(flag, Counterpart(program, written))
    return table


@lru_cache(maxsize=4)
def _renames(folder: Path) -> dict[str, tuple[tuple[str, ...], ...]]:
    return {
        old: tuple(tuple(written.split()) for written in new or ())
        for old, new in _yaml(folder / "renames.yaml").items()
    }


def _yaml(path: Path) -> Mapping[str, Any]:
    import yaml  # 15 ms, needed for flags that are not accepted only

    if not path.is_file():
        return {}
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except yaml.YAMLError as problem:
        raise CatalogError(f"{path} is no valid YAML: {problem}. Mend it by hand.") from problem
    if not isinstance(content, dict):
        raise CatalogError(f"{path} holds a {type(content).__name__}, expected a mapping.")
    return content
