"""The content as MkDocs and Sphinx build it, unchanged: no warning, every id an anchor."""

from __future__ import annotations

import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from shutil import copytree

import pytest

from kb.corpus.markdown import block_parser
from kb.integrations.sphinx import attributes_above

LANGUAGES = ("en", "ko")

MKDOCS = {
    "site_name": "Troubleshooting",
    "theme": {"name": None, "custom_dir": "theme"},
    "plugins": [],
    "markdown_extensions": ["attr_list", "pymdownx.superfences"],
    "validation": {"anchors": "warn", "unrecognized_links": "warn", "omitted_files": "warn"},
}

SPHINX = """\
project = "Troubleshooting"
extensions = ["myst_parser", "kb.integrations.sphinx"]
myst_enable_extensions = ["attrs_block"]
html_theme = "basic"
"""

INDEX = """\
Troubleshooting
===============

.. toctree::
   :glob:

   pages/*
"""


class Outline(HTMLParser):
    """What of a page must not be lost on the way: anchors, list items, code."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.n_items = 0
        self.blocks: list[str] = []
        self.spans: list[str] = []
        self._open: list[str] | None = None
        self._in_block = False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.ids.update(value for name, value in attrs if name == "id" and value)
        self.n_items += tag == "li"
        if tag == "pre":
            self._in_block, self._open = True, self.blocks
            self.blocks.append("")
        elif tag == "code" and not self._in_block:
            self._open = self.spans
            self.spans.append("")

    def handle_endtag(self, tag):
        if tag == "pre":
            self._in_block, self._open = False, None
        elif tag == "code" and not self._in_block:
            self._open = None

    def handle_data(self, data):
        if self._open is not None:
            self._open[-1] += data


def _run(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, timeout=300
    )
    return f"exit code {done.returncode}\n{done.stdout}{done.stderr}".strip()


@pytest.fixture(scope="module", params=LANGUAGES)
def mkdocs(request, content, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mkdocs")
    (folder / "theme").mkdir()
    (folder / "theme" / "main.html").write_text("{{ page.content }}")
    settings = {**MKDOCS, "docs_dir": str(content / request.param)}
    (folder / "mkdocs.yml").write_text(json.dumps(settings))
    said = _run("mkdocs", "build", "--quiet", "--strict", "--config-file", f"{folder}/mkdocs.yml")
    return request.param, folder / "site", said


@pytest.fixture(scope="module", params=LANGUAGES)
def sphinx(request, content, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sphinx")
    (folder / "conf.py").write_text(SPHINX)
    (folder / "index.rst").write_text(INDEX)
    # A copy: Sphinx resolves links, and would look for the pages outside its source.
    copytree(content / request.param, folder / "pages")
    said = _run("sphinx", "-b", "html", "-q", "-n", "-W", "--keep-going", folder, folder / "site")
    return request.param, folder / "site" / "pages", said


def _ids(corpus, language: str) -> dict[str, set[str]]:
    """Return the section ids of each page by its name without suffix."""
    pages: dict[str, set[str]] = {}
    for section in corpus.sections:
        if section.language == language:
            pages.setdefault(Path(section.source.path).stem, set()).add(section.id)
    return pages


def test_mkdocs_builds_without_a_warning(mkdocs):
    assert mkdocs[2] == "exit code 0"


def test_mkdocs_gives_every_section_its_anchor(mkdocs, corpus):
    language, site, _ = mkdocs
    for page, ids in _ids(corpus, language).items():
        html = (site / page / "index.html").read_text(encoding="utf-8")
        assert ids - Outline(html).ids == set(), page


def test_mkdocs_shows_lists_and_code_as_commonmark_does(mkdocs, content):
    language, site, _ = mkdocs
    for path in sorted((content / language).glob("*.md")):
        built = Outline((site / path.stem / "index.html").read_text(encoding="utf-8"))
        expected = Outline(block_parser().render(path.read_text(encoding="utf-8")))
        assert built.n_items == expected.n_items, path
        assert [b.strip() for b in built.blocks] == [b.strip() for b in expected.blocks], path
        assert [s.split() for s in built.spans] == [s.split() for s in expected.spans], path


def test_sphinx_builds_without_a_warning(sphinx):
    assert sphinx[2] == "exit code 0"


def test_sphinx_gives_every_section_its_anchor(sphinx, corpus):
    language, site, _ = sphinx
    for page, ids in _ids(corpus, language).items():
        html = (site / f"{page}.html").read_text(encoding="utf-8")
        assert ids - Outline(html).ids == set(), page
        assert "{#" not in html, page


def test_sphinx_shows_every_code_block_whole(sphinx, content):
    language, site, _ = sphinx
    for path in sorted((content / language).glob("*.md")):
        built = Outline((site / f"{path.stem}.html").read_text(encoding="utf-8"))
        expected = Outline(block_parser().render(path.read_text(encoding="utf-8")))
        assert [b.strip() for b in built.blocks] == [b.strip() for b in expected.blocks], path


def test_attributes_of_headings_move_above_them_and_nothing_else_changes():
    text = "# T\n\n## A `x {y}` {#a .harmless}\r\n\n```md\n## B {#b}\n```\n\n### C {#c}\n"
    moved = "# T\n\n{#a .harmless}\n## A `x {y}`\r\n\n```md\n## B {#b}\n```\n\n{#c}\n### C\n"
    assert attributes_above(text) == moved


def test_text_without_attributes_stays_as_it_is():
    text = "Title {#x}\n=====\n\n## A {x}\n\ntext {#y}"
    assert attributes_above(text) == text
