"""A Sphinx extension: builds these pages unchanged with MyST.

MyST reads attributes from a line of their own above a block, MkDocs and GitHub-like renderers at
the end of the heading. So `## Title {#id .class}` is turned into `{#id .class}` above `## Title`
while a page is read; the files stay as they are. In conf.py::

    extensions = ["myst_parser", "kb.integrations.sphinx"]
    myst_enable_extensions = ["attrs_block"]

Line numbers in Sphinx's warnings count the lines that are put in: one for each heading above.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kb.corpus.markdown import block_parser, split_lines

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["attributes_above", "setup"]

LOG_FENCES = ("log", "log-last")

_TRAILING = re.compile(r"[ \t]+(?P<attributes>\{[#.:][^{}\r\n]*\})[ \t]*(?=\r|\n|$)")


def attributes_above(markdown: str) -> str:
    """Return `markdown` with the attributes at the end of each heading on a line above it.

    Headings inside code are left alone, and so are those underlined instead of marked by `#`.
    """
    lines = split_lines(markdown)
    for token in block_parser().parse(markdown):
        if token.type != "heading_open" or token.map is None or not token.markup.startswith("#"):
            continue
        number = token.map[0]
        found = _TRAILING.search(lines[number])
        if found is not None:
            heading = lines[number][: found.start()] + lines[number][found.end() :]
            lines[number] = f"{found['attributes']}\n{heading}"
    return "".join(lines)


def _on_source_read(_app: Sphinx, _name: str, source: list[str]) -> None:
    source[0] = attributes_above(source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the rewriting and the language of `log` fences; called by Sphinx."""
    from pygments.lexers.special import TextLexer

    app.connect("source-read", _on_source_read)
    # What a program prints is text; Pygments knows no language of these names.
    for name in LOG_FENCES:
        app.add_lexer(name, TextLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
