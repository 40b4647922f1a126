"""The catalogue as read from its folder: histories of flags, variables and messages."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, overload

from kb.catalog.foreign import renames
from kb.catalog.forms import (
    SERVE_ONLY,
    FlagForm,
    FlagHistory,
    MessageTemplate,
    Run,
    VariableForm,
    VariableHistory,
)
from kb.errors import CatalogError
from kb.settings import content_folder
from kb.strings import texts

__all__ = ["Catalog", "JudgedRelease"]


@dataclass(frozen=True, slots=True)
class JudgedRelease:
    """The release by which a version is judged."""

    release: str
    remark: str  # "exact", "unstated" (the newest stands in), "newer" (than all known), "nearest"


class Catalog:
    """Every flag, variable and message of every release of SGLang; read once, file by file."""

    def __init__(self, folder: Path) -> None:
        """Read the list of releases from `folder`; everything else when it is asked for."""
        self.folder = folder
        releases = json.loads(_read(folder / "releases.json"))
        self.releases: tuple[str, ...] = tuple(version for version, _ in releases)
        self.dates: Mapping[str, str] = dict(releases)  # release → "2026-10-30"
        self._spans: dict[str, tuple[tuple[str, str], ...]] = {}
        self._position = {version: index for index, version in enumerate(self.releases)}

    @classmethod
    def load(cls, folder: Path | None = None) -> Catalog:
        """Return the catalogue of `folder` (default: the shipped one), read once per process."""
        return _load((folder or content_folder() / "catalog").resolve())

    @property
    def newest(self) -> str:
        """Return the newest release."""
        return self.releases[-1]

    @cached_property
    def flags(self) -> Mapping[str, FlagHistory]:
        """Return every option string that ever was, aliases too, with its option's history."""
        histories: dict[str, FlagHistory] = {}
        for name, rows in self._rows("flags.jsonl"):
            runs, spans = self._runs(rows, _flag_form)
            histories[name] = FlagHistory(name, runs, spans)
        for history in tuple(histories.values()):
            for alias in history.aliases:
                histories.setdefault(alias, history)
        return histories

    @cached_property
    def variables(self) -> Mapping[str, VariableHistory]:
        """Return every environment variable that ever was read, with its history."""
        histories = {}
        for name, rows in self._rows("variables.jsonl"):
            runs, spans = self._runs(rows, _variable_form)
            histories[name] = VariableHistory(name, runs, spans)
        return histories

    @cached_property
    def messages(self) -> Sequence[MessageTemplate]:
        """Return every text that ever was raised, logged or printed, sorted by template."""
        return _Messages(self.message_lines, self.newest)

    @cached_property
    def message_lines(self) -> Sequence[bytes]:
        """Return the lines of messages.jsonl as they stand: `["TEMPLATE","KIND","FILE",…]`.

        Whoever goes through all of them needs neither text nor JSON, which take longer to make
        than everything else together.
        """
        content = _read_bytes(self.folder / "messages.jsonl").rstrip(b"\n")
        return content.split(b"\n") if content else []

    @cached_property
    def renames(self) -> Mapping[str, tuple[tuple[str, ...], ...]]:
        """Return the hand-kept replacements of flags: `kb.catalog.foreign.renames`."""
        return renames(self.folder)

    @cached_property
    def fields(self) -> Mapping[str, str]:
        """Return for each key of a `server_args=` line the flag that sets it, newest name first."""
        newest: dict[str, tuple[bool, int, str]] = {}
        for name, history in self.flags.items():
            if name == history.name:
                for run in history.runs:
                    usable = not (run.form.deprecated or run.form.refused)
                    rank = (usable, self._position[run.last], name)
                    if rank > newest.get(run.form.field, (False, -1, "")):
                        newest[run.form.field] = rank
        return {field: name for field, (_, _, name) in newest.items()}

    def position(self, release: str) -> int:
        """Return the place of a release in `releases`; KeyError if it is not one."""
        return self._position[release]

    def release(self, version: str) -> str | None:
        """Return the release that `version` names ("v0.5.9", "0.5.9+cu129"), None if unknown."""
        judged = self.judge(version)
        return judged.release if judged and judged.remark == "exact" else None

    def judge(self, version: str | None) -> JudgedRelease:
        """Return the release that stands for `version`; CatalogError where none can."""
        if version is None:
            return JudgedRelease(self.newest, "unstated")
        if version in self._position:
            return JudgedRelease(version, "exact")
        from packaging.version import InvalidVersion, Version  # 10 ms, on this path alone

        try:
            wanted = Version(version.strip())
        except InvalidVersion:
            said = texts("error.no_version", version=version, newest=self.newest)
            raise CatalogError.of(said) from None
        known = [Version(release) for release in self.releases]
        place = bisect_right(known, Version(wanted.public))
        if place and known[place - 1] == Version(wanted.public):
            return JudgedRelease(self.releases[place - 1], "exact")
        if place == 0:
            oldest, newest = self.releases[0], self.newest
            raise CatalogError.of(
                texts("error.version_too_old", version=version, oldest=oldest, newest=newest)
            )
        if place == len(known):
            return JudgedRelease(self.newest, "newer")
        base = Version(wanted.base_version)
        # A pre-release or nightly is judged by the release it led to.
        if wanted.is_prerelease and base in known:
            return JudgedRelease(self.releases[known.index(base)], "nearest")
        return JudgedRelease(self.releases[place - 1], "nearest")

    def options(self, version: str | None) -> Mapping[str, tuple[FlagHistory, FlagForm]]:
        """Return the option strings of the parser of `version`, each with its history and form."""
        return self.options_of(self.judge(version).release)

    def options_of(self, release: str) -> Mapping[str, tuple[FlagHistory, FlagForm]]:
        """Return what `options` does, for a version that is known to be a release."""
        return self._option_tables[self._position[release]]

    def accepted_spellings(self, version: str | None) -> frozenset[str]:
        """Return every option string the parser of `version` has, `-h` and aliases included."""
        return frozenset(self.options(version))

    def spans_of(self, spelling: str) -> tuple[tuple[str, str], ...]:
        """Return the stretches of releases that accept exactly this option string."""
        known = self._spans.get(spelling)
        if known is None:
            known = self._spans[spelling] = self._find_spans(spelling)
        return known

    def _find_spans(self, spelling: str) -> tuple[tuple[str, str], ...]:
        history = self.flags.get(spelling)
        if history is not None and history.runs[-1].form.kind == SERVE_ONLY:
            return history.spans
        places = [
            place
            for place, release in enumerate(self.releases)
            if spelling in self.options_of(release)
        ]
        return tuple(self._stretches(places))

    @cached_property
    def _option_tables(self) -> Sequence[Mapping[str, tuple[FlagHistory, FlagForm]]]:
        tables: list[dict[str, tuple[FlagHistory, FlagForm]]] = [{} for _ in self.releases]
        for name, history in self.flags.items():
            if name != history.name or history.runs[-1].form.kind == SERVE_ONLY:
                continue
            for run in history.runs:
                entry = (history, run.form)
                first, last = self._position[run.first], self._position[run.last]
                for table in tables[first : last + 1]:
                    table[name] = entry
                    for alias in run.form.aliases:
                        table[alias] = entry
        return tables

    def _rows(self, file: str) -> Iterator[tuple[str, list[Any]]]:
        for number, line in enumerate(_read(self.folder / file).split("\n"), start=1):
            if not line:
                continue
            try:
                name, runs = json.loads(line)
            except ValueError as problem:
                raise CatalogError(
                    f"{self.folder / file}:{number} is no entry of a catalogue ({problem}):"
                    " make it anew with `kb catalog extract`, or take the shipped one."
                ) from problem
            yield name, runs

    def _runs(self, rows: list[Any], form: Any) -> tuple[Any, Any]:
        newest = self.newest
        runs = tuple(Run(first, last or newest, form(facts)) for first, last, facts in rows)
        places = [(self._position[run.first], self._position[run.last]) for run in runs]
        spans: list[list[int]] = []
        for first, last in places:
            if spans and spans[-1][1] + 1 == first:
                spans[-1][1] = last
            else:
                spans.append([first, last])
        return runs, tuple((self.releases[a], self.releases[b]) for a, b in spans)

    def _stretches(self, places: list[int]) -> Iterator[tuple[str, str]]:
        start = 0
        for index, place in enumerate(places):
            if index + 1 == len(places) or places[index + 1] != place + 1:
                yield self.releases[places[start]], self.releases[place]
                start = index + 1


class _Messages(Sequence[MessageTemplate]):
    """Lines of messages.jsonl, made into templates one by one as they are asked for."""

    def __init__(self, lines: Sequence[bytes], newest: str) -> None:
        self._lines = lines
        self._newest = newest

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> MessageTemplate: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[MessageTemplate]: ...

    def __getitem__(self, index: int | slice) -> MessageTemplate | Sequence[MessageTemplate]:
        if isinstance(index, slice):
            return _Messages(self._lines[index], self._newest)
        template, kind, file, *ends = json.loads(self._lines[index])
        spans = tuple(
            (first, last or self._newest) for first, last in zip(ends[::2], ends[1::2], strict=True)
        )
        return MessageTemplate(template, kind, file, spans[0][0], spans[-1][1], spans)


def _flag_form(facts: dict[str, Any]) -> FlagForm:
    for key in ("choices", "aliases", "replaced_by"):
        if key in facts:
            facts[key] = tuple(facts[key])
    return FlagForm(**facts)


def _variable_form(facts: dict[str, Any]) -> VariableForm:
    if "replaced_by" in facts:
        facts["replaced_by"] = tuple(facts["replaced_by"])
    return VariableForm(**facts)


def _read(path: Path) -> str:
    return _read_bytes(path).decode("utf-8")


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise CatalogError(
            f"{path} is missing: the folder {path.parent} is no catalogue. Make one with"
            f" `kb catalog extract WHEEL --output {path.parent}`."
        ) from None


@lru_cache(maxsize=4)
def _load(folder: Path) -> Catalog:
    return Catalog(folder)
