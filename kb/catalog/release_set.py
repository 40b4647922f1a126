"""Merges releases into histories and back: what the catalogue's files hold, and how they grow.

Each file keeps runs of consecutive releases. To add a release, the runs are spread out to one
entry per release, the release's own entries are put in, and the runs are made again: the result
depends on the releases alone, not on the order in which they were added. A run that reaches the
newest release has `null` for its end, so that a new release changes only what it changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from packaging.version import Version

from kb.catalog.forms import FlagForm, VariableForm

__all__ = ["Extraction", "MessageFacts", "ReleaseSet"]

# template → (kind, file) of where it stands
MessageFacts = Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that was read from one release."""

    version: str
    date: str | None  # "2026-10-30"
    flags: Mapping[str, FlagForm]
    variables: Mapping[str, VariableForm]
    messages: MessageFacts


@dataclass(slots=True)
class ReleaseSet:
    """Releases spread out: for each thing, its facts (as JSON has them) in each release."""

    dates: dict[str, str | None] = field(default_factory=dict)  # release → date
    flags: dict[str, dict[str, Any]] = field(default_factory=dict)  # name → release → facts
    variables: dict[str, dict[str, Any]] = field(default_factory=dict)
    messages: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> ReleaseSet:
        """Read a catalogue folder; an empty or missing one gives an empty set."""
        path = folder / "releases.json"
        if not path.is_file():
            return cls()
        result = cls(dict(json.loads(path.read_text(encoding="utf-8"))))
        order = list(result.dates)
        for name, runs in _lines(folder / "flags.jsonl"):
            result.flags[name] = _spread(runs, order)
        for name, runs in _lines(folder / "variables.jsonl"):
            result.variables[name] = _spread(runs, order)
        for template, kind, file, *ends in _lines(folder / "messages.jsonl"):
            spans = zip(ends[::2], ends[1::2], strict=True)
            result.messages[template] = _spread(
                [(first, last, [kind, file]) for first, last in spans], order
            )
        return result

    def add(self, extraction: Extraction) -> None:
        """Put in a release, in place of what was known of it."""
        version = extraction.version
        known_date = self.dates.get(version)
        self.dates[version] = extraction.date or known_date
        self.dates = dict(sorted(self.dates.items(), key=lambda item: Version(item[0])))
        flags = {name: _facts(form) for name, form in extraction.flags.items()}
        variables = {name: _facts(form) for name, form in extraction.variables.items()}
        messages = {template: list(place) for template, place in extraction.messages.items()}
        _replace(self.flags, version, flags)
        _replace(self.variables, version, variables)
        _replace(self.messages, version, messages)

    def write(self, folder: Path) -> None:
        """Write the catalogue's files, sorted, one entry a line."""
        folder.mkdir(parents=True, exist_ok=True)
        order = list(self.dates)
        _write(
            folder / "releases.json",
            ["[", *_joined(_dump(list(item)) for item in self.dates.items()), "]"],
        )
        for file, table in (("flags.jsonl", self.flags), ("variables.jsonl", self.variables)):
            _write(
                folder / file,
                (_dump([name, _runs(table[name], order)]) for name in sorted(table)),
            )
        _write(folder / "messages.jsonl", _message_lines(self.messages, order))


def _message_lines(messages: Mapping[str, Mapping[str, Any]], order: list[str]) -> Iterator[str]:
    for template in sorted(messages):
        facts = messages[template]
        newest = max(facts, key=order.index)
        spans = _runs(dict.fromkeys(facts, True), order)
        yield _dump([template, *facts[newest], *(end for run in spans for end in run[:2])])


def _replace(table: dict[str, dict[str, Any]], version: str, facts: Mapping[str, Any]) -> None:
    for name in [name for name, by_release in table.items() if version in by_release]:
        del table[name][version]
        if not table[name] and name not in facts:
            del table[name]
    for name, entry in facts.items():
        table.setdefault(name, {})[version] = entry


def _spread(runs: Iterable[Any], order: list[str]) -> dict[str, Any]:
    by_release = {}
    for first, last, facts in runs:
        end = order.index(last) if last else len(order) - 1
        for release in order[order.index(first) : end + 1]:
            by_release[release] = facts
    return by_release


def _runs(by_release: Mapping[str, Any], order: list[str]) -> list[list[Any]]:
    runs: list[list[Any]] = []
    previous: Any = None
    for release in order:
        facts = by_release.get(release)
        if facts is not None:
            if runs and previous == facts:
                runs[-1][1] = release
            else:
                runs.append([release, release, facts])
        previous = facts
    for run in runs:
        if run[1] == order[-1]:
            run[1] = None
    return runs


def _facts(form: FlagForm | VariableForm) -> dict[str, Any]:
    """Return the fields that differ from their default, as JSON has them."""
    facts = {}
    for entry in fields(form):
        value = getattr(form, entry.name)
        # 0 and False are equal, but not the same default
        if value != entry.default or type(value) is not type(entry.default):
            facts[entry.name] = list(value) if isinstance(value, tuple) else value
    return facts


def _lines(path: Path) -> Iterator[Any]:
    if path.is_file():
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line:
                yield json.loads(line)


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _joined(lines: Iterable[str]) -> list[str]:
    rows = list(lines)
    return [row + "," for row in rows[:-1]] + rows[-1:]


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")
