"""Text of any origin in, HTML that shows exactly that text and does nothing out."""

from __future__ import annotations

import html
import re

__all__ = ["code_span", "escape", "with_code_spans"]

# A flag is not broken at its hyphens where the whole of it fits into a line of a phone.
MAX_UNBROKEN_CHARS = 32
_CODE_SPAN = re.compile(r"`([^`\n]+)`")
# What HTML cannot carry: a NUL is dropped by parsers, a lone surrogate has no UTF-8 form.
_UNCARRIABLE = re.compile("[\0\ud800-\udfff]")


def escape(text: str) -> str:
    """Return `text` as HTML text or attribute value whose `textContent` is `text` again.

    A carriage return is written as a reference, since a parser would turn it into a line feed.
    """
    return html.escape(_UNCARRIABLE.sub("\ufffd", text), quote=True).replace("\r", "&#13;")


def code_span(content: str) -> str:
    """Return a few words of code within a sentence."""
    unbroken = ' class="kb-nowrap"' if len(content) <= MAX_UNBROKEN_CHARS else ""
    return f"<code{unbroken}>{escape(content)}</code>"


def with_code_spans(sentence: str) -> str:
    """Return a sentence of ours as HTML, what stands between backticks as code."""
    # Split by a pattern with one group, every second piece is what was between backticks.
    pieces = _CODE_SPAN.split(sentence)
    return "".join(
        code_span(piece) if position % 2 else escape(piece) for position, piece in enumerate(pieces)
    )
