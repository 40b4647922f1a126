"""A query that found nothing and its evidence in, whether it says anything at all out.

"안녕하세요" and "thanks" are no failures that a section is missing for: there is nothing near them,
and nothing to report. No list of words says so, but what is not there: no line of a log, no name
of a program, a flag, a model or a number, and no likeness to any section.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kb.query.paste import Query
from kb.retrieval.evidence import FEATURES

if TYPE_CHECKING:
    from kb.retrieval.evidence import Evidence

__all__ = ["says_nothing"]

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
    if query.paste.is_log or _names_something(query.words):
        return False
    if programs.is_sglang or programs.serving_in_words or programs.others_in_words:
        return False
    likeness = float(evidence.features[:, FEATURES.index("dense_words")].max(initial=0))
    return likeness < _LIKE_A_SECTION and evidence.idf_share_words < _SPOKEN_OF


def _names_something(words: str) -> bool:
    if _NAME.search(words):
        return True
    return bool(_HANGUL.search(words) and _LATIN_WORD.search(words))
