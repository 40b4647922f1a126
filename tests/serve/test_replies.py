from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from page_html import PageHTML

from kb import Answer, KnowledgeBase
from kb.serve.replies import Replies
from kb.settings import Settings
from kb.strings import text
from kb.types import VersionRange

LOG = "torch.OutOfMemoryError: CUDA out of memory."


def language_of(reply) -> str:
    return PageHTML(reply.html).elements[0][1]["lang"]


@pytest.mark.parametrize(
    ("paste", "question", "chosen", "page", "language"),
    [
        (LOG, "", None, "ko", "ko"),  # a log has no language: that of the page
        (LOG, "", None, "en", "en"),
        (LOG, "Why does it die?", None, "ko", "en"),  # the question decides
        (LOG, "왜 죽나요?", None, "en", "ko"),
        (f"왜 죽나요?\n{LOG}", "", None, "en", "ko"),  # words pasted along are a question
        (LOG, "왜 죽나요?", "en", "ko", "en"),  # a choice wins
    ],
)
def test_the_language_of_the_answer(base, paste, question, chosen, page, language):
    assert language_of(Replies(base).ask(paste, question, chosen, page, "")) == language


def test_the_section_that_fits_is_shown(base):
    assert 'data-id="cuda-out-of-memory"' in Replies(base).ask(LOG, "", None, "en", "").html


@pytest.mark.parametrize("language", ["ko", "en"])
def test_an_empty_question_is_a_message_in_the_language_of_the_page(base, language):
    html = Replies(base).ask(" \n", "\t", None, language, "").html
    assert text("chat.error_empty", language) in PageHTML(html).text
    assert 'role="alert"' in html


def test_a_paste_over_the_limit_is_a_message_with_both_numbers(base):
    small = KnowledgeBase(base.index, settings=replace(Settings(), max_paste_chars=1000))
    shown = PageHTML(Replies(small).ask("x" * 1001, "", None, "en", "").html).text
    assert "1,001" in shown
    assert "1,000" in shown


def test_an_error_of_the_knowledge_base_is_a_message(base):
    class Broken:
        def encode_query(self, texts):
            raise AssertionError("not reached")

        def encode_document(self, texts):
            import numpy as np

            return np.eye(len(texts), 8, dtype=np.float32)

    # Words need the encoder; a log that a signature names does not.
    html = Replies(KnowledgeBase(base.index, Broken())).ask("", "왜 느려요?", None, "ko", "").html
    assert text("chat.error", "ko") in html
    assert "Traceback" not in html


def test_the_version_of_the_field_is_asked_with_and_the_one_of_the_log_given_back(base):
    asked = []

    class Recording(KnowledgeBase):
        def ask(self, paste, question=None, language=None, *, version=None):
            asked.append(version)
            answer: Answer = super().ask(paste, question, language)
            return replace(answer, version=VersionRange("0.5.9", "0.5.9", "0.5.9"))

    replies = Replies(Recording(base.index))
    assert replies.ask(LOG, "", None, "en", "").version == "0.5.9"
    assert replies.ask(LOG, "", None, "en", " 0.5.4 ").version is None
    assert asked == [None, "0.5.4"]


def test_a_version_known_as_a_range_is_given_back_as_one(base):
    class Ranging(KnowledgeBase):
        def ask(self, paste, question=None, language=None, *, version=None):
            answer = super().ask(paste, question, language)
            return replace(answer, version=VersionRange(None, "0.5.4", "0.5.9"))

    assert Replies(Ranging(base.index)).ask(LOG, "", None, "en", "").version == "0.5.4–0.5.9"


def test_a_section_is_given_in_the_language_asked_for(base):
    replies = Replies(base)
    assert "서버가 멈춰요" in replies.section("server-hangs", "ko")
    assert "The server hangs" in replies.section("server-hangs", "en")
    assert replies.section("nowhere", "en") is None


@pytest.mark.parametrize(
    ("language", "title"), [("ko", "서버가 멈춰요"), ("en", "The server hangs")]
)
def test_the_topics_list_each_section_once_in_the_language_of_the_page(base, language, title):
    page = PageHTML(Replies(base).topics(language))
    page.assert_inert()
    assert page.hrefs == ["#cuda-out-of-memory", "#server-hangs", "#sigquit"]
    assert title in page.text


def test_threads_get_the_answers_to_their_own_questions(base):
    replies = Replies(base)
    questions = [
        (LOG, "cuda-out-of-memory"),
        ("Watchdog timeout (self.watchdog_timeout=300)", "server-hangs"),
    ]

    def ask(number: int) -> bool:
        paste, expected = questions[number % 2]
        return f'data-id="{expected}"' in replies.ask(paste, "", None, "en", "").html

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(ask, range(24)))


def test_a_greeting_is_shown_what_there_is_and_nothing_to_report(base):
    page = PageHTML(Replies(base).ask("", "안녕하세요", None, "en", "").html)
    page.assert_inert()
    assert text("answer.says_nothing", "ko") in page.text
    assert page.hrefs == ["#cuda-out-of-memory", "#server-hangs", "#sigquit"]
    assert page.copied == []


def test_thanks_after_an_answer_get_one_sentence_and_neither_topics_nor_a_report(base):
    shown = Replies(base).ask(LOG, "고마워요", None, "en", "", is_further=True).html
    page = PageHTML(shown)
    page.assert_inert()
    assert text("answer.acknowledged", "ko") in page.text
    assert page.hrefs == []
    assert page.copied == []


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_complaint_in_general_words_is_shown_sections_to_open_and_nothing_to_report(
    shipped, language
):
    page = PageHTML(Replies(shipped).ask("", "server is slow", language, language, "").html)
    page.assert_inert()
    assert text("answer.which_one", language) in page.text
    assert "#low-throughput" in page.hrefs
    assert page.copied == []
