"""Korean terms for BM25: bigrams of characters, morphemes of mecab-ko, words between blanks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from unittest.mock import patch

from measuring import KeptVectors, examples_of, row, shipped, write

from kb import KnowledgeBase
from kb.retrieval import tokenization
from kb.retrieval.index import group_terms
from kb.retrieval.lexical import LexicalIndex

HANGUL = re.compile(r"[\uac00-\ud7a3]+")
# Nouns, verbs, adjectives, roots, foreign words: what is left out are particles and endings.
CONTENT_TAGS = ("N", "V", "X", "S", "M")
USERS = ("kb.retrieval.index", "kb.retrieval.lexical", "kb.retrieval.evidence")


def with_hangul(split: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """Return the tokenizer with another way for runs of Hangul."""

    def tokenize(text: str) -> list[str]:
        terms = []
        for run in re.split(r"([\uac00-\ud7a3][\uac00-\ud7a3 ]*)", text):
            terms += split(run) if HANGUL.match(run) else tokenization.tokenize(run)
        return terms

    return tokenize


def words(text: str) -> list[str]:
    return HANGUL.findall(text)


def morphemes() -> Callable[[str], list[str]]:
    from mecab import MeCab

    tagger = MeCab()

    def split(text: str) -> list[str]:
        return [form for form, tag in tagger.pos(text) if tag.startswith(CONTENT_TAGS)]

    return split


encoder = KeptVectors()
base = shipped(encoder)
rows = [row("bigrams of characters (present)", *examples_of(base), leg="lexical")]
mecab = morphemes()
for name, split in (
    ("words between blanks", words),
    ("mecab-ko, content morphemes", mecab),
    ("bigrams and mecab-ko", lambda text: [*tokenization.tokenize(text), *mecab(text)]),
):
    tokenize = with_hangul(split)
    patches = [patch(f"{module}.tokenize", tokenize) for module in USERS]
    for one in patches:
        one.start()
    lexical = LexicalIndex.from_terms(group_terms(base.index.sections))
    other = KnowledgeBase(replace(base.index, lexical=lexical), encoder, base.settings)
    rows.append(row(name, *examples_of(other), leg="lexical"))
    for one in patches:
        one.stop()
encoder.save()
write(
    __file__,
    "Korean terms",
    "How Hangul becomes terms for BM25 and titles (`python-mecab-ko` 1.3.7); all else is equal.",
    rows,
)
