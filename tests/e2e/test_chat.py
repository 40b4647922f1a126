"""The chat as a person meets it: paste, ask, read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kb.corpus.documents import read_corpus
from kb.settings import Settings
from kb.strings import STRINGS, text

pytestmark = pytest.mark.browser

OOM = """\
[2025-11-03 09:12:40 TP0] Prefill batch, #new-seq: 1, #new-token: 8192
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU 0 has a total capacity
[2025-11-03 09:12:41] Received sigquit from a child process. It usually means the child failed.
"""
OUT_OF_SCOPE = (
    "ERROR 1045 (28000): Access denied for user 'root'@'localhost'",
    "MySQL login fails",
)
HOSTILE = (
    "torch.OutOfMemoryError: CUDA out of memory."
    " <script>window.__pwned = 1</script>"
    "<img src=x onerror='window.__pwned = 2'>"
    "![pixel](https://evil.example/p.png) ${window.__pwned = 3} {{window.__pwned}} </code></pre>"
)
PHONE = {"viewport": {"width": 375, "height": 740}, "has_touch": True, "is_mobile": True}
HANGUL = re.compile(r"[\uac00-\ud7a3]")

# --- paste, ask, read ---


@pytest.mark.parametrize(
    ("locale", "question", "language", "title"),
    [
        ("en-US", "It dies on long prompts. What do I lower?", "en", "out of memory"),
        ("ko-KR", "긴 프롬프트에서 죽어요. 뭘 줄여야 하나요?", "ko", "나요"),
        ("ko-KR", "", "ko", "나요"),  # a log alone is answered in the language of the browser
    ],
)
def test_a_pasted_log_is_answered(open_chat, locale, question, language, title):
    chat = open_chat(locale=locale)
    chat.ask(OOM, question)
    assert chat.first_section in ("cuda-out-of-memory", "oom-prefill")
    article = chat.page.locator("#kb-answer article")
    assert article.get_attribute("lang") == language
    assert title in chat.page.locator("#kb-answer h2").first.inner_text()
    assert "torch.OutOfMemoryError: CUDA out of memory. Tried" in chat.answer
    assert text("chat.line", language, line=2) in chat.answer


@pytest.mark.parametrize(("locale", "language"), [("en-US", "en"), ("ko-KR", "ko")])
def test_what_is_out_of_scope_is_said_to_be(open_chat, locale, language):
    chat = open_chat(locale=locale)
    chat.choose(language)
    chat.ask(*OUT_OF_SCOPE)
    assert text("answer.not_found", language) in chat.answer
    assert chat.page.locator("#kb-answer .kb-body").count() == 0
    assert chat.page.locator("#kb-answer .kb-nearest a").count() >= 3
    template = chat.page.locator("#kb-answer .kb-template [data-copy-source]").text_content()
    assert OUT_OF_SCOPE[0] in template
    assert OUT_OF_SCOPE[1] in template


def test_a_hostile_paste_stays_text(open_chat):
    chat = open_chat()
    chat.ask(HOSTILE, HOSTILE)
    shown = chat.page.locator("#kb-answer .kb-why code").first.text_content()
    assert HOSTILE.startswith(shown.rstrip("…"))
    assert "<script>" in shown
    assert chat.page.locator("#kb-answers :is(img, script, iframe)").count() == 0
    assert chat.page.locator("img").count() == 0


def test_a_hostile_paste_that_finds_nothing_stays_text(open_chat):
    chat = open_chat()
    hostile = HOSTILE.removeprefix("torch.OutOfMemoryError: CUDA out of memory.")
    chat.ask(f"mysql {hostile}", f"How do I log in to MySQL? {hostile}")
    copied = chat.page.locator("#kb-answer .kb-template [data-copy-source]").text_content()
    assert hostile in copied
    assert chat.page.locator("#kb-answers :is(img, script, iframe)").count() == 0


def test_asking_nothing_is_answered_by_a_message(open_chat):
    chat = open_chat(locale="ko-KR")
    chat.page.locator("#kb-ask").click()
    alert = chat.page.locator("#kb-answer [role=alert]")
    alert.wait_for()
    assert text("chat.error_empty", "ko") in alert.inner_text()


@pytest.mark.parametrize("locale", ["en-US", "ko-KR"])
def test_each_example_is_answered(open_chat, locale):
    chat = open_chat(locale=locale)
    for name in ("oom", "start", "hang", "words"):
        chat.page.locator(f"#kb-example-{name}").click()
        chat.wait_for_answer()
        question = text(f"chat.example_{name}_question", locale[:2])
        assert chat.page.locator("#kb-question :is(textarea, input)").input_value() == question
        assert chat.page.locator("#kb-answer [data-state=found]").count() == 1, name


# --- sections ---


def test_a_link_opens_its_section_and_back_returns_to_the_answer(open_chat):
    chat = open_chat(locale="ko-KR")
    chat.ask(OOM)
    link = chat.page.locator("#kb-answer .kb-body a.kb-section-link").first
    target = link.get_attribute("href").removeprefix("#")
    link.click()
    opened = chat.page.locator("#kb-reader article")
    opened.wait_for()
    assert opened.get_attribute("data-section") == target
    assert opened.get_attribute("lang") == "ko"
    assert not chat.page.locator("#kb-answer").is_visible()
    chat.page.go_back()
    chat.page.locator("#kb-answer article").wait_for()
    assert not chat.page.locator("#kb-reader").is_visible()


def test_a_section_has_an_address(open_chat):
    chat = open_chat("#cuda-out-of-memory")
    chat.page.locator("#kb-reader article[data-section=cuda-out-of-memory][lang=en]").wait_for()


def test_links_outside_tell_nothing_and_open_apart(open_chat):
    chat = open_chat("#cuda-out-of-memory")
    outside = chat.page.locator("#kb-reader a.kb-outside").first
    outside.wait_for()
    assert outside.get_attribute("target") == "_blank"
    assert outside.get_attribute("rel") == "noopener noreferrer"


# --- copying ---


def test_copying_gives_the_block_of_the_content_byte_for_byte(open_chat):
    documents = read_corpus(Settings().content, strict=False).documents
    fences = {fence.text for document in documents for fence in document.fences}
    chat = open_chat("#cuda-out-of-memory")
    chat.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    block = chat.page.locator("#kb-reader .kb-code").first
    block.locator(".kb-copy").click()
    chat.page.wait_for_selector("#kb-reader .kb-copy.kb-done")
    copied = chat.page.evaluate("navigator.clipboard.readText()")
    assert copied == block.locator("code").text_content()
    assert copied in fences


def test_a_page_without_a_clipboard_copies_too(open_chat):
    chat = open_chat("#cuda-out-of-memory")
    chat.page.locator("#kb-reader .kb-code").first.wait_for()
    chat.page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
        "document.addEventListener('copy', () => {"
        " window.copied = document.activeElement.value; })"
    )
    chat.page.locator("#kb-reader .kb-copy").first.click()
    expected = chat.page.locator("#kb-reader .kb-code code").first.text_content()
    assert chat.page.evaluate("window.copied") == expected


# --- files ---


def read_back(chat) -> str:
    return chat.page.locator("#kb-paste textarea").input_value()


FILES = {
    "plain.log": (OOM.encode(), OOM),
    "bytes.log": (b"CUDA \xff\xfe out", "CUDA \ufffd\ufffd out"),
    "mark.txt": ("\ufeff메모리".encode(), "메모리"),
    "powershell.txt": ("메모리".encode("utf-16"), "메모리"),
}


def test_a_chosen_file_is_read_into_the_box(open_chat, tmp_path: Path):
    chat = open_chat()
    for name, (content, read) in FILES.items():
        (tmp_path / name).write_bytes(content)
        chat.page.set_input_files(".kb-file input", tmp_path / name)
        chat.page.get_by_text(f"{name}: ").wait_for()
        assert read_back(chat) == read, name


def test_a_dropped_file_is_read_and_answered(open_chat):
    chat = open_chat()
    transfer = chat.page.evaluate_handle(
        """(content) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([content], "dropped.log"));
            return transfer;
        }""",
        OOM,
    )
    box = "#kb-paste textarea"
    chat.page.dispatch_event(box, "dragover", {"dataTransfer": transfer})
    assert chat.page.locator("#kb-form.kb-dropping").count() == 1
    chat.page.dispatch_event(box, "drop", {"dataTransfer": transfer})
    chat.page.wait_for_function("document.querySelector('.kb-file-status').textContent")
    assert read_back(chat) == OOM
    chat.page.locator("#kb-ask").click()
    chat.wait_for_answer()
    assert chat.first_section in ("cuda-out-of-memory", "oom-prefill")


def test_a_file_that_cannot_be_read_is_told_and_changes_nothing(open_chat, tmp_path: Path):
    refused = {
        "large.log": (b"x" * 10_000_001, "chat.file_too_large"),
        "packed.log": (b"\x1f\x8b\0\0", "chat.file_not_text"),
    }
    chat = open_chat(locale="ko-KR")
    chat.page.locator("#kb-paste textarea").fill("before")
    for name, (content, key) in refused.items():
        (tmp_path / name).write_bytes(content)
        chat.page.set_input_files(".kb-file input", tmp_path / name)
        told = text(key, "ko", name=name, size="10", limit="10")
        chat.page.get_by_text(told, exact=True).wait_for()
        assert read_back(chat) == "before"


@pytest.mark.parametrize(
    ("letter", "count", "key", "size", "limit"),
    [
        ("x", 12_000_000, "chat.error_too_large", "12,000,000", "10,000,000"),
        ("로", 4_200_000, "chat.error_too_large_to_send", "12.6", "12"),
    ],
)
def test_what_is_too_large_is_told_with_its_size_the_limit_and_what_to_do(
    open_chat, letter, count, key, size, limit
):
    chat = open_chat(locale="ko-KR")
    chat.page.evaluate(
        """([letter, count]) => {
            document.querySelector("#kb-paste textarea").value = letter.repeat(count);
        }""",
        [letter, count],
    )
    before = len(chat.requests)
    chat.page.locator("#kb-ask").click()
    chat.page.locator("#kb-answers [role=alert]").wait_for()
    shown = chat.page.locator("#kb-answers [role=alert]").inner_text()
    assert text(key, "ko", size=size, limit=limit) in shown
    assert chat.requests[before:] == []
    chat.ask(OOM)  # and what is smaller is answered
    assert chat.first_section in ("cuda-out-of-memory", "oom-prefill")
    assert chat.page.locator("#kb-answers [role=alert]").count() == 0


# --- languages ---


def words_of(chat) -> str:
    """Return every word the page shows or tells screen readers, without the answer's section."""
    return chat.page.evaluate(
        """() => {
            const words = [document.title, document.body.innerText];
            for (const name of ["placeholder", "aria-label", "title"])
                for (const element of document.querySelectorAll(`[${name}]`))
                    if (!element.closest(".kb-body")) words.push(element.getAttribute(name));
            return words.join("\\n");
        }"""
    )


SHOWN = [
    key for key in STRINGS if key.startswith("chat.example_") and not key.endswith("_question")
] + [
    "chat.ask",
    "chat.clear",
    "chat.examples",
    "chat.file",
    "chat.language",
    "chat.language_auto",
    "chat.paste",
    "chat.paste_placeholder",
    "chat.question",
    "chat.question_placeholder",
    "chat.shortcut",
    "chat.tagline",
    "chat.theme",
    "chat.title",
    "chat.version",
    "chat.version_placeholder",
]


@pytest.mark.parametrize(("first", "then"), [("en", "ko"), ("ko", "en")])
def test_choosing_a_language_changes_every_word_of_the_page(open_chat, first, then):
    chat = open_chat(locale={"en": "en-US", "ko": "ko-KR"}[first])
    before = words_of(chat)
    chat.choose(then)
    for _ in range(50):  # the parts of the page change one after the other
        after = words_of(chat)
        left = [key for key in SHOWN if STRINGS[key][then] not in after]
        if not left:
            break
        chat.page.wait_for_timeout(100)
    assert [key for key in SHOWN if STRINGS[key][first] not in before] == []
    assert left == []
    if then == "en":
        chat.page.wait_for_selector("#kb-answer [data-state=topics][lang=en]")
        assert HANGUL.findall(words_of(chat).replace("한국어", "")) == []


def test_choosing_a_language_answers_again_in_it(open_chat):
    chat = open_chat()
    chat.ask(OOM)
    chat.choose("ko")
    chat.page.wait_for_selector("#kb-answer article[lang=ko] .kb-body[lang=ko]")
    assert text("answer.matched", "ko") in chat.answer
    assert chat.first_section in ("cuda-out-of-memory", "oom-prefill")


def test_the_last_of_quick_choices_counts(open_chat):
    chat = open_chat()
    for language in ("ko", "en", "ko"):
        chat.page.locator(f"#kb-language input[value={language}]").check()
    chat.page.wait_for_selector("html[lang=ko]")
    chat.page.wait_for_timeout(500)
    assert chat.page.locator("html").get_attribute("lang") == "ko"
    assert chat.page.locator("#kb-language input[value=ko]").is_checked()


def test_a_chosen_language_is_remembered(open_chat):
    chat = open_chat()
    chat.choose("ko")
    chat.page.reload()
    chat.page.wait_for_selector("html[lang=ko] body.kb-ready")
    assert chat.page.locator("#kb-language input[value=ko]").is_checked()


# --- keys ---


def asked(chat) -> int:
    """Return how many questions the page has sent; the opening of the page is the first event."""
    return sum("/queue/join" in url for url in chat.requests) - 1


def test_enter_in_the_log_is_a_new_line_and_with_control_it_asks(open_chat):
    chat = open_chat()
    box = chat.page.locator("#kb-paste textarea")
    box.fill("torch.OutOfMemoryError: CUDA out of memory.")
    box.press("End")
    box.press("Enter")
    assert read_back(chat).endswith("\n")
    assert asked(chat) == 0
    box.press("Control+Enter")
    chat.wait_for_answer()
    assert asked(chat) == 1
    box.press("Meta+Enter")
    chat.wait_for_answer()
    assert asked(chat) == 2


def test_enter_that_ends_a_hangul_syllable_does_not_ask(open_chat):
    chat = open_chat(locale="ko-KR")
    field = chat.page.locator("#kb-question :is(textarea, input)")
    field.focus()
    session = chat.page.context.new_cdp_session(chat.page)
    session.send(
        "Input.imeSetComposition", {"text": "메모리", "selectionStart": 3, "selectionEnd": 3}
    )
    for options in ({"isComposing": True}, {"keyCode": 229}):
        for control in (False, True):
            field.evaluate(
                """(field, options) => field.dispatchEvent(new KeyboardEvent("keydown",
                    {key: "Enter", bubbles: true, cancelable: true, ...options}))""",
                {**options, "ctrlKey": control},
            )
    session.send("Input.insertText", {"text": "메모리가 부족해요 CUDA out of memory"})
    assert asked(chat) == 0
    field.press("Enter")
    chat.wait_for_answer()
    assert asked(chat) == 1
    assert field.input_value() == "메모리가 부족해요 CUDA out of memory"


def test_all_of_it_can_be_done_with_the_keyboard(open_chat):
    chat = open_chat()
    keyboard, page = chat.page.keyboard, chat.page
    focused = "document.activeElement.closest('[id^=kb-]')?.id"
    assert page.evaluate(focused) == "kb-paste"  # where the page begins
    keyboard.insert_text(OOM)
    passed = []
    while page.evaluate(focused) != "kb-ask":
        keyboard.press("Tab")
        passed.append(page.evaluate(focused))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none" or passed[-1] == "kb-files"  # there its label has the outline
        assert len(passed) < 10
    assert passed == ["kb-files", "kb-files", "kb-question", "kb-version", "kb-ask"]
    keyboard.press("Enter")
    chat.wait_for_answer()
    for _ in range(30):
        keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#kb-answer a.kb-section-link')"):
            break
    keyboard.press("Enter")
    page.locator("#kb-reader article").wait_for()
    keyboard.press("Tab")
    assert page.evaluate("!!document.activeElement.closest('#kb-reader')")


def test_the_arrow_keys_lead_through_the_languages(open_chat):
    chat = open_chat()
    chat.page.locator("#kb-language input[value=auto]").focus()
    chat.page.keyboard.press("ArrowRight")
    chat.page.wait_for_selector("html[lang=ko]")


def test_every_field_has_a_name(open_chat):
    chat = open_chat()
    for language in ("en", "ko"):
        chat.choose(language)
        for key in ("paste", "question", "version"):
            assert chat.page.get_by_label(text(f"chat.{key}", language), exact=True).count() == 1
        assert chat.page.get_by_role("button", name=text("chat.ask", language)).count() == 1
        group = chat.page.get_by_role("group", name=text("chat.language", language))
        assert group.get_by_role("radio").count() == 3


# --- looks ---


@pytest.mark.parametrize("locale", ["en-US", "ko-KR"])
def test_a_phone_never_scrolls_sideways_and_shows_the_answer(open_chat, locale):
    chat = open_chat(locale=locale, **PHONE)
    width = "document.documentElement.scrollWidth"
    assert chat.page.evaluate(width) == 375
    chat.ask(OOM + "x" * 500)
    assert chat.page.evaluate(width) == 375
    assert 0 <= chat.page.locator("#kb-answers").bounding_box()["y"] < 100
    chat.page.locator("#kb-answer .kb-body a.kb-section-link").first.click()
    chat.page.locator("#kb-reader article").wait_for()
    assert chat.page.evaluate(width) == 375
    chat.ask(*OUT_OF_SCOPE)
    assert chat.page.evaluate(width) == 375


def luminance(chat) -> int:
    color = chat.page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in re.findall(r"\d+", color)[:3])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_system_until_one_is_chosen(open_chat, scheme):
    chat = open_chat(color_scheme=scheme)
    assert (luminance(chat) > 384) == (scheme == "light")
    chat.page.locator(".kb-theme").click()
    assert (luminance(chat) > 384) == (scheme == "dark")
    chat.page.reload()
    chat.page.wait_for_selector("body.kb-ready")
    assert (luminance(chat) > 384) == (scheme == "dark")


def test_gradio_shows_nothing_of_its_own(open_chat):
    chat = open_chat()
    assert "gradio" not in chat.page.locator("body").inner_text().lower()
    assert chat.page.locator("footer:visible").count() == 0


# --- the house rules ---


def test_two_readers_get_their_own_answers(open_chat):
    first, second = open_chat(), open_chat(locale="ko-KR")
    first.page.locator("#kb-paste textarea").fill(OOM)
    second.page.locator("#kb-question :is(textarea, input)").fill("MySQL 비밀번호를 잊었어요")
    first.page.locator("#kb-ask").click()
    second.page.locator("#kb-ask").click()
    first.wait_for_answer()
    second.wait_for_answer()
    assert first.first_section in ("cuda-out-of-memory", "oom-prefill")
    assert text("answer.not_found", "ko") in second.answer


def test_a_server_that_is_gone_is_told_and_nothing_written_is_lost(open_chat):
    chat = open_chat(locale="ko-KR")
    chat.page.locator("#kb-paste textarea").fill(OOM)
    chat.page.context.set_offline(True)
    chat.page.locator("#kb-ask").click()
    failed = chat.page.locator("#kb-answers .kb-failed")
    failed.wait_for()
    assert text("chat.error_unreachable", "ko") in failed.inner_text()
    with chat.page.expect_navigation():  # Gradio opens the page anew once the server is back
        chat.page.context.set_offline(False)
    chat.page.wait_for_selector("body.kb-ready")
    assert read_back(chat) == OOM
    chat.problems = [said for said in chat.problems if "ERR_INTERNET_DISCONNECTED" not in said]


def test_the_server_connects_to_no_other_machine(server, connections):
    assert connections.read_text(encoding="utf-8") == ""
