"""What a large index is searched by beside its vectors and BM25: tables that are mapped, not read.

Ids and the sections of each, links in both directions, titles and signatures. They are made of the
sections once, at the build; loading a million sections then takes no longer than checking files.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from kb.retrieval.arrays import map_array, write_array
from kb.retrieval.lexical import LexicalIndex
from kb.retrieval.links import linked_ids
from kb.retrieval.signature_windows import WindowedMatcher
from kb.retrieval.titles import TitleTerms
from kb.types import Section, SectionKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CAUSE", "CONSEQUENCE", "HARMLESS", "TABLE_FILE", "Tables"]

CAUSE, CONSEQUENCE, HARMLESS = 0, 1, 2  # a harmless one is a consequence too
_KINDS: Mapping[SectionKind, int] = {
    "cause": CAUSE,
    "consequence": CONSEQUENCE,
    "harmless": HARMLESS,
}
TABLE_FILE = "ids.json"  # there where tables are


@dataclass(frozen=True)
class Tables:
    """The tables of an index; positions are those among its ids."""

    ids: tuple[str, ...]  # in corpus order
    owners: NDArray[np.int32]  # of each section, the position of its id
    parents: NDArray[np.int32]  # of each id, the one it stands under; -1: none
    kinds: NDArray[np.int16]  # of each id: CAUSE, CONSEQUENCE or HARMLESS
    links: NDArray[np.int32]  # of all ids, position by position
    link_ends: NDArray[np.int64]  # `links[link_ends[p]:link_ends[p + 1]]` are those of `p`
    titles: TitleTerms
    matcher: WindowedMatcher
    last_matcher: WindowedMatcher

    @classmethod
    def of(cls, sections: Iterable[Section], lexical: LexicalIndex) -> Tables:
        """Return the tables of sections, which are looked through once and not held."""
        import numpy as np

        positions: dict[str, int] = {}
        owners = array("i")
        titles: list[tuple[str, ...]] = []
        parents: list[str | None] = []
        kinds = array("h")
        links: list[tuple[int, str]] = []
        lines: list[tuple[int, str]] = []
        last_lines: list[tuple[int, str]] = []
        for section in sections:
            owner = positions.setdefault(section.id, len(positions))
            owners.append(owner)
            if owner == len(titles):
                titles.append((section.title,))
                parents.append(section.parent)
                kinds.append(_KINDS[section.kind])
            else:
                titles[owner] += (section.title,)
                kinds[owner] = _kind_of_both(kinds[owner], _KINDS[section.kind])
            links.extend((owner, target) for target in linked_ids(section.markdown))
            lines.extend((owner, line) for line in section.signatures)
            last_lines.extend((owner, line) for line in section.last_signatures)
        linked = dict.fromkeys(
            (owner, positions[target])
            for owner, target in links
            if target in positions and positions[target] != owner
        )
        pairs = np.array(sorted(linked, key=itemgetter(0)), dtype=np.int32).reshape(-1, 2)
        ids = tuple(positions)
        return cls(
            ids,
            np.array(owners, dtype=np.int32),
            np.array([positions.get(parent or "", -1) for parent in parents], dtype=np.int32),
            np.array(kinds, dtype=np.int16),
            np.ascontiguousarray(pairs[:, 1]),
            np.searchsorted(pairs[:, 0], np.arange(len(ids) + 1)),
            TitleTerms.from_titles(titles, lexical),
            WindowedMatcher.from_lines(ids, lines),
            WindowedMatcher.from_lines(ids, last_lines),
        )

    def save(self, folder: Path) -> None:
        """Write them into the folder of a generation."""
        text = json.dumps(self.ids, ensure_ascii=False)
        (folder / TABLE_FILE).write_text(text, encoding="utf-8")
        write_array(folder / "owners.i32", self.owners)
        write_array(folder / "parents.i32", self.parents)
        write_array(folder / "kinds.i16", self.kinds)
        write_array(folder / "links.i32", self.links)
        write_array(folder / "link_ends.i64", self.link_ends)
        self.titles.save(folder)
        self.matcher.save(folder, "signature")
        self.last_matcher.save(folder, "last_signature")

    @classmethod
    def load(cls, folder: Path, lexical: LexicalIndex) -> Tables:
        """Map what `save` wrote."""
        ids = tuple(json.loads((folder / TABLE_FILE).read_text(encoding="utf-8")))
        return cls(
            ids,
            map_array(folder / "owners.i32"),
            map_array(folder / "parents.i32"),
            map_array(folder / "kinds.i16"),
            map_array(folder / "links.i32"),
            map_array(folder / "link_ends.i64"),
            TitleTerms.load(folder, lexical),
            WindowedMatcher.load(folder, "signature", ids),
            WindowedMatcher.load(folder, "last_signature", ids),
        )

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """Return the position of each id."""
        return {identifier: number for number, identifier in enumerate(self.ids)}

    def sections_of(self, position: int) -> list[int]:
        """Return the numbers of the sections of an id, rising."""
        order, ends = self._sections
        return [int(n) for n in order[ends[position] : ends[position + 1]]]

    def links_of(self, position: int) -> list[int]:
        """Return the positions of the ids that an id links to."""
        return [int(n) for n in self.links[self.link_ends[position] : self.link_ends[position + 1]]]

    def linking_to(self, position: int) -> list[int]:
        """Return the positions of the ids that link to an id, rising."""
        import numpy as np

        order, sorted_links = self._linking
        start, end = np.searchsorted(sorted_links, np.array((position, position + 1), np.int32))
        places = order[start:end]
        return [int(n) for n in np.searchsorted(self.link_ends, places, side="right") - 1]

    @cached_property
    def _sections(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        import numpy as np

        order = np.argsort(self.owners, kind="stable")
        ends = np.cumsum(np.bincount(self.owners, minlength=len(self.ids)))
        return order, np.concatenate(([0], ends))

    @cached_property
    def _linking(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        import numpy as np

        order = np.argsort(self.links, kind="stable")
        return order, self.links[order]


def _kind_of_both(one: int, other: int) -> int:
    """Return what an id is whose sections, one a language, are of these kinds."""
    return CAUSE if CAUSE in (one, other) else max(one, other)
