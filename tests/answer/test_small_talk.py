"""What says nothing is told what to paste; a short complaint gets the nearest sections."""

from __future__ import annotations

import pytest

from kb.strings import text

SMALL_TALK = [
    "안녕하세요",
    "감사합니다!",
    "고마워요",
    "오늘 날씨 어때?",
    "넌 누구야?",
    "hello",
    "thanks",
    "hi there",
    "tell me a joke",
    "help",
    "???",
    "👍",
    "got it",
    "해결됐어요",
]
COMPLAINTS = [
    "느려요",
    "죽어요",
    "에러",
    "it is slow",
    "it does not work",
    "error",
    "TPU v5e 지원하나요?",
    "nginx 502",
    "MySQL login fails",
    "--foo-bar",
    "k8s pod pending",
    "vLLM에서 Apple Metal 정식 지원 계획 있나요?",
    "ollama에 임베딩 엔드포인트 추가 요청합니다",
]


@pytest.mark.parametrize("words", SMALL_TALK)
def test_small_talk_is_told_what_the_knowledge_base_is_for(shipped, words):
    for answer in (shipped.ask(words), shipped.ask("", words)):
        assert not answer.found
        assert answer.notes == (text("answer.says_nothing", answer.language),)
        assert answer.nearest == ()


@pytest.mark.parametrize("words", COMPLAINTS)
def test_a_complaint_is_answered_or_shown_what_is_near(shipped, words):
    answer = shipped.ask(words)
    assert text("answer.says_nothing", answer.language) not in answer.notes
    assert answer.sections or answer.nearest


def test_a_greeting_above_a_log_is_no_small_talk(shipped):
    answer = shipped.ask("ERROR 1045 (28000): Access denied for user 'root'", "안녕하세요")
    assert answer.nearest
