"""A query that found nothing and its evidence in, whether it says anything at all out.

"안녕하세요" and "thanks" are no failures that a section is missing for: there is nothing near them,
and nothing to report. What is not there says so: no line of a log, no name of a program, a flag, a
model or a number, and no likeness to any section. Words that are nothing but courtesies say so by
themselves, whatever they are like: "got it", "해결됐어요".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kb.query.paste import Query
from kb.query.pleasantries import is_pleasantry
from kb.retrieval.evidence import FEATURES
from kb.strings import text
from kb.types import Answer

if TYPE_CHECKING:
    from kb.retrieval.evidence import Evidence

__all__ = ["acknowledge", "says_nothing"]

# A word that names something: `H100`, `NCCL`, `vLLM`, `--tp`, `mem_fraction`, `torch.compile`.
_NAME = re.compile(r"\w*\d\w*|[A-Z][A-Za-z]*[A-Z]|\w[._/:-]+\w|--\w|https?:")
# In a Korean sentence every Latin word is a name: `ollama에`, `docker 문법`.
_HANGUL, _LATIN_WORD = re.compile(r"[\uac00-\ud7a3]"), re.compile(r"[A-Za-z]{2}")
# Cosines to the nearest section, 0 that of the mean section. Greetings, thanks and questions about
# the weather reach 0.18; the shortest complaints ("it is slow", "죽어요", "에러") begin at 0.20.
_LIKE_A_SECTION = 0.19
# Of the words' weight, held by the section that holds most: 0.2 a word where they are few.
_SPOKEN_OF = 0.5


def says_nothing(query: Query, evidence: Evidence) -> bool:
    """Whether a query that was refused holds no log and no term that tells what it is about."""
    programs = query.programs
    if is_pleasantry(query.words) and not query.paste.is_log:
        return True
    if query.paste.is_log or _names_something(query.words):
        return False
    if programs.is_sglang or programs.serving_in_words or programs.others_in_words:
        return False
    likeness = float(evidence.features[:, FEATURES.index("dense_words")].max(initial=0))
    return likeness < _LIKE_A_SECTION and evidence.idf_share_words < _SPOKEN_OF


def acknowledge(words: Query) -> Answer | None:
    """Return the answer to thanks, a greeting or "ok" after a log was answered, else None.

    The log's answer is not given once more. Nothing but the form of the words can say so: "why?"
    and "what else can I try?" are as far from every section, and go on about the log.
    """
    if not is_pleasantry(words.question):
        return None
    notes = (text("answer.acknowledged", words.language),)
    return Answer(found=False, language=words.language, confidence=0.0, notes=notes)


def _names_something(words: str) -> bool:
    if _NAME.search(words):
        return True
    return bool(_HANGUL.search(words) and _LATIN_WORD.search(words))
