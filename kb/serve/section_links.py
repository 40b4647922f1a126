"""The links of a section in, the ids of the sections they lead to out."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable

from kb.types import Section

__all__ = ["SectionLinks"]


class SectionLinks:
    """Which section a relative link means: `#id`, `file.md#id`, `../area/file.md`."""

    def __init__(self, sections: Iterable[Section]) -> None:
        """Take all sections of a knowledge base, in file and line order."""
        self._ids: set[str] = set()
        self._by_path: dict[str, list[str]] = {}
        for section in sections:
            self._ids.add(section.id)
            self._by_path.setdefault(section.source.path, []).append(section.id)

    def resolver(self, path: str) -> Callable[[str], str | None]:
        """Return the function from a link in the file `path` to a section id or None."""

        def resolve(href: str) -> str | None:
            target, _, fragment = href.partition("#")
            if fragment in self._ids:
                return fragment
            file = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            there = self._by_path.get(file if target else path, [])
            if not fragment:
                return there[0] if there and target else None
            # A heading without an id of its own has one made of its file and its words.
            return next((found for found in there if found.endswith("#" + fragment)), None)

        return resolve
