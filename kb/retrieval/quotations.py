"""A person's words in, what they quote of a program's messages out."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["quotations"]

MAX_WORDS_CHARS = 4_000  # of a question, in which quotations are looked for
MIN_LETTERS = 10  # and digits, that a quotation must have to tell one message from another
# A piece of a message that somebody quotes: `it ends in "Not enough memory"`.
_QUOTED = re.compile(
    r"[\"“”`「『‘]([^\"“”`「」『』’\n]{10,200})[\"“”`」』’]|'([^'\n]{10,200})'(?!\w)"
)


def quotations(text: str) -> Iterator[str]:
    """Yield what a person's words quote that may be a piece of a message, in lower case."""
    for found in _QUOTED.finditer(text[:MAX_WORDS_CHARS]):
        quoted = (found[1] or found[2]).strip(" .…!?,;:").lower()
        if sum(map(str.isalnum, quoted)) >= MIN_LETTERS and " " in quoted:
            yield quoted
