"""A text in, the same text with its secrets masked out: keys, lines and everything else stay.

Why no library: of the 183 values planted in the tests, detect-secrets 1.5.0 finds 21 with its 25
pattern plugins, at 0.2 MB/s, and its entropy plugins report 35,579 words in 323 kB of pastes; it
finds but doesn't mask. presidio-analyzer (2.7 s to import) and scrubadub (1.5 s) look for personal
data, not for keys, and install 390 and 410 MB.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from kb.query.secret_addresses import find_hosts, find_ip_addresses
from kb.query.secret_by_form import (
    find_emails,
    find_forms,
    find_prefixed,
    find_private_keys,
    find_url_passwords,
    find_user_options,
)
from kb.query.secret_by_key import find_flags, find_keyed, find_korean
from kb.query.secret_forms import SecretKind
from kb.query.secret_spans import PasteBytes, Span, read_bytes

__all__ = ["Redacted", "redact"]

# The order decides nothing: overlapping finds are joined.
_FINDERS: tuple[Callable[[PasteBytes], Iterator[Span]], ...] = (
    find_private_keys,
    find_prefixed,
    find_forms,
    find_keyed,
    find_flags,
    find_korean,
    find_url_passwords,
    find_user_options,
    find_emails,
)
_ADDRESS_FINDERS = (find_ip_addresses, find_hosts)

# A value found by its key is looked for everywhere. That is one pass over the text per value, and
# some work per place, so that together they are bounded: 50 values in 10 MB, 5,000 in 100 kB.
_MAX_BYTES_SEARCHED = 500_000_000
_BYTES_PER_PLACE = 1_000
_PLACEHOLDER = re.compile(rb"<([a-z][a-z-]{0,15})-(\d{1,6})>")


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets: as many lines as before, each value a placeholder."""

    text: str  # `<api-key-1>` for a value; the same value has the same placeholder
    hidden: int  # distinct values that were masked
    by_kind: dict[SecretKind, int] = field(default_factory=dict)  # the same, per kind


def redact(text: str, *, addresses: bool = False) -> Redacted:
    """Mask the secrets of `text`; with `addresses`, IP addresses and host names too.

    Never raises; time is linear in the text. Line breaks stay where they are, so that line
    numbers hold. Placeholders that are there already stay, and new numbers go on after theirs.
    """
    paste = read_bytes(text)
    finders = (*_FINDERS, *_ADDRESS_FINDERS) if addresses else _FINDERS
    found = [span for find in finders for span in find(paste)]
    if not found:
        return Redacted(text, 0)
    found.extend(_elsewhere(paste, found))
    return _masked(paste, _joined(paste, found))


def _elsewhere(paste: PasteBytes, found: list[Span]) -> Iterator[Span]:
    """Yield the further places of values that were found by the key in front of them."""
    kinds: dict[bytes, SecretKind] = {}
    for span in found:
        if span.by_key and _is_telling(span.value):
            kinds.setdefault(span.value, span.kind)
    left = _MAX_BYTES_SEARCHED
    for value, kind in kinds.items():
        left -= len(paste.raw)
        if left < 0:
            return
        at = paste.raw.find(value)
        while at >= 0 and left >= 0:
            left -= _BYTES_PER_PLACE
            end = at + len(value)
            around = paste.raw[max(0, at - 1) : at] + paste.raw[end : end + 1]
            if len(value) >= 16 or not (around.isalnum() and around.isascii()):
                yield Span(at, end, kind, value)
            at = paste.raw.find(value, end)


def _is_telling(value: bytes) -> bool:
    """Whether `value` can mean nothing else wherever it stands: `hunter2-prod`, not `password`."""
    if not 8 <= len(value) <= 4096:
        return False
    has_digit = any(48 <= byte <= 57 for byte in value)
    return has_digit and not value.isdigit()


def _joined(paste: PasteBytes, found: list[Span]) -> list[Span]:
    """Return spans in order without overlap: the wider one wins, two that cross become one."""
    whole = [_on_characters(paste.raw, span) for span in found]
    whole.sort(key=lambda span: (span.start, -span.end))
    joined: list[Span] = []
    for span in whole:
        last = joined[-1] if joined else None
        if last is None or span.start >= last.end:
            joined.append(span)
        elif span.end > last.end and span.kind != "email":  # `…:p@ss@host` is a password and a host
            joined[-1] = Span(last.start, span.end, last.kind, paste.raw[last.start : span.end])
    return joined


def _on_characters(raw: bytes, span: Span) -> Span:
    """Return the span, widened where a plain view made it begin or end inside a character."""
    start, end = span.start, span.end
    while start > 0 and raw[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(raw) and raw[end] & 0xC0 == 0x80:
        end += 1
    return span if (start, end) == (span.start, span.end) else replace(span, start=start, end=end)


def _masked(paste: PasteBytes, spans: list[Span]) -> Redacted:
    # Numbers go on after those of placeholders that are in the text already.
    last: Counter[str] = Counter()
    for placeholder in _PLACEHOLDER.finditer(paste.raw):
        kind = placeholder[1].decode()
        last[kind] = max(last[kind], int(placeholder[2]))
    names: dict[bytes, bytes] = {}
    by_kind: Counter[SecretKind] = Counter()
    pieces: list[bytes] = []
    at = 0
    for span in spans:
        name = names.get(span.value)
        if name is None:
            last[span.kind] += 1
            by_kind[span.kind] += 1
            name = names[span.value] = f"<{span.kind}-{last[span.kind]}>".encode()
        pieces += (paste.raw[at : span.start], name)
        at = span.end
    pieces.append(paste.raw[at:])
    masked = b"".join(pieces).decode("utf-8", "surrogatepass")
    return Redacted(masked, len(names), dict(by_kind))
