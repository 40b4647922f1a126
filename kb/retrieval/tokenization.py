"""A text in, terms for lexical retrieval out; the same for documents and queries.

- A flag, variable, path or dotted name is one term, and so is each of its parts:
  `--mem-fraction-static` → `--mem-fraction-static`, `mem`, `fraction`, `static`.
- Hangul, Han and Kana runs become character bigrams: `서버가` and `서버` share `서버`
  (bigrams beat words and matched morphological analysers on Korean technical documents).
- English words lose their commonest endings, so that `hangs` finds `hang`.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["TOKENIZER_VERSION", "tokenize"]

TOKENIZER_VERSION = 1  # raise on any change of what `tokenize` returns: indexes name it

_RUNS = re.compile(
    r"(?P<cjk>[\uac00-\ud7a3]+|[\u4e00-\u9fff]+|[\u3040-\u30ff]+)"
    r"|(?P<latin>-{0,2}[A-Za-z0-9_](?:[A-Za-z0-9_]|[-./:+](?=[A-Za-z0-9_]))*)"
)
_PARTS = re.compile(r"[A-Za-z]+|\d+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_MAX_TERM_CHARS = 80  # longer runs are encoded payloads, not words
_MAX_DIGITS = 6  # longer numbers are ids, sizes in bytes and times
# Words in nearly every sentence of either language's documents; they only lengthen a query.
_STOP_WORDS = frozenset(
    """
    a an and are as at be but by can did do does for from get got had has have how i if in is it
    its me my no not of on or our so some that the their them then there these they this to up us
    was we what when where which who why will with would you your
    """.split()  # noqa: SIM905 a list of sixty quoted words is harder to read
)


def _stem(word: str) -> str:
    """Cut the commonest English endings; what is left need not be a word."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 5 and word.endswith("ing"):
        return word[:-3]
    if len(word) > 4 and word.endswith("ed"):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=16_384)  # a log says the same words again and again
def _latin_terms(run: str) -> tuple[str, ...]:
    parts: list[str] = []
    for part in _PARTS.findall(run):
        if part.isdigit():
            if len(part) <= _MAX_DIGITS:
                parts.append(part)
            continue
        pieces = _CAMEL.findall(part) if not part.islower() else [part]
        parts.extend(piece.lower() for piece in pieces)
        if len(pieces) > 1:
            parts.append(part.lower())
    terms = [_stem(part) for part in parts if part not in _STOP_WORDS]
    whole = run.lower().lstrip("-") if not run.startswith("--") else run.lower()
    is_name = any(character.isalpha() for character in whole)  # dates and addresses are not
    if len(parts) > 1 and len(whole) <= _MAX_TERM_CHARS and is_name:
        terms.append(whole)
    return tuple(terms)


def tokenize(text: str) -> list[str]:
    """Return the terms of `text` in order, repeats kept."""
    terms: list[str] = []
    for run in _RUNS.finditer(text):
        cjk = run["cjk"]
        if cjk:
            if len(cjk) == 1:
                terms.append(cjk)
            terms.extend(cjk[i : i + 2] for i in range(len(cjk) - 1))
        else:
            terms.extend(_latin_terms(run["latin"]))
    return terms
