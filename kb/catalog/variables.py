"""Is an environment variable read by a version, and what to set instead: as for a flag."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from kb.catalog.catalog import Catalog
from kb.catalog.flags import CLOSE_ENOUGH, FlagVerdict
from kb.catalog.forms import VariableForm, VariableHistory
from kb.catalog.successors import flag_name, writable
from kb.types import FlagStatus

__all__ = ["check_variable", "is_sglangs"]

OLD_PREFIX, PREFIX = "SGL_", "SGLANG_"
# From this release on a variable with the old prefix is copied to that with the new one at import.
COPIED_SINCE = "0.5.3"


def check_variable(catalog: Catalog, name: str, version: str | None) -> FlagVerdict:
    """Judge an environment variable (`NAME` or `NAME=value`) for `version`, as a flag is judged.

    Without a version the newest release judges. CatalogError if `version` is no version.
    """
    judged = catalog.judge(version)
    here = catalog.position(judged.release)
    variable = name.strip().partition("=")[0]
    base = FlagVerdict(
        name, version, judged.release, "unknown", "variable.unknown", remark=judged.remark
    )

    facts: dict[str, Any]

    def verdict(status: FlagStatus, reason: str, use: str | None, **facts: Any) -> FlagVerdict:
        reason += "_use" if use else ""
        flag_or_name = flag_name(use) if use else None
        return replace(
            base, status=status, reason=reason, use=flag_or_name, replacement=use, **facts
        )

    history = catalog.variables.get(variable)
    copied = _copied_to(catalog, variable, here)
    if copied is not None:
        facts = {"name": variable, "since": COPIED_SINCE, "deprecated_since": COPIED_SINCE}
        return verdict("deprecated", "variable.copied", copied, **facts)
    if history is None:
        use = _other_prefix(catalog, variable, here)
        if use is None:
            read = [each for each in catalog.variables if _form_at(catalog, each, here)]
            close = get_close_matches(variable, read, n=1, cutoff=CLOSE_ENOUGH)
            use = close[0] if close else None
        return verdict("unknown", "variable.unknown", use)
    facts = {
        "name": variable,
        "since": history.first,
        "last": history.last,
        "deprecated_since": history.deprecated_since,
    }
    form = _form_at(catalog, variable, here)
    use = _replacement(catalog, history, judged.release)
    if form is not None:
        facts["default"] = form.default
        if form.deprecated:
            return verdict("deprecated", "variable.deprecated", use, **facts)
        return verdict("accepted", "variable.accepted", None, **facts)
    if here < catalog.position(history.first):
        return verdict("not_yet", "variable.not_yet", use, **facts)
    facts["last"] = next(
        last for _, last in reversed(history.spans) if catalog.position(last) < here
    )
    return verdict("removed", "variable.removed", use, **facts)


def is_sglangs(name: str) -> bool:
    """Whether a variable is SGLang's by its name: `CUDA_VISIBLE_DEVICES` is everybody's."""
    return name.startswith((PREFIX, OLD_PREFIX))


def _copied_to(catalog: Catalog, name: str, here: int) -> str | None:
    """Return the variable that a name with the old prefix is copied to, if that one is read."""
    known = name in catalog.variables and _form_at(catalog, name, here) is not None
    if known or not name.startswith(OLD_PREFIX):
        return None
    # A catalogue that begins later has no release without the copying.
    since = catalog.position(COPIED_SINCE) if COPIED_SINCE in catalog.releases else 0
    twin = _other_prefix(catalog, name, here) if here >= since else None
    history = catalog.variables.get(name)
    if history is not None and _replacement(catalog, history, catalog.releases[here]) != twin:
        return None  # the program names another one, in which a value may mean something else
    return twin


def _form_at(catalog: Catalog, name: str, here: int) -> VariableForm | None:
    for run in catalog.variables[name].runs:
        if catalog.position(run.first) <= here <= catalog.position(run.last):
            return run.form
    return None


def _replacement(catalog: Catalog, history: VariableHistory, release: str) -> str | None:
    """Return the variable or flag that the program names for it, where `release` has it."""
    here = catalog.position(release)
    for run in reversed(history.runs):
        for one in run.form.replaced_by:
            if one.startswith("--"):
                if writable((one,), catalog.options_of(release)):
                    return one
            elif one in catalog.variables and _form_at(catalog, one, here):
                return one
    return _other_prefix(catalog, history.name, here)


def _other_prefix(catalog: Catalog, name: str, here: int) -> str | None:
    """Return the same name under the prefix that the release reads: SGL_ became SGLANG_."""
    for old, new in ((OLD_PREFIX, PREFIX), (PREFIX, OLD_PREFIX)):
        if name.startswith(old):
            other = new + name[len(old) :]
            if other in catalog.variables and _form_at(catalog, other, here):
                return other
    return None
