"""A portal's pages in, the Content-Security-Policy that they need for the widget out."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

from kb.errors import InputError
from kb.serve.access import parse_origin

__all__ = ["InlineHashes", "hash_inline", "portal_policy"]

# Other types, such as application/json, are data to a browser, and no policy asks about them.
_JAVASCRIPT = frozenset(
    ("", "module", "importmap", "speculationrules", "text/javascript", "application/javascript")
)


@dataclass(frozen=True, slots=True)
class InlineHashes:
    """What a site's own pages hold inline, as sources of a policy: `'sha256-…'`, sorted."""

    scripts: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()  # of `<style>` elements
    style_attributes: tuple[str, ...] = ()


def hash_inline(folder: Path) -> InlineHashes:
    """Return the hashes of the scripts and styles inside the HTML files of a built site.

    Raises InputError where there is no HTML file.
    """
    pages = sorted(folder.rglob("*.html"))
    if not pages:
        raise InputError(f"{folder} holds no HTML file; expected the folder of a built site")
    reader = _InlineReader()
    for page in pages:
        reader.reset()
        reader.feed(page.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n"))
        reader.close()
    return InlineHashes(
        _hashes(reader.scripts), _hashes(reader.styles), _hashes(reader.style_attributes)
    )


def portal_policy(address: str, inline: InlineHashes | None = None) -> str:
    """Return the Content-Security-Policy for pages that hold the widget or frame the chat.

    `address` is where browsers reach the server, sub-path included. The widget needs no more than
    its script and the API; `inline` is for what the portal's generator puts into its own pages.
    Raises InputError for an address that is none.
    """
    parts = urlsplit(address)
    path = parts.path.rstrip("/")
    server = parse_origin(f"{parts.scheme}://{parts.netloc}") + path
    if parts.query or parts.fragment or any(sign in path for sign in " ;,'\""):
        raise InputError(f"{address!r} is no address of a server, like https://kb.example.com")
    inline = inline or InlineHashes()
    directives = [
        ("default-src", "'none'"),
        ("script-src", "'self'", f"{server}/widget.js", *inline.scripts),
        ("style-src", "'self'", *inline.styles),
        ("img-src", "'self'", "data:"),
        ("font-src", "'self'"),
        ("connect-src", "'self'", f"{server}/api/v1/"),
        ("worker-src", "'self'"),  # the search of static sites
        ("manifest-src", "'self'"),
        ("frame-src", f"{server}/"),
        ("base-uri", "'self'"),
        ("form-action", "'self'"),
        ("frame-ancestors", "'self'"),
        ("object-src", "'none'"),
    ]
    if inline.style_attributes:
        directives.append(("style-src-attr", "'unsafe-hashes'", *inline.style_attributes))
    return "; ".join(" ".join(directive) for directive in directives)


class _InlineReader(HTMLParser):
    """Collects the scripts, styles and style attributes of the pages it is fed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.scripts: set[str] = set()
        self.styles: set[str] = set()
        self.style_attributes: set[str] = set()
        self._into: set[str] | None = None
        self._parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if style := found.get("style"):
            self.style_attributes.add(style)
        self._parts = []
        if tag == "style":
            self._into = self.styles
        elif tag == "script" and "src" not in found:
            kind = (found.get("type") or "").strip().lower()
            self._into = self.scripts if kind in _JAVASCRIPT else None

    def handle_data(self, data: str) -> None:
        if self._into is not None:
            self._parts.append(data)

    def handle_endtag(self, tag: str) -> None:
        if self._into is not None and tag in ("script", "style"):
            self._into.add("".join(self._parts))
            self._into = None


def _hashes(texts: Iterable[str]) -> tuple[str, ...]:
    digests = (hashlib.sha256(text.encode("utf-8")).digest() for text in texts if text)
    return tuple(sorted(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests))
