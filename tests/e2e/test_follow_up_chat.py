"""Further questions in the chat: they keep the log until a new one comes or it is cleared."""

from __future__ import annotations

import pytest

from kb.strings import text

pytestmark = pytest.mark.browser

OOM = """\
[2025-11-03 09:12:40 TP0] Prefill batch, #new-seq: 1, #new-token: 8192
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU 0 has a total capacity
[2025-11-03 09:12:41] Received sigquit from a child process. It usually means the child failed.
"""
HANG = "[2025-11-03 11:45:09 TP1] Watchdog timeout (self.watchdog_timeout=300)"
PASTE = "#kb-paste textarea"
QUESTION = "#kb-question :is(textarea, input)"


def ask(chat, paste: str | None = None, question: str | None = None) -> None:
    """Fill only what is given, as a person does who asks on."""
    for box, content in ((PASTE, paste), (QUESTION, question)):
        if content is not None:
            chat.page.locator(box).fill(content)
    chat.page.locator("#kb-ask").click()
    chat.wait_for_answer()


def sections(chat) -> list[str]:
    found = chat.page.locator("#kb-answer .kb-body")
    return [body.get_attribute("data-id") for body in found.all()]


def is_further(chat) -> bool:
    return chat.page.locator("#kb-answer .kb-further").count() == 1


def boxes(chat) -> tuple[str, str]:
    return tuple(chat.page.locator(box).input_value() for box in (PASTE, QUESTION))


@pytest.mark.parametrize(
    ("locale", "language", "question"),
    [("ko-KR", "ko", "그럼 처리량은?"), ("en-US", "en", "and on 8 GPUs?")],
)
def test_a_question_beside_the_log_is_asked_about_the_log(open_chat, locale, language, question):
    chat = open_chat(locale=locale)
    ask(chat, OOM, "")
    assert not is_further(chat)
    ask(chat, question=question)
    assert sections(chat)[0] in ("oom-prefill", "cuda-out-of-memory")
    assert text("chat.further", language, lines=3) in chat.answer


def test_a_question_without_the_log_is_asked_about_it_and_the_log_is_shown_again(open_chat):
    chat = open_chat()
    ask(chat, OOM, "why did it die?")
    ask(chat, "", "how much should I lower it?")
    assert is_further(chat)
    assert sections(chat)[0] in ("oom-prefill", "cuda-out-of-memory")
    assert boxes(chat) == (OOM, "how much should I lower it?")


def test_words_in_the_place_of_the_log_are_a_question_about_it(open_chat):
    chat = open_chat(locale="ko-KR")
    ask(chat, OOM, "왜 죽었나요?")
    ask(chat, "그래도 안 되면요?")
    assert is_further(chat)
    assert sections(chat)[0] in ("oom-prefill", "cuda-out-of-memory")
    assert boxes(chat) == (OOM, "그래도 안 되면요?")


def test_thanks_keep_the_log_and_the_next_question_is_about_it(open_chat):
    chat = open_chat(locale="ko-KR")
    ask(chat, OOM, "")
    ask(chat, question="감사합니다!")
    assert sections(chat) == []
    assert text("answer.acknowledged", "ko") in chat.answer
    ask(chat, question="그럼 처리량은?")
    assert sections(chat)[0] in ("oom-prefill", "cuda-out-of-memory")


def test_a_topic_that_is_named_comes_first_and_the_log_second(open_chat):
    chat = open_chat()
    ask(chat, OOM, "")
    ask(chat, question="what if I use fp8 KV cache?")
    assert sections(chat)[0] == "fp8-kv-accuracy"
    assert sections(chat)[1] in ("oom-prefill", "cuda-out-of-memory")
    assert text("chat.also_log", "en") in chat.answer


def test_a_new_log_is_asked_about_by_itself(open_chat):
    chat = open_chat()
    ask(chat, OOM, "")
    ask(chat, HANG)
    assert not is_further(chat)
    assert sections(chat)[0] == "hang-running-watchdog"


def test_starting_afresh_forgets_the_log(open_chat):
    chat = open_chat()
    ask(chat, OOM, "")
    ask(chat, question="why?")
    chat.page.get_by_role("button", name=text("chat.afresh", "en")).click()
    chat.page.locator("#kb-answer [data-state=topics]").wait_for()
    assert boxes(chat) == ("", "")
    assert chat.page.evaluate("document.activeElement.closest('#kb-paste') !== null")
    ask(chat, question="tool calls come back as plain text")
    assert not is_further(chat)
    assert sections(chat)[0] == "tool-call-raw-text"


def test_clearing_the_box_forgets_the_log(open_chat):
    chat = open_chat()
    ask(chat, OOM, "")
    chat.page.locator(".kb-clear").click()
    ask(chat, question="tool calls come back as plain text")
    assert not is_further(chat)
    assert boxes(chat)[0] == ""
    ask(chat, question="and as JSON?")
    assert not is_further(chat)  # there is no log to ask about


def test_another_language_answers_the_further_question_again(open_chat):
    chat = open_chat()
    ask(chat, OOM, "")
    ask(chat, question="and on 8 GPUs?")
    chat.choose("ko")
    chat.page.locator("#kb-answer article[lang=ko] .kb-further").wait_for()


def test_two_pages_do_not_know_of_each_other(open_chat):
    first, second = open_chat(), open_chat()
    ask(first, OOM, "")
    ask(second, question="and on 8 GPUs?")
    assert not is_further(second)


def test_a_hostile_further_question_stays_text(open_chat):
    chat = open_chat()
    ask(chat, OOM, "")
    ask(chat, question="<img src=x onerror='window.__pwned = 1'> why?")
    assert is_further(chat)
    assert chat.page.locator("#kb-answers :is(img, script, iframe)").count() == 0
