"""A flag or variable in; the releases that take it out, and these as the pages write them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from kb.catalog.catalog import Catalog
from kb.catalog.forms import FlagHistory, VariableHistory

__all__ = ["accepted_places", "is_variable", "places_of_written", "spans_text"]


def is_variable(name: str) -> bool:
    """Whether `name` is an environment variable's, not a flag's."""
    return not name.startswith("-")


@lru_cache(maxsize=4096)
def accepted_places(catalog: Catalog, name: str) -> frozenset[int]:
    """Return the positions in `catalog.releases` of those that take `name`, deprecated or not."""
    history: FlagHistory | VariableHistory | None
    history = catalog.variables.get(name) if is_variable(name) else catalog.flags.get(name)
    if history is None:
        return frozenset()
    places: set[int] = set()
    for run in history.runs:
        aliases: Sequence[str] = getattr(run.form, "aliases", ())
        if getattr(run.form, "refused", False) or name not in (history.name, *aliases):
            continue
        places.update(range(catalog.position(run.first), catalog.position(run.last) + 1))
    return frozenset(places)


def places_of_written(catalog: Catalog, written: str) -> frozenset[int]:
    """Return the positions of the releases that take all of `written`: "--x=value --y".

    A value counts where its flag has choices.
    """
    words = [word for word in written.split() if word.startswith(("-", "SGL"))]
    places = [_places_of_word(catalog, *word.partition("=")[::2]) for word in words]
    return frozenset.intersection(*places) if places else frozenset()


def _places_of_word(catalog: Catalog, name: str, value: str) -> frozenset[int]:
    places = accepted_places(catalog, name)
    if is_variable(name) or not value:
        return places
    return frozenset(
        place
        for run in catalog.flags[name].runs
        if not run.form.choices or value in [str(choice) for choice in run.form.choices]
        for place in range(catalog.position(run.first), catalog.position(run.last) + 1)
        if place in places
    )


def spans_text(catalog: Catalog, places: Collection[int]) -> str:
    """Return `places` in the notation of the notes: "(0.5.4–0.5.15, 0.5.18+)"."""
    spans: list[list[int]] = []
    for place in sorted(places):
        if spans and spans[-1][1] == place - 1:
            spans[-1][1] = place
        else:
            spans.append([place, place])
    parts = []
    for first, last in spans:
        low, high = catalog.releases[first], catalog.releases[last]
        if last == len(catalog.releases) - 1:
            parts.append(f"{low}+")
        elif first == 0:
            parts.append(f"≤{high}")
        else:
            parts.append(low if low == high else f"{low}–{high}")
    return f"({', '.join(parts)})"
