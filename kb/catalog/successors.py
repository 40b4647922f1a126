"""What to write in a release instead of a flag it does not accept: renames followed both ways."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from kb.catalog.catalog import Catalog
from kb.catalog.forms import FlagForm, FlagHistory

__all__ = [
    "Options",
    "Written",
    "flag_name",
    "predecessor",
    "prefix_matches",
    "successor",
    "writable",
]

Options = Mapping[str, tuple[FlagHistory, FlagForm]]
Written = tuple[str, ...]  # flags as one writes them, all of them together: ("--x=disabled",)

MAX_RENAMES = 6  # steps from an old name to one that is accepted


def successor(catalog: Catalog, release: str, flag: str) -> Written | None:
    """Return what `release` accepts in place of `flag`, None where nothing is known to do so."""
    options = catalog.options(release)
    deprecated: Written | None = None
    seen = {flag}
    queue = [flag]
    for _ in range(MAX_RENAMES):
        following: list[str] = []
        for name in queue:
            for written in _replacements(catalog, options, name):
                for candidate in (written, tuple(map(flag_name, written))):
                    if writable(candidate, options):
                        return candidate
                if deprecated is None and writable(written, options, even_deprecated=True):
                    deprecated = written
                for target in map(flag_name, written):
                    if target not in seen:
                        seen.add(target)
                        following.append(target)
        queue = following
    return deprecated if deprecated is not None and flag_name(deprecated[0]) != flag else None


def predecessor(catalog: Catalog, release: str, asked: str, flag: str) -> Written | None:
    """Return the older flags, accepted in `release`, that `flag` came to replace.

    `asked` is the flag with its value, if it was given one: `--x=disabled` may stand for a switch.
    """
    options = catalog.options_of(release)
    for older in (*catalog.renames.get(asked, ()), *catalog.renames.get(flag, ())):
        if writable(older, options, even_deprecated=True):
            return older
    first = catalog.flags[flag].runs[0].form
    for history in _stating(catalog).get((asked,), ()):
        form = options.get(history.name, (history, None))[1]
        if form is None or form.refused:
            continue
        if asked != flag or form.is_switch == first.is_switch:
            return (history.name,)
    if asked == flag:
        return None
    return predecessor(catalog, release, flag, flag)


@lru_cache(maxsize=4)
def _stating(catalog: Catalog) -> Mapping[Written, list[FlagHistory]]:
    """Return which options say that these flags are to be written in their place."""
    stating: dict[Written, list[FlagHistory]] = {}
    for name, history in catalog.flags.items():
        if name == history.name:
            for written in _stated(catalog, history):
                stating.setdefault(written, []).append(history)
    return stating


def flag_name(written: str) -> str:
    """Return the name alone of `--x=value`."""
    return written.partition("=")[0]


def writable(written: Written, options: Options, *, even_deprecated: bool = False) -> bool:
    """Whether a release accepts these flags with these values, and does not discourage them."""
    for one in written:
        name, _, value = one.partition("=")
        if name not in options:
            return False
        form = options[name][1]
        if form.refused or (form.deprecated and not even_deprecated):
            return False
        if value and form.choices is not None and value not in map(str, form.choices):
            return False
    return bool(written)


def prefix_matches(flag: str, options: Iterable[str]) -> tuple[str, ...]:
    """Return the option strings argparse would complete `flag` to, sorted; one makes it valid."""
    if not flag.startswith("--") or len(flag) < 3:
        return ()
    return tuple(sorted(option for option in options if option.startswith(flag)))


def _replacements(catalog: Catalog, options: Options, flag: str) -> Iterator[Written]:
    """Yield what may stand for `flag`: by hand, as stated, by alias, field, prefix."""
    history = catalog.flags.get(flag)
    by_hand = catalog.renames.get(flag)
    if by_hand is not None:
        yield from by_hand
        return
    if history is None:
        earlier = _meant_before(catalog, flag)
        if earlier is not None:
            yield (earlier,)
        return
    yield from _stated(catalog, history)
    yield (history.name,)
    last = history.runs[-1].form
    for name, (other, form) in options.items():
        if name == other.name and form.field == last.field and form.is_switch == last.is_switch:
            yield (name,)


def _stated(catalog: Catalog, history: FlagHistory) -> Iterator[Written]:
    """Yield the replacements of an option that the program states, newest statement first."""
    by_hand = catalog.renames.get(history.name)
    if by_hand is not None:
        yield from by_hand
        return
    for run in reversed(history.runs):
        flags = tuple(one for one in run.form.replaced_by if one.startswith("--"))
        if flags:
            yield flags


def _meant_before(catalog: Catalog, flag: str) -> str | None:
    """Return the option that the prefix `flag` stood for where it was last unique."""
    for release in reversed(catalog.releases):
        matches = prefix_matches(flag, catalog.options_of(release))
        if len(matches) == 1:
            return matches[0]
    return None
