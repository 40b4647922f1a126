"""Is a flag accepted in a version, and what to write instead: the verdict and its note."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from kb.catalog.catalog import Catalog, JudgedRelease
from kb.catalog.foreign import counterpart
from kb.catalog.forms import SERVE_ONLY, FlagForm, FlagHistory, JsonValue
from kb.catalog.successors import (
    Options,
    Written,
    flag_name,
    predecessor,
    prefix_matches,
    successor,
    writable,
)
from kb.strings import text
from kb.types import FlagNote, FlagStatus, Language

__all__ = ["FlagVerdict", "check_flag", "flag_note"]

NEAR = 0.6  # difflib ratio above which a name is shown as near
CLOSE_ENOUGH = 0.8  # and above which it is printed as what was meant


@dataclass(frozen=True, slots=True)
class FlagVerdict:
    """What a release of SGLang does with a flag (or environment variable) as it is spelled."""

    flag: str  # as asked, verbatim
    version: str | None  # as asked, verbatim; None: not said
    release: str  # the release it was judged by
    status: FlagStatus
    reason: str  # key in kb.strings of the sentence that says it
    use: str | None = None  # the name to write instead; accepted in `release`
    replacement: str | None = None  # all that is to be written: "--a=disabled --b=disabled"
    name: str | None = None  # the option's own name, also where `flag` is an alias or a prefix
    since: str | None = None  # first release that has this spelling
    last: str | None = None  # last release that has it
    accepted_last: str | None = None  # the last that takes it, where later ones only refuse it
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
    return _Question(catalog, spelling, version, catalog.judge(version)).verdict()


def flag_note(verdict: FlagVerdict, language: Language) -> FlagNote:
    """Say a verdict in a sentence or two of `language`."""
    slots = {
        "flag": flag_name(verdict.flag.strip()),
        "release": verdict.release,
        "name": verdict.name,
        "use": verdict.replacement,
        "since": verdict.since,
        "last": verdict.last,
        "accepted_last": verdict.accepted_last,
        "deprecated_since": verdict.deprecated_since,
        "candidates": ", ".join(f"`{name}`" for name in verdict.candidates),
        "program": verdict.counterpart_of,
        "version": verdict.version,
    }
    sentences = [text(verdict.reason, language, **slots)]
    if verdict.remark != "exact":
        sentences.append(text(f"flag.remark_{verdict.remark}", language, **slots))
    return FlagNote(verdict.flag, verdict.status, verdict.use, " ".join(sentences))


class _Question:
    """One flag asked about for one version."""

    def __init__(
        self, catalog: Catalog, spelling: str, version: str | None, judged: JudgedRelease
    ) -> None:
        self.catalog = catalog
        self.release = judged.release
        self.options = catalog.options_of(judged.release)
        self.asked = spelling.strip()
        self.flag = _as_flag(self.asked, self.options, catalog.fields)
        self.base = FlagVerdict(
            spelling, version, judged.release, "unknown", "flag.unknown", remark=judged.remark
        )

    def verdict(self) -> FlagVerdict:
        """Return the verdict: exact names first, then prefixes, then history, then guesses."""
        if self.flag in self.options:
            return self._declared(self.flag)
        matches = prefix_matches(self.flag, self.options)
        if len(matches) == 1:
            return self._declared(matches[0])
        if len(matches) > 1:
            use = successor(self.catalog, self.release, self.flag) or self._counterpart()
            reason = "flag.ambiguous_use" if use else "flag.ambiguous"
            return self._with("ambiguous", reason, use, candidates=matches, **self._history())
        history = self.catalog.flags.get(self.flag)
        if history is None:
            return self._never()
        for run in history.runs:
            first, last = self.catalog.position(run.first), self.catalog.position(run.last)
            here = self.catalog.position(self.release)
            if run.form.kind == SERVE_ONLY and first <= here <= last:
                facts = {**self._history(), "form": run.form}
                return self._with("accepted", "flag.accepted_serve", None, **facts)
        return self._absent()

    def _declared(self, name: str) -> FlagVerdict:
        """Judge an option string the parser has, `name`, that `flag` is or is a prefix of."""
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
            use = successor(self.catalog, self.release, name)
            since = _deprecated_since(self.catalog, history, self.release)
            status: FlagStatus = "removed" if form.refused else "deprecated"
            reason = "flag.deprecated"
            if form.refused:
                facts["accepted_last"] = self._accepted_last(history)
                reason = "flag.refused_since" if facts["accepted_last"] else "flag.refused"
            reason += "_use" if use else ""
            return self._with(status, reason, use, deprecated_since=since, **facts)
        if name != self.flag and self._is_another(name):
            facts |= {"name": name, "last": self.catalog.spans_of(self.flag)[-1][1]}
            return self._with("accepted", "flag.accepted_other", None, **facts)
        plain = history.name == flag_name(self.asked)
        reason = "flag.accepted" if plain else "flag.accepted_as"
        return self._with("accepted", reason, None, **facts)

    def _is_another(self, name: str) -> bool:
        """Whether `flag` is gone itself, and only happens to begin the other flag `name`."""
        if self.flag not in self.catalog.flags:
            return False
        return successor(self.catalog, self.release, self.flag) != (name,)

    def _absent(self) -> FlagVerdict:
        """Judge a spelling that other releases have: not yet, no longer, or not in between."""
        place = self.catalog.position
        here = place(self.release)
        facts = self._history()
        spans = self.catalog.spans_of(self.flag)
        use = successor(self.catalog, self.release, self.flag)
        if use is None:
            use = predecessor(self.catalog, self.release, self.asked, self.flag)
        suffix = "_use" if use else ""
        if here < place(spans[0][0]):
            return self._with("not_yet", f"flag.not_yet{suffix}", use, **facts)
        facts["last"] = next(last for _, last in reversed(spans) if place(last) < here)
        again = next((first for first, _ in spans if place(first) > here), None)
        if again:
            facts["since"] = again
            return self._with("removed", f"flag.gap{suffix}", use, **facts)
        history = self.catalog.flags[self.flag]
        if history.runs[-1].form.refused and self.flag == history.name:
            facts["accepted_last"] = self._accepted_last(history)
            reason = "flag.removed_refused" if facts["accepted_last"] else "flag.removed_unused"
            return self._with("removed", f"{reason}{suffix}", use, **facts)
        return self._with("removed", f"flag.removed{suffix}", use, **facts)

    def _accepted_last(self, history: FlagHistory) -> str | None:
        """Return the last release before this one that takes the option and does not refuse it."""
        here = self.catalog.position(self.release)
        taken = [run.last for run in history.runs if not run.form.refused]
        before = [last for last in taken if self.catalog.position(last) < here]
        return before[-1] if before else None

    def _never(self) -> FlagVerdict:
        """Judge a spelling no release has: another program's, a slip of the pen, or unknown."""
        foreign = counterpart(self.catalog.folder, self.flag)
        if foreign:
            use = self._counterpart()
            reason = "flag.foreign_use" if use else "flag.foreign"
            return self._with("foreign", reason, use, counterpart_of=foreign.program)
        hyphens = self.flag.replace("_", "-")
        if hyphens != self.flag:
            other = check_flag(self.catalog, hyphens, self.release)
            if other.status == "accepted":
                name = hyphens if hyphens in self.options else other.name
                return self._with("unknown", "flag.unknown_hyphens", (name or hyphens,))
            if other.name is not None:  # written right, it is another release's
                written = tuple(other.replacement.split()) if other.replacement else None
                reason = "flag.unknown_use" if written else "flag.unknown_elsewhere"
                facts = {"name": hyphens, "since": other.since, "last": other.last}
                return self._with("unknown", reason, written, **facts)
        usable = sorted(name for name in self.options if writable((name,), self.options))
        near = get_close_matches(hyphens, usable, n=3, cutoff=NEAR)
        best = get_close_matches(hyphens, near, n=1, cutoff=CLOSE_ENOUGH)
        reason = "flag.unknown_use" if best else "flag.unknown_near" if near else "flag.unknown"
        return self._with("unknown", reason, tuple(best) or None, candidates=tuple(near))

    def _counterpart(self) -> Written | None:
        foreign = counterpart(self.catalog.folder, self.flag)
        candidates = foreign.written if foreign else ()
        return next((each for each in candidates if writable(each, self.options)), None)

    def _history(self) -> dict[str, Any]:
        history = self.catalog.flags.get(self.flag)
        if history is None:
            return {}
        spans = self.catalog.spans_of(self.flag)
        return {
            "name": history.name,
            "since": spans[0][0],
            "last": spans[-1][1],
            "deprecated_since": history.deprecated_since,
        }

    def _with(
        self, status: FlagStatus, reason: str, written: Written | None, **facts: Any
    ) -> FlagVerdict:
        return replace(
            self.base,
            status=status,
            reason=reason,
            use=flag_name(written[0]) if written else None,
            replacement=" ".join(written) if written else None,
            **facts,
        )


def _deprecated_since(catalog: Catalog, history: FlagHistory, release: str) -> str | None:
    """Return where the stretch of deprecated releases that holds `release` begins."""
    since = None
    for run in history.runs:
        if catalog.position(run.first) > catalog.position(release):
            break
        if not (run.form.deprecated or run.form.refused):
            since = None
        elif since is None:
            since = run.first
    return since


def _as_flag(asked: str, options: Options, fields: Mapping[str, str]) -> str:
    """Return the flag of `--flag=value`, of a YAML key, or of a field of `server_args=`."""
    if asked.startswith("-"):
        return flag_name(asked)
    key = re.split(r"[=:\s]", asked, maxsplit=1)[0]
    for name, (history, form) in options.items():
        if form.field == key and name == history.name and not form.deprecated:
            return name
    return fields.get(key, f"--{key}")
