"""Is a flag accepted in a version, and what to write instead: the verdict and its note."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from kb.catalog.catalog import Catalog, JudgedRelease
from kb.catalog.foreign import counterpart, renames
from kb.catalog.forms import FlagForm, FlagHistory, JsonValue
from kb.strings import text
from kb.types import FlagNote, FlagStatus, Language

__all__ = ["FlagVerdict", "check_flag", "flag_note"]

CLOSE_ENOUGH = 0.8  # difflib ratio above which a suggestion is printed as what was meant
Options = Mapping[str, tuple[FlagHistory, FlagForm]]
MAX_RENAMES = 6  # steps from an old name to one that is accepted


@dataclass(frozen=True, slots=True)
class FlagVerdict:
    """What a release of SGLang does with a flag (or environment variable) as it is spelled."""

    flag: str  # as asked, verbatim
    version: str | None  # as asked, verbatim; None: not said
    release: str  # the release it was judged by
    status: FlagStatus
    reason: str  # key in kb.strings of the sentence that says it
    use: str | None = None  # the name to write instead; accepted in `release`
    replacement: str | None = None  # `use` as one writes it, with its value: "--x=disabled"
    name: str | None = None  # the option's own name, also where `flag` is an alias or a prefix
    since: str | None = None  # first release that has this spelling
    last: str | None = None  # last release that has it
    deprecated_since: str | None = None
    candidates: tuple[str, ...] = ()  # what an ambiguous prefix could be, or was perhaps meant
    counterpart_of: str | None = None  # the program whose flag it is: "vLLM"
    default: JsonValue = None
    choices: tuple[JsonValue, ...] | None = None
    form: FlagForm | None = None  # the declaration in `release`, where it is accepted there
    remark: str = "exact"  # how `release` stands for `version`: JudgedRelease.remark


def check_flag(catalog: Catalog, spelling: str, version: str | None) -> FlagVerdict:
    """Judge `spelling` (a flag, `--flag=value`, YAML key or server_args field) for `version`.

    Without a version the newest release judges. CatalogError if `version` is no version.
    """
    judged = catalog.judge(version)
    return _Judge(catalog, spelling, version, judged).verdict()


def flag_note(verdict: FlagVerdict, language: Language) -> FlagNote:
    """Say a verdict in a sentence or two of `language`."""
    slots = {
        "flag": verdict.flag.partition("=")[0] if verdict.flag.startswith("-") else verdict.flag,
        "release": verdict.release,
        "name": verdict.name,
        "use": verdict.replacement or verdict.use,
        "since": verdict.since,
        "last": verdict.last,
        "deprecated_since": verdict.deprecated_since,
        "candidates": ", ".join(f"`{name}`" for name in verdict.candidates),
        "program": verdict.counterpart_of,
        "version": verdict.version,
    }
    sentences = [text(verdict.reason, language, **slots)]
    if verdict.remark != "exact":
        sentences.append(text(f"flag.remark_{verdict.remark}", language, **slots))
    return FlagNote(verdict.flag, verdict.status, verdict.use, " ".join(sentences))


class _Judge:
    """One question to the catalogue."""

    def __init__(
        self, catalog: Catalog, spelling: str, version: str | None, judged: JudgedRelease
    ) -> None:
        self.catalog = catalog
        self.release = judged.release
        self.options = catalog.options(judged.release)
        self.asked = spelling.strip()
        self.flag = _as_flag(self.asked, catalog, self.options)
        self.base = FlagVerdict(
            spelling, version, judged.release, "unknown", "flag.unknown", remark=judged.remark
        )

    def verdict(self) -> FlagVerdict:
        """Return the verdict: exact names first, then prefixes, then history, then guesses."""
        flag = self.flag
        if flag in self.options:
            return self._accepted(flag)
        matches = prefix_matches(flag, self.options)
        if len(matches) == 1:
            return self._accepted(matches[0])
        if len(matches) > 1:
            use = self._successor(flag)
            return self._with(
                "ambiguous",
                "flag.ambiguous_use" if use else "flag.ambiguous",
                use,
                candidates=matches,
                **self._past(flag),
            )
        if flag in self.catalog.flags:
            return self._absent(flag)
        return self._never()

    def _accepted(self, name: str) -> FlagVerdict:
        history, form = self.options[name]
        spans = self.catalog.spans_of(name)
        facts = {
            "name": history.name,
            "since": spans[0][0],
            "last": spans[-1][1],
            "default": form.default,
            "choices": form.choices,
            "form": form,
        }
        if form.deprecated or form.refused:
            use = self._successor(name)
            status: FlagStatus = "removed" if form.refused else "deprecated"
            reason = "flag.refused" if form.refused else "flag.deprecated"
            since = self._deprecated_since(history)
            return self._with(
                status, f"{reason}_use" if use else reason, use, deprecated_since=since, **facts
            )
        plain = self.flag == history.name == self.asked.partition("=")[0]
        return self._with(
            "accepted", "flag.accepted" if plain else "flag.accepted_as", None, **facts
        )

    def _absent(self, flag: str) -> FlagVerdict:
        """Judge a spelling that other releases have: not yet, no longer, or not in between."""
        past = self._past(flag)
        position = self.catalog.position
        here = position(self.release)
        spans = self.catalog.spans_of(flag)
        if here < position(spans[0][0]):
            use = self._successor(flag) or self._predecessor(flag)
            return self._with("not_yet", "flag.not_yet_use" if use else "flag.not_yet", use, **past)
        use = self._successor(flag) or self._predecessor(flag)
        before = [last for first, last in spans if position(last) < here]
        past["last"] = before[-1]
        back = [first for first, last in spans if position(first) > here]
        if back:
            past["since"] = back[0]
            return self._with("removed", "flag.gap_use" if use else "flag.gap", use, **past)
        return self._with("removed", "flag.removed_use" if use else "flag.removed", use, **past)

    def _never(self) -> FlagVerdict:
        """Judge a spelling no release has: another program's, a slip of the pen, or unknown."""
        foreign = counterpart(self.catalog.folder, self.flag)
        if foreign:
            use = next((found for found in foreign.flags if self._writable(found)), None)
            reason = "flag.foreign_use" if use else "flag.foreign"
            return self._with("foreign", reason, use, counterpart_of=foreign.program)
        return self._unknown()

    def _unknown(self) -> FlagVerdict:
        hyphens = self.flag.replace("_", "-")
        if hyphens != self.flag:
            other = check_flag(self.catalog, hyphens, self.release)
            if other.status == "accepted" and other.form is not None:
                name = hyphens if hyphens in self.options else other.name
                return self._with("unknown", "flag.unknown_hyphens", name)
            if other.use is not None:
                return self._with("unknown", "flag.unknown_use", other.replacement or other.use)
        close = get_close_matches(hyphens, sorted(self._usable()), n=3, cutoff=0.6)
        best = get_close_matches(hyphens, close, n=1, cutoff=CLOSE_ENOUGH)
        use = best[0] if best else None
        reason = "flag.unknown_use" if use else "flag.unknown_near" if close else "flag.unknown"
        return self._with("unknown", reason, use, candidates=tuple(close))

    def _usable(self) -> Iterator[str]:
        for name, (_, form) in self.options.items():
            if name.startswith("--") and not form.deprecated and not form.refused:
                yield name

    def _successor(self, flag: str) -> str | None:
        """Return what to write instead of `flag` in this release, over several renames if need be."""
        deprecated: str | None = None
        seen = {flag}
        queue = [flag]
        for _ in range(MAX_RENAMES):
            following: list[str] = []
            for name in queue:
                for written in self._replacements(name):
                    target = written.partition("=")[0].split()[0]
                    if target in seen:
                        continue
                    seen.add(target)
                    if self._writable(written):
                        return written
                    if target in self.options and not self.options[target][1].refused:
                        deprecated = deprecated or written
                    following.append(target)
            queue = following
        return deprecated

    def _replacements(self, flag: str) -> Iterator[str]:
        """Yield what the program, its namesakes by field, and the hand-kept table say, in order."""
        history = self.catalog.flags.get(flag)
        if history is not None:
            for run in reversed(history.runs):
                yield from run.form.replaced_by
        yield from renames(self.catalog.folder).get(flag, ())
        if history is not None:
            yield history.name
            last = history.runs[-1].form
            for name, (other, form) in self.options.items():
                if name == other.name and form.field == last.field and _same_shape(form, last):
                    yield name

    def _predecessor(self, flag: str) -> str | None:
        """Return the older name, accepted in this release, that `flag` came to replace."""
        history = self.catalog.flags.get(flag)
        if history is None:
            return None
        written = self.asked if self.asked.startswith("-") else flag
        for name, (other, form) in self.options.items():
            if name != other.name:
                continue
            stated = [*other.replaced_by, *renames(self.catalog.folder).get(name, ())]
            if written != flag and written in stated:
                return name
            if stated == [flag] and _same_shape(form, history.runs[0].form):
                return name
        return None

    def _writable(self, written: str) -> bool:
        name = written.partition("=")[0].split()[0]
        if name not in self.options:
            return False
        form = self.options[name][1]
        return not form.deprecated and not form.refused

    def _past(self, flag: str) -> dict[str, str | None]:
        if flag not in self.catalog.flags:
            return {}
        spans = self.catalog.spans_of(flag)
        history = self.catalog.flags[flag]
        return {
            "name": history.name,
            "since": spans[0][0],
            "last": spans[-1][1],
            "deprecated_since": history.deprecated_since,
        }

    def _deprecated_since(self, history: FlagHistory) -> str | None:
        since = None
        here = self.catalog.position(self.release)
        for run in history.runs:
            if self.catalog.position(run.first) > here:
                break
            if not (run.form.deprecated or run.form.refused):
                since = None
            elif since is None:
                since = run.first
        return since

    def _with(
        self, status: FlagStatus, reason: str, written: str | None, **facts: object
    ) -> FlagVerdict:
        use = written.partition("=")[0].split()[0] if written else None
        return replace(
            self.base,
            status=status,
            reason=reason,
            use=use,
            replacement=written if written != use else None,
            **facts,  # type: ignore[arg-type]
        )


def prefix_matches(flag: str, options: Iterable[str]) -> tuple[str, ...]:
    """Return the option strings argparse would complete `flag` to, sorted; one makes it valid."""
    if not flag.startswith("--") or len(flag) < 3:
        return ()
    return tuple(sorted(option for option in options if option.startswith(flag)))


def _same_shape(one: FlagForm, other: FlagForm) -> bool:
    return one.is_switch == other.is_switch


def _as_flag(asked: str, catalog: Catalog, options: Options) -> str:
    """Return the flag of `--flag=value`, of a YAML key without dashes, or of a server_args field."""
    if asked.startswith("-"):
        return asked.partition("=")[0]
    key = re.split(r"[=:\s]", asked, maxsplit=1)[0]
    for name, (history, form) in options.items():
        if form.field == key and name == history.name and not form.deprecated:
            return name
    return catalog.fields.get(key, f"--{key}")
