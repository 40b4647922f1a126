"""A question that only asks what the log is says no more than the log."""

from __future__ import annotations

import pytest

from kb.query.generic import asks_only_what_it_is
from kb.query.paste import read_query

GENERIC = (
    "이거 왜 이래요?",
    "왜 이러는 거죠?",
    "도와주세요",
    "뭐가 문제예요?",
    "원인이 뭔가요?",
    "어떻게 해결하나요?",
    "why does this happen?",
    "what's wrong?",
    "please help",
    "这是什么问题？",
    "怎么解决",
)
TELLING = (
    "",
    "왜 느려요",
    "메모리가 부족해요",
    "노드가 안 붙어요",
    "그럼 처리량은?",
    "raise or lower?",
    "what is the right mem fraction?",
    "does it work on 5090?",
    "这是显存问题吗",
)


@pytest.mark.parametrize("question", GENERIC)
def test_words_that_only_ask_are_known(question):
    assert asks_only_what_it_is(question)


@pytest.mark.parametrize("question", TELLING)
def test_words_that_tell_anything_are_not(question):
    assert not asks_only_what_it_is(question)


@pytest.mark.parametrize("question", GENERIC)
def test_beside_a_log_they_change_nothing(shipped, question):
    log = "Loading safetensors checkpoint shards:  80% Completed | 4/5\nKilled"
    alone, asked = shipped.ask(log), shipped.ask(log, question)
    assert [s.id for s in asked.sections] == [s.id for s in alone.sections]
    assert read_query("", question, None).words == question


def test_a_healthy_log_stays_healthy_whatever_is_asked_of_it(shipped):
    log = (
        "[2026-10-05 10:21:03] Decode batch. #running-req: 3, #token: 812, token usage: 0.02,"
        " cuda graph: True, gen throughput (token/s): 310.12, #queue-req: 0, \n"
        '[2026-10-05 10:21:04] INFO:     10.0.0.7:51234 - "POST /v1/chat/completions HTTP/1.1" 200 OK'
    )
    assert not shipped.ask(log, "이거 왜 이래요?").found


@pytest.mark.parametrize("words", ["Can I use --max-model-len?", "What is SGLang?", "서버가 느려요"])
def test_what_is_typed_into_the_box_of_the_log_is_read_as_the_question_it_is(words):
    typed, asked = read_query(words, None, None), read_query("", words, None)
    assert typed.words == asked.words
    assert typed.programs == asked.programs
    assert typed.context_text == asked.context_text == ""


def test_a_flag_asked_about_in_the_box_of_the_log_gets_its_verdict(shipped):
    answer = shipped.ask("--max-model-len 써도 되나요?")
    said = (*answer.notes, *(flag.note for flag in answer.flags))
    assert any("--context-length" in note for note in said)
