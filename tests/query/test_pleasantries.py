"""Thanks, greetings and "understood" are told from questions and complaints by all their words."""

from __future__ import annotations

import pytest

from kb.query.pleasantries import is_pleasantry


@pytest.mark.parametrize(
    "words",
    [
        "고마워요",
        "감사합니다!",
        "정말 감사합니다. 잘 되네요",
        "덕분에 해결됐어요 ㅎㅎ",
        "네 알겠습니다",
        "수고하세요~",
        "안녕하세요",
        "thanks",
        "Thanks, that fixed it!",
        "ok",
        "OK, got it. Thank you so much",
        "that helped a lot, thank you 🙏",
        "great, it’s working now",
        "谢谢，问题解决了",
        "好的谢谢",
        "ありがとうございました",
        "👍",
        "...",
    ],
)
def test_courtesies_and_nothing_else(words):
    assert is_pleasantry(words)


@pytest.mark.parametrize(
    "words",
    [
        "",
        " \n",
        "why?",
        "왜요",
        "ok?",
        "그래도 안 돼요",
        "감사합니다. 그래도 안 돼요",
        "감사합니다, 그럼 처리량은요",
        "아직 해결이 안 됐어요",
        "감사 로그가 너무 커요",
        "thanks, but it still hangs",
        "that did not fix it",
        "it never works",
        "ok, and on 8 GPUs",
        "thanks, what else can I try",
        "ok then lower --mem-fraction-static",
        "the server is up",
        "it is my problem again",
        "谢谢，但是还是不行",
        "好慢",
        "thanks " * 40,
    ],
)
def test_what_asks_denies_or_names_anything_is_none(words):
    assert not is_pleasantry(words)
