"""The catalogue in, a page out: which flags and variables each release renamed or took away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kb.catalog import Catalog, FlagVerdict, check_flag, check_variable
from kb.catalog.spans import accepted_places, is_variable, places_of_written, spans_text
from kb.pages.contents import FRONT_MATTER
from kb.strings import text
from kb.types import Language

__all__ = ["changes_page"]

# The order of the kinds of change within a release: what stops a start first.
KINDS = ("ambiguous", "removed", "deprecated")


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to one name with one release."""

    release: str  # the first in which it is so
    kind: str  # one of KINDS
    name: str
    use: str | None  # what to write instead, with its value


def changes_page(catalog: Catalog, language: Language) -> str:
    """Return the page as Markdown, the newest release first."""
    by_release: dict[str, list[Change]] = {}
    for change in _changes(catalog):
        by_release.setdefault(change.release, []).append(change)
    parts = [
        FRONT_MATTER,
        f"# {text('pages.changes_title', language)}\n",
        f"## {text('pages.changes_how', language)} {{#changes-how-to-read}}\n",
        text("pages.changes_note", language, oldest=catalog.releases[0], newest=catalog.newest)
        + "\n",
    ]
    for release in reversed(catalog.releases):
        if release in by_release:
            parts.append(f"## SGLang {release} {{#changes-{release.replace('.', '-')}}}\n")
            changes = sorted(by_release[release], key=lambda c: (KINDS.index(c.kind), c.name))
            parts.append("\n".join(_item(catalog, c, language) for c in changes) + "\n")
    return "\n".join(parts)


def _item(catalog: Catalog, change: Change, language: Language) -> str:
    places = accepted_places(catalog, change.name)
    key = f"pages.{change.kind}" + ("_use" if change.use else "")
    sentence = text(
        key,
        language,
        name=f"`{change.name}` {spans_text(catalog, places)}",
        use=_with_spans(catalog, change.use) if change.use else "",
    )
    return f"- {sentence}"


def _with_spans(catalog: Catalog, written: str) -> str:
    """Return what to write, as one span, with the releases that take all of it."""
    places = places_of_written(catalog, written)
    return f"`{written}` {spans_text(catalog, places)}" if places else f"`{written}`"


def _changes(catalog: Catalog) -> Iterator[Change]:
    for name, flag in catalog.flags.items():
        if name == flag.name:
            yield from _of(catalog, name, flag.deprecated_since)
    for name, variable in catalog.variables.items():
        if name.startswith(("SGLANG_", "SGL_")):
            for change in _of(catalog, name, variable.deprecated_since):
                # The page says once that SGL_ became SGLANG_. Of variables that end without a
                # successor most are switches of its developers: no operator has set them.
                if change.use not in (None, name.replace("SGL_", "SGLANG_", 1)):
                    yield change


def _of(catalog: Catalog, name: str, deprecated_since: str | None) -> Iterator[Change]:
    places = accepted_places(catalog, name)
    if deprecated_since is not None and catalog.position(deprecated_since) in places:
        verdict = _judge(catalog, name, deprecated_since)
        if verdict.status == "deprecated":
            yield Change(deprecated_since, "deprecated", name, verdict.replacement or verdict.use)
    for last in sorted(places):
        if last + 1 in places or last + 1 == len(catalog.releases):
            continue
        following = catalog.releases[last + 1]
        verdict = _judge(catalog, name, following)
        use = verdict.replacement or verdict.use
        if verdict.status == "ambiguous":
            yield Change(following, "ambiguous", name, use)
        elif verdict.status == "removed":
            yield Change(following, "removed", name, use)


def _judge(catalog: Catalog, name: str, release: str) -> FlagVerdict:
    judge = check_variable if is_variable(name) else check_flag
    return judge(catalog, name, release)
