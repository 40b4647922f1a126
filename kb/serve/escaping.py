"""Text of any origin in, HTML that shows exactly that text and does nothing out."""

from __future__ import annotations

import html
import re

__all__ = ["escape", "with_code_spans"]

_CODE_SPAN = re.compile(r"`([^`\n]+)`")
# What HTML cannot carry: a NUL is dropped by parsers, a lone surrogate has no UTF-8 form.
_UNCARRIABLE = re.compile("[\0\ud800-\udfff]")


def escape(text: str) -> str:
    """Return `text` as HTML text or attribute value whose `textContent` is `text` again.

    A carriage return is written as a reference, since a parser would turn it into a line feed.
    """
    return html.escape(_UNCARRIABLE.sub("\ufffd", text), quote=True).replace("\r", "&#13;")


def with_code_spans(sentence: str) -> str:
    """Return a sentence of ours as HTML, what stands between backticks as code."""
    return _CODE_SPAN.sub(r"<code>\1</code>", escape(sentence))
