"""Portal search: Pagefind's index and its browser script, run by Node.js.

Each section is a page of its own, which ranks better than long pages. Pagefind wants every word of
a query on the page, so that a log finds nothing: where the whole text finds nothing the question
alone is asked, then the first error line alone.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt

from tests.benchmarks.embedding import CachedEncoder
from tests.benchmarks.peers.node import NodeProcess
from tests.benchmarks.peers.sections import section_texts
from tests.benchmarks.task import Page, Query

PACKAGES = ("pagefind", "pagefind_bin_extended")
MODES = ("search",)


class Pagefind:
    """`pagefind --site`, then `pagefind.search`."""

    def __init__(
        self, mode: str, pages: Sequence[Page], encoder: CachedEncoder, folder: Path
    ) -> None:
        languages = sorted({page.language for page in pages})
        language = languages[0] if len(languages) == 1 else "en"
        site = folder / "site"
        markdown = MarkdownIt("commonmark").enable("table")
        self.pieces: list[str] = []  # it shows excerpts in one line, no code block
        for page in pages:
            for identifier, text in section_texts([page]):
                target = site / page.language / f"{identifier}.html"
                target.parent.mkdir(parents=True, exist_ok=True)
                title = escape(text.split("\n", 1)[0].strip("# ").partition(" {#")[0])
                body = markdown.render(text)
                html = f'<html lang="{language}"><head><title>{title}</title></head>'
                target.write_text(f"{html}<body>{body}</body></html>", encoding="utf-8")
        subprocess.run(
            [sys.executable, "-m", "pagefind", "--site", str(site), "--quiet"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        script = Path(__file__).with_suffix(".mjs")
        self._node = NodeProcess(script, str(site), language)

    def search(self, query: Query, text: str, k: int) -> list[tuple[str, ...]]:
        texts = [text, query.question, query.first_error]
        answer = self._node.ask({"texts": texts, "k": 4 * k})
        self.seconds, self.peak_mb = answer["seconds"], answer["peak_mb"]
        return [(Path(found).stem,) for found in answer["ids"]]


CONTESTANT = Pagefind
