"""Rules on links: those inside the folder lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import dirname, join, normpath, relpath

from kb.corpus.documents import Problem
from kb.corpus.files import MARKDOWN_SUFFIXES
from kb.lint.page import Link, Page
from kb.lint.target import LintTarget

__all__ = ["dead_link"]

_OUTWARD = re.compile(r"^(?:[a-zA-Z][\w+.-]*:|//|/)")


def dead_link(target: LintTarget) -> Iterator[Problem]:
    """Report links to a file or heading of the folder that is not there."""
    pages = {page.document.path: page for page in target.pages}
    homes: dict[tuple[str, str], str] = {}
    for page in target.pages:
        for anchor in page.anchors:
            homes.setdefault((page.document.language, anchor), page.document.path)
    for page in target.pages:
        for link in page.links:
            if not _OUTWARD.match(link.target):
                said = _said(target, pages, homes, page, link)
                if said is not None:
                    yield Problem(page.document.path, link.line, said)


def _said(
    target: LintTarget,
    pages: dict[str, Page],
    homes: dict[tuple[str, str], str],
    page: Page,
    link: Link,
) -> str | None:
    """Return what is wrong with a link of `page`, None where it leads to something."""
    file, _, anchor = link.target.partition("#")
    file = file.partition("?")[0]
    if not file and not anchor:
        return "this link has no target: write an address, a file or `#id`"
    path = normpath(join(dirname(page.document.path), file)) if file else page.document.path
    found = next((name for name in _files(path) if name in pages), None)
    if found is None:
        if (target.folder / path).exists():
            return None
        said = f"`{link.target}` leads to {path}, which does not exist"
    elif anchor and anchor not in pages[found].anchors:
        said = f"`{link.target}` leads to no heading of {found}"
    else:
        return None
    return f"{said}: {_remedy(homes, page, anchor)}"


def _files(path: str) -> Iterator[str]:
    """Yield the files that renderers take `path` for."""
    yield path
    for suffix in MARKDOWN_SUFFIXES:
        yield path + suffix
        yield f"{path}/index{suffix}"
        yield f"{path}/README{suffix}"


def _remedy(homes: dict[tuple[str, str], str], page: Page, anchor: str) -> str:
    """Return what to do about a link of `page` to `anchor`."""
    home = homes.get((page.document.language, anchor))
    if home is None:
        return "mend the link or write what it leads to"
    if home == page.document.path:
        return f"the heading stands on this page, write `#{anchor}`"
    file = relpath(home, dirname(page.document.path) or ".")
    return f"the heading is in {home}, write `{file}#{anchor}`"
