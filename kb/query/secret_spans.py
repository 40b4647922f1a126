"""A text in, its UTF-8 bytes out, with views in which escapes are plain and offsets are kept."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kb.query.secret_forms import SecretKind

__all__ = ["PasteBytes", "Span", "as_text", "read_bytes"]


@dataclass(frozen=True, slots=True)
class PasteBytes:
    """A paste as UTF-8, and two views of it in which every byte keeps its offset."""

    raw: bytes
    view: bytes  # colours, typographic quotes and escapes such as `\\n`, `&quot;` made plain
    folded: bytes  # the view in lower case


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch to be masked; it holds no line break."""

    start: int  # byte offset
    end: int
    kind: SecretKind
    value: bytes  # spans with the same value get the same placeholder
    by_key: bool = False  # found by its surroundings: the value may stand elsewhere without them


_ANSI = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]")
# Escapes as JSON and HTML write them, and typographic signs that editors put in: (written, plain).
_ESCAPED = (
    *((rb"\n", b""), (rb"\r", b""), (rb"\t", b""), (rb"\u0022", b'"'), (rb"\u0027", b"'")),
    *((rb"\u0026", b"&"), (rb"\u003d", b"="), (rb"\u003c", b"<"), (rb"\u003e", b">")),
)
_ENTITIES = ((b"&quot;", b'"'), (b"&#34;", b'"'), (b"&#39;", b"'"), (b"&amp;", b"&"))
_TYPOGRAPHIC = tuple(
    (written.encode(), plain)
    for written, plain in (
        *(("\xa0", b""), ("：", b":"), ("＝", b"="), ("“", b'"'), ("”", b'"')),
        *(("‘", b"'"), ("’", b"'"), ("–", b"--"), ("—", b"--")),
    )
)


def read_bytes(text: str) -> PasteBytes:
    """Return `text` as bytes, lone surrogates included, with its plain views."""
    raw = text.encode("utf-8", "surrogatepass")
    view = raw
    if b"\x1b" in view:
        view = _ANSI.sub(lambda match: b" " * len(match.group()), view)
    for sign, pairs in ((b"\\", _ESCAPED), (b"&", _ENTITIES)):
        if sign in view:
            view = _plain(view, pairs)
    if not view.isascii():
        view = _plain(view, _TYPOGRAPHIC)
    return PasteBytes(raw, view, view.lower())


def _plain(view: bytes, pairs: tuple[tuple[bytes, bytes], ...]) -> bytes:
    for written, plain in pairs:
        # The padding of an opening quote or a sign may follow it, that of a dash may not.
        to_the_right = plain == b"--"
        padded = plain.rjust(len(written)) if to_the_right else plain.ljust(len(written))
        view = view.replace(written, padded)
    return view


def as_text(value: bytes) -> str:
    """Return a stretch of a paste as text, whatever its bytes."""
    return value.decode("utf-8", "replace")
