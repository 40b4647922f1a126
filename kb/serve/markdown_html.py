"""Markdown of a section in, HTML that cannot do anything but be read out.

Raw HTML stays text, images become text, links lead to http(s) pages or to other sections, and the
text of each code block in the page is byte-identical to that of its fence.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from kb.corpus.markdown import headings_of, plain_text
from kb.serve.escaping import code_span, escape
from kb.strings import text
from kb.types import Language

__all__ = ["code_block", "copy_button", "markdown_to_html", "section_href"]

Tokens: TypeAlias = Sequence[Token]
Env: TypeAlias = MutableMapping[str, Any]

# Opens outside and tells the page outside nothing about this one.
_OUTSIDE = {"target": "_blank", "rel": "noopener noreferrer", "class": "kb-outside"}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the Markdown is shown: what its links mean there and the language of its buttons."""

    link: Callable[[str], str | None]
    language: Language
    heading_level: int


def section_href(identifier: str) -> str:
    """Return the in-page address of a section."""
    return "#" + quote(identifier, safe="")


def markdown_to_html(
    markdown: str,
    language: Language,
    link: Callable[[str], str | None] = lambda href: None,
    heading_level: int = 2,
) -> str:
    """Render `markdown`; `link` gives the id of the section a relative link leads to, or None.

    The first heading gets `heading_level`, whatever its own, any other one the next.
    """
    place = _Place(link, language, heading_level)
    return str(_parser().render(markdown, {"place": place}))


def code_block(content: str, language: Language, info: str = "", classes: str = "") -> str:
    """Return a block of code with a button that copies `content`, exactly."""
    return (
        f'<div class="kb-code {classes}"><div class="kb-code-bar">'
        f'<span class="kb-code-info">{escape(info)}</span>'
        f"{copy_button('chat.copy', language)}</div>"
        f"<pre><code data-copy-source>{escape(content)}</code></pre></div>\n"
    )


def copy_button(key: str, language: Language) -> str:
    """Return the button that copies the `data-copy-source` of the `.kb-code` it stands in."""
    done = escape(text("chat.copied", language))
    label = escape(text(key, language))
    return f'<button type="button" class="kb-copy" data-done="{done}">{label}</button>'


class _SafeRenderer(RendererHTML):
    """markdown-it's own renderer with our headings, blocks and tables, and HTML as text."""

    def fence(self, tokens: Tokens, idx: int, options: object, env: Env) -> str:
        token = tokens[idx]
        info = token.info.split()[0] if token.info.split() else ""
        return code_block(token.content, env["place"].language, info)

    def code_block(self, tokens: Tokens, idx: int, options: object, env: Env) -> str:
        return code_block(tokens[idx].content, env["place"].language)

    def code_inline(self, tokens: Tokens, idx: int, options: object, env: Env) -> str:
        return code_span(tokens[idx].content)

    def html_block(self, tokens: Tokens, idx: int, options: object, env: Env) -> str:
        return f'<p class="kb-raw">{escape(tokens[idx].content)}</p>\n'

    def html_inline(self, tokens: Tokens, idx: int, options: object, env: Env) -> str:
        return escape(tokens[idx].content)

    def heading_open(self, tokens: Tokens, idx: int, options: object, env: Env) -> str:
        return f"<h{_level(idx, env)}>"

    def heading_close(self, tokens: Tokens, idx: int, options: object, env: Env) -> str:
        return f"</h{_level(idx - 2, env)}>\n"

    def table_open(self, tokens: Tokens, idx: int, options: object, env: Env) -> str:
        return '<div class="kb-table"><table>\n'

    def table_close(self, tokens: Tokens, idx: int, options: object, env: Env) -> str:
        return "</table></div>\n"


def _level(opening: int, env: Env) -> int:
    """Return the HTML level of the heading whose opening token has this index."""
    place: _Place = env["place"]
    return min(place.heading_level + (1 if opening else 0), 6)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    # The grammar of the corpus, which knows HTML blocks: else a fence here could be none there.
    parser = MarkdownIt("commonmark", renderer_cls=_SafeRenderer)
    parser.enable(["table", "strikethrough"])
    parser.core.ruler.push("safe_headings", _strip_heading_attributes)
    parser.core.ruler.push("safe_links", _resolve_links)
    # The rules are compiled at first use and not under a lock: use them before threads share them.
    parser.render("# a\n\n|b|\n|-|\n|[c](d)|", {"place": _Place(lambda href: None, "en", 2)})
    return parser


# --- on tokens ---


def _strip_heading_attributes(state: StateCore) -> None:
    """Remove `{#id .class}` from the end of the headings that the corpus reads it from."""
    inlines = {
        token.map[0] + 1: state.tokens[position + 1]
        for position, token in enumerate(state.tokens)
        if token.type == "heading_open" and token.level == 0 and token.map is not None
    }
    for heading in headings_of(state.tokens):
        inline = inlines[heading.line]
        surplus = len(plain_text(inline)) - len(heading.title.rstrip())
        for child in reversed(inline.children or []):
            if surplus <= 0 or child.type != "text":
                break
            cut = min(surplus, len(child.content))
            child.content = child.content[: len(child.content) - cut]
            surplus -= cut


def _resolve_links(state: StateCore) -> None:
    """Keep the links that lead somewhere, leave the words of the others; turn images into text."""
    place: _Place = state.env["place"]
    for token in state.tokens:
        if token.type == "inline" and token.children:
            token.children = _resolved(token.children, place)


def _resolved(children: Sequence[Token], place: _Place) -> list[Token]:
    kept: list[Token] = []
    open_links: list[bool] = []  # for each link around, whether it is kept
    for child in children:
        if child.type == "link_open":
            attributes = _link_attributes(str(child.attrGet("href") or ""), place)
            open_links.append(attributes is not None)
            if attributes is not None:
                child.attrs = attributes
                kept.append(child)
        elif child.type == "link_close":
            if open_links.pop():
                kept.append(child)
        elif child.type == "image":
            kept += _image_as_text(child, any(open_links))
        else:
            kept.append(child)
    return kept


def _image_as_text(image: Token, in_link: bool) -> list[Token]:
    source = str(image.attrGet("src") or "")
    words = Token("text", "", 0, content=image.content or unquote(source))
    if in_link or not _is_web(source):
        return [words]
    attributes: dict[str, str | int | float] = {"href": source, **_OUTSIDE}
    return [
        Token("link_open", "a", 1, attrs=attributes),
        words,
        Token("link_close", "a", -1),
    ]


def _link_attributes(href: str, place: _Place) -> dict[str, str | int | float] | None:
    if _is_web(href):
        return {"href": href, **_OUTSIDE}
    identifier = place.link(unquote(href))
    if identifier is None:
        return None
    return {"href": section_href(identifier), "class": "kb-section-link"}


def _is_web(href: str) -> bool:
    try:
        parts = urlsplit(href)
    except ValueError:  # such as `http://[`
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)
