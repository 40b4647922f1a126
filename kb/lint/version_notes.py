"""The note behind a code span, `(0.5.14+)`, and the releases of the catalogue it speaks of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kb.catalog import Catalog
from kb.errors import CatalogError

__all__ = ["NOTATION", "VersionNote", "read_note"]

NOTATION = "(0.5.14+), (≤0.5.19), (0.5.4–0.5.15) or several of these with commas"
_VERSION = r"v?\d+\.\d+(?:\.?[0-9A-Za-z]+)*"
_RANGE = rf"(?:{_VERSION}\+|≤ ?{_VERSION}|{_VERSION}–{_VERSION}|{_VERSION})"
_NOTE = re.compile(rf"\s?\((?P<ranges>{_RANGE}(?:, ?{_RANGE})*)\)")
# What looks like a note and is none: other signs, blanks, a hyphen where the dash should be.
_LOOKS_LIKE = re.compile(rf"\s?\(\s*(?:[<>≤≥=~^ ]*{_VERSION}\s*(?:[-+–—~,]\s*)*)+\)")


@dataclass(frozen=True, slots=True)
class VersionNote:
    """The releases for which a span is said to hold."""

    text: str  # as written, without the parentheses
    places: tuple[int, ...]  # positions in Catalog.releases, each to be true
    unknown: tuple[str, ...] = ()  # versions that are no release


def read_note(after: str, catalog: Catalog) -> VersionNote | str | None:
    """Return the note that `after` starts with, the text of a malformed one, or None."""
    found = _NOTE.match(after)
    if found is None:
        looks_like = _LOOKS_LIKE.match(after)
        return looks_like[0].strip() if looks_like else None
    places: set[int] = set()
    unknown: list[str] = []
    for part in re.split(r", ?", found["ranges"]):
        versions = re.findall(_VERSION, part)
        releases = [_release(version, catalog) for version in versions]
        unknown += [v for v, release in zip(versions, releases, strict=True) if release is None]
        known = [catalog.position(release) for release in releases if release is not None]
        if len(known) < len(versions):
            continue
        if part.endswith("+"):
            places.update(range(known[0], len(catalog.releases)))
        elif len(known) == 2:
            places.update(range(known[0], known[1] + 1))
        else:  # `≤` says nothing of the release where it began
            places.add(known[0])
    return VersionNote(found["ranges"], tuple(sorted(places)), tuple(unknown))


def _release(version: str, catalog: Catalog) -> str | None:
    try:
        return catalog.release(version)
    except CatalogError:  # older than all the catalogue knows, or no version at all
        return None
