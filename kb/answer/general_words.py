"""A refused question in, whether it is a complaint in general words out: "server is slow".

Nothing in it tells one section from another, and nothing says that it is about anything else: each
of its words stands in the documents. So it is asked back which of the nearest sections is meant.
"the printer is slow" has a word that no section knows, "vLLM is slow" names another program.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kb.query.glossary import has_counterpart
from kb.query.paste import Query, is_plain
from kb.query.pleasantries import is_pleasantry
from kb.retrieval.tokenization import tokenize

if TYPE_CHECKING:
    from kb.retrieval.searchable import Compared, Weighted

__all__ = ["is_general"]

_WORD = re.compile(
    r"[\uac00-\ud7a3]+|[\u4e00-\u9fff]+|[\u3040-\u30ff]+"
    r"|-{0,2}[A-Za-z0-9_](?:[A-Za-z0-9_]|[-./:+'](?=[A-Za-z0-9_]))*"
)
_MAX_WORDS = 8  # that say anything; more tell one thing from another
_ASKS_FOR_HELP = frozenset({"help", "please"})  # says that something is wrong, and not what
_NO_TERM = "\x00"  # of no document: weighs as much as any unknown term


def is_general(query: Query, index: Compared) -> bool:
    """Whether a question without a log has only words that the documents know, and few of them."""
    programs = query.programs
    if not is_plain(query.paste) or programs.other or programs.foreign_frames:
        return False
    if is_pleasantry(query.words):
        return False
    said = [
        word
        for word in _WORD.findall(query.words)
        if tokenize(word) and word.lower() not in _ASKS_FOR_HELP
    ]
    return 0 < len(said) <= _MAX_WORDS and all(_is_known(word, index.lexical) for word in said)


def _is_known(word: str, lexical: Weighted) -> bool:
    unknown = lexical.idf((_NO_TERM,))
    if all(lexical.idf((term,)) < unknown for term in tokenize(word)):
        return True
    return not word.isascii() and has_counterpart(word)
