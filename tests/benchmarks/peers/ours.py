"""This project: `ask`, with everything it does beyond finding the section."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kb.knowledge_base import KnowledgeBase
from tests.benchmarks.embedding import CachedEncoder
from tests.benchmarks.task import ROOT, Page, Query

PACKAGES = ("sglang-troubleshooting-kb",)
MODES = ("ask",)
CONTENTS = ("both",)
TEXTS = ("own",)


class Ours:
    """`KnowledgeBase.build(...)`, then `ask(paste, question)`."""

    def __init__(
        self, mode: str, pages: Sequence[Page], encoder: CachedEncoder, folder: Path
    ) -> None:
        encoder.model  # noqa: B018 the time of loading it is no part of the build
        self.base = KnowledgeBase.build(ROOT / "content", encoder=encoder)
        self.pieces = [chunk.text for chunk in self.base.index.chunks]

    def search(self, query: Query, text: str, k: int) -> list[tuple[str, ...]]:
        """Return ids, the best first; a question that is refused is a miss."""
        answer = self.base.ask(query.paste, query.question or None)
        if not answer.found:
            return []
        shown = [section.id for section in answer.sections]
        near = [section.id for section in answer.nearest]
        return [(identifier,) for identifier in (*shown, *near)][:k]


CONTESTANT = Ours
