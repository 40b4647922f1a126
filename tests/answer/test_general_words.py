"""A complaint in general words is answered or asked back what is meant; others stay refused."""

from __future__ import annotations

import pytest

from kb.query.glossary import counterparts, has_counterpart
from kb.strings import text

COMPLAINTS = [
    ("server is slow", {"low-throughput", "slow-weight-loading"}),
    ("점점 느려져요", {"low-throughput", "slow-weight-loading"}),
    ("服务很慢", {"low-throughput", "slow-weight-loading"}),
    ("服务卡住了", {"server-hangs"}),
    ("服务启动不了", {"hang-init", "warmup-failed"}),
    ("응답이 없어요", {"server-hangs"}),
    ("server crashes", {"crash-dump"}),
    ("it crashed", {"crash-dump"}),
    ("갑자기 죽었어요", {"crash-dump"}),
    ("output is garbage", {"garbled-output"}),
    ("does not start", {"hang-init"}),
]
OTHERS = [
    "how do I cook rice",
    "vLLM is slow",
    "my laptop is slow",
    "the printer does not respond",
    "ollama가 느려요",
    "제 컴퓨터가 멈춰요",
    "게임 서버가 다운됐어요",
    "minecraft server is slow",
    "我的电脑很慢",
    "hello",
    "help",
    "감사합니다",
]


def asks_back(answer) -> bool:
    return text("answer.which_one", answer.language) in answer.notes


@pytest.mark.parametrize(("words", "meant"), COMPLAINTS)
def test_a_complaint_in_general_words_is_shown_what_it_may_be(shipped, words, meant):
    answer = shipped.ask("", words)
    assert answer.found or asks_back(answer)
    assert meant & {found.id for found in (*answer.sections, *answer.nearest)}


@pytest.mark.parametrize("words", [words for words, _ in COMPLAINTS])
def test_in_the_box_of_the_log_it_is_answered_or_asked_back(shipped, words):
    answer = shipped.ask(words)
    assert answer.found or asks_back(answer)
    assert answer.sections or answer.nearest


@pytest.mark.parametrize("words", ["서버가 멈춰요", "it hangs after a while", "throughput is low"])
def test_one_that_names_a_section_is_answered_with_it(shipped, words):
    assert shipped.ask("", words).found


@pytest.mark.parametrize("words", OTHERS)
def test_what_speaks_of_anything_else_is_not_asked_back(shipped, words):
    answer = shipped.ask("", words)
    assert not answer.found
    assert not asks_back(answer)


def test_a_log_is_no_complaint_in_general_words(shipped):
    log = "Traceback (most recent call last):\nKeyError: 'server'"
    assert not asks_back(shipped.ask(log, "server is slow"))


def test_chinese_words_are_known_as_a_whole_or_not_at_all():
    assert has_counterpart("服务很慢")
    assert has_counterpart("느려져요")
    assert not has_counterpart("电脑很慢")
    assert not has_counterpart("很")
    assert not has_counterpart("노트북이")


def test_a_plural_after_a_sibilant_is_looked_for_without_its_ending():
    assert counterparts("it crashes and hangs") == "crash"
    assert counterparts("uses processes") == "process"
