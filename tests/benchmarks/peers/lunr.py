"""Portal search: the lunr.js that MkDocs ships, run by Node.js on the index of a site it built.

Marks of lunr's query language (`:`, `*`, `~`, `^`, `+`, `-`) become blanks: a log would be a syntax
error. Languages are English and Korean; lunr's own Korean stemmer is the one MkDocs brings.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

from tests.benchmarks.embedding import CachedEncoder
from tests.benchmarks.peers.node import NodeProcess
from tests.benchmarks.task import Page, Query

PACKAGES = ("mkdocs", "pymdown-extensions")
MODES = ("search",)
_MARKS = re.compile(r"[:*~^+\-\\]")


class Lunr:
    """`mkdocs build`, then its search worker's index."""

    def __init__(
        self, mode: str, pages: Sequence[Page], encoder: CachedEncoder, folder: Path
    ) -> None:
        write_site(pages, folder)
        languages = sorted({page.language for page in pages})
        script = Path(__file__).with_suffix(".mjs")
        prefixes = [f"{language}/" for language in languages]
        self._node = NodeProcess(script, str(folder / "site" / "search"), *prefixes)
        self.pieces = self._node.ready["texts"]

    def search(self, query: Query, text: str, k: int) -> list[tuple[str, ...]]:
        answer = self._node.ask({"text": _MARKS.sub(" ", text), "k": 4 * k})
        self.seconds, self.peak_mb = answer["seconds"], answer["peak_mb"]
        return [(found.partition("#")[2],) for found in answer["ids"]]


def write_site(pages: Sequence[Page], folder: Path) -> None:
    """Build the pages with MkDocs into `folder / "site"`."""
    for page in pages:
        target = folder / "docs" / page.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page.text, encoding="utf-8")
    described = {
        "site_name": "Troubleshooting",
        "use_directory_urls": False,
        "theme": {"name": "mkdocs"},
        "plugins": [{"search": {"lang": ["en", "ko"]}}],
        "markdown_extensions": ["attr_list", "pymdownx.superfences"],
    }
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(described), encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "-f", str(folder / "mkdocs.yml")],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


CONTESTANT = Lunr
