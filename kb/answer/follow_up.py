"""Two answers to a further question about a log in, one out: what the words name, or the log's.

The log was answered before. So where the words name a topic of their own it comes first, whatever
the log failed with; where they may name one it stands second; and words that say nothing by
themselves ("why?", "and on 8 GPUs?") leave the log's answer as it is.
"""

from __future__ import annotations

import re
from dataclasses import replace

from kb.types import Answer, AnswerSection

__all__ = ["join_follow_up"]

# From this confidence in what the words alone ask for they name a topic. On the written follow-ups
# of the tests, in both languages, those that go on about the log reach 0.59, topics begin at 0.79
# (one lies at 0.59: it is found as the second section).
_NAMES_A_TOPIC = 0.7


def join_follow_up(of_log: Answer, of_words: Answer, top_k: int) -> Answer:
    """Return the answer to show, at most `top_k` sections.

    `of_log` is that of the log and the words together, `of_words` that of the words alone, with
    what is true for the log's version and command.
    """
    if not of_words.found or not of_words.sections:
        return of_log
    if not of_log.found or not of_log.sections:
        return of_words
    topic = of_words.sections[0]
    if topic.id == of_log.sections[0].id:
        return of_log
    if of_words.confidence >= _NAMES_A_TOPIC and not any(
        _look_alike(section, topic) for section in of_log.sections
    ):
        return _shown(of_words, (topic, of_log.sections[0]), top_k)
    others = (section for section in of_log.sections[1:] if section.id != topic.id)
    return _shown(of_log, (of_log.sections[0], topic, *others), top_k)


def _look_alike(section: AnswerSection, topic: AnswerSection) -> bool:
    """Whether a line of the log is a section's own, and the two sections tell each other apart.

    "Should I raise or lower the fraction?" after an out of memory names the section on the message
    that asks to raise it: the log knows which of the two it was, the words do not.
    """
    decided = any(line.signature for line in section.matched_lines)
    return decided and _links(section, topic.id) and _links(topic, section.id)


def _links(section: AnswerSection, identifier: str) -> bool:
    return re.search(rf"\]\([^()\s#]*#{re.escape(identifier)}\)", section.markdown) is not None


def _shown(answer: Answer, sections: tuple[AnswerSection, ...], top_k: int) -> Answer:
    """Return `answer` with these sections; the scores of two rankings become one falling row."""
    falling: list[AnswerSection] = []
    for section in sections[:top_k]:
        limit = falling[-1].score if falling else section.score
        falling.append(replace(section, score=min(section.score, limit)))
    ids = {section.id for section in falling}
    nearest = tuple(near for near in answer.nearest if near.id not in ids)
    return replace(answer, sections=tuple(falling), nearest=nearest)
