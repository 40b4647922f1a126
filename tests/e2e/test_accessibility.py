"""The chat for those who read it otherwise: by a screen reader, enlarged, composing, on paper."""

from __future__ import annotations

import pytest
from axe_violations import violations

from kb.strings import text

pytestmark = pytest.mark.browser

OOM = """\
[2025-11-03 09:12:40 TP0] Prefill batch, #new-seq: 1, #new-token: 8192
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU 0 has a total capacity
python -m sglang.launch_server --model-path M --tp 8 --mem-fraction-static 0.9 --cuda-graph-max-bs 8
"""
OUT_OF_SCOPE = "ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)"
LOCALES = {"en": "en-US", "ko": "ko-KR"}
QUESTION = "#kb-question :is(textarea, input)"
PASTE = "#kb-paste textarea"


# --- axe-core ---


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", LOCALES)
def test_axe_finds_nothing_serious(open_chat, language, scheme):
    chat = open_chat(locale=LOCALES[language], color_scheme=scheme)
    found = {"start": violations(chat.page)}
    chat.page.locator("#kb-answer details summary").first.click()
    found["topics"] = violations(chat.page)
    chat.ask(OOM)
    found["answer"] = violations(chat.page)
    chat.ask(OOM, {"en": "and on 8 GPUs?", "ko": "그럼 처리량은?"}[language])
    found["further"] = violations(chat.page)
    chat.page.locator("#kb-answer a.kb-section-link").first.click()
    chat.page.locator("#kb-reader article").wait_for()
    found["section"] = violations(chat.page)
    chat.ask(OUT_OF_SCOPE)
    found["refusal"] = violations(chat.page)
    chat.ask("", "안녕하세요")
    found["small talk"] = violations(chat.page)
    assert found == {state: [] for state in found}


def test_axe_would_find_something(browser):
    page = browser.new_page()
    page.set_content("<html lang=en><title>x</title><main><h1>x</h1><button></button></main>")
    assert [found.split(":")[0] for found in violations(page)] == ["button-name"]
    page.close()


# --- screen readers ---


@pytest.mark.parametrize("language", LOCALES)
def test_the_answer_is_announced_by_its_title(open_chat, language):
    chat = open_chat(locale=LOCALES[language])
    chat.ask(OOM)
    title = chat.page.locator("#kb-answer h2").first.inner_text()
    said = chat.page.locator(".kb-unseen[role=status]").text_content()
    assert said == f"{text('chat.answer', language)}: {title}"
    assert chat.page.locator("#kb-answers").get_attribute("aria-busy") == "false"


def test_the_queue_is_announced(open_chat):
    waiting = open_chat().page.locator("#kb-waiting")
    assert waiting.get_attribute("role") == "status"


# --- enlarged ---

CUT = """() => {
    const shown = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const scrolls = (node) => node.closest(".kb-table, .kb-unseen, .sr-only, textarea");
    const wrong = [];
    if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page scrolls sideways");
    for (const node of document.querySelectorAll("main *")) {
        if (!shown(node) || scrolls(node)) continue;
        const box = node.getBoundingClientRect();
        if (!box.width || !box.height) continue;
        const name = node.id || node.className || node.localName;
        if (box.left < -1 || box.right > innerWidth + 1) wrong.push(`${name} is outside`);
        const style = getComputedStyle(node);
        const clips = /hidden|clip/.test(style.overflowX) && node.scrollWidth > node.clientWidth + 1;
        if (clips && node.textContent.trim()) wrong.push(`${name} is cut`);
    }
    return wrong;
}"""
# 200 % and 400 % of a window 1280 pixels wide.
ENLARGED = {2: {"width": 640, "height": 400}, 4: {"width": 320, "height": 256}}


@pytest.mark.parametrize("factor", ENLARGED)
@pytest.mark.parametrize("language", LOCALES)
def test_nothing_is_cut_and_nothing_scrolls_sideways_when_enlarged(open_chat, language, factor):
    chat = open_chat(
        locale=LOCALES[language], viewport=ENLARGED[factor], device_scale_factor=factor
    )
    found = {"start": chat.page.evaluate(CUT)}
    chat.ask(OOM + "x" * 400)
    found["answer"] = chat.page.evaluate(CUT)
    chat.ask(OOM + "x" * 400, {"en": "and on 8 GPUs?", "ko": "그럼 처리량은?"}[language])
    found["further"] = chat.page.evaluate(CUT)
    chat.ask(OUT_OF_SCOPE)
    found["refusal"] = chat.page.evaluate(CUT)
    chat.page.locator("#kb-answer .kb-nearest a").first.click()
    chat.page.locator("#kb-reader article").wait_for()
    found["section"] = chat.page.evaluate(CUT)
    assert found == {state: [] for state in found}


# --- on paper ---

CONTROLS = (
    "#kb-form, #kb-language, .kb-theme, .kb-copy, .kb-back, .kb-start-afresh, .kb-permalink,"
    " .kb-feedback"
)
HIDDEN_CODE = """() => [...document.querySelectorAll("#kb-answers pre")]
    .filter((node) => node.checkVisibility())
    .filter((node) => node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1)
    .map((node) => node.textContent.slice(0, 60))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_has_the_answer_in_dark_on_white_and_no_controls(open_chat, scheme):
    chat = open_chat(color_scheme=scheme, viewport={"width": 700, "height": 900})
    chat.ask(OOM)
    chat.ask(OOM, "and on 8 GPUs?")
    chat.page.emulate_media(media="print")
    assert chat.page.locator("#kb-answer .kb-body").first.is_visible()
    assert [one for one in chat.page.locator(CONTROLS).all() if one.is_visible()] == []
    ink, ground = chat.page.evaluate(
        """() => [getComputedStyle(document.querySelector("#kb-answer .kb-body p")).color,
            getComputedStyle(document.body).backgroundColor]
            .map((color) => color.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + +part, 0))"""
    )
    assert ink < 240
    assert ground > 700


def test_code_is_whole_on_paper(open_chat):
    chat = open_chat(viewport={"width": 700, "height": 900})
    chat.ask("\n".join(f"{OUT_OF_SCOPE} {'y' * 200} {number}" for number in range(20)))
    assert chat.page.evaluate(HIDDEN_CODE) != []  # on the screen the template scrolls
    chat.page.emulate_media(media="print")
    assert chat.page.evaluate(HIDDEN_CODE) == []


# --- composing Hangul ---


def compose(session, words: str) -> None:
    session.send(
        "Input.imeSetComposition",
        {"text": words, "selectionStart": len(words), "selectionEnd": len(words)},
    )


def asked(chat) -> int:
    return sum("/queue/join" in url for url in chat.requests) - 1


@pytest.mark.parametrize("box", [PASTE, QUESTION])
def test_enter_that_ends_a_syllable_neither_asks_nor_leaves_one_behind(open_chat, box):
    chat = open_chat(locale="ko-KR")
    field = chat.page.locator(box)
    field.focus()
    session = chat.page.context.new_cdp_session(chat.page)
    compose(session, "서버가 멈춰")
    for control in (False, True):
        field.evaluate(
            """(field, ctrlKey) => field.dispatchEvent(new KeyboardEvent("keydown",
                {key: "Enter", keyCode: 229, isComposing: true, bubbles: true, ctrlKey}))""",
            control,
        )
    session.send("Input.insertText", {"text": "서버가 멈춰요"})  # the syllable is ended
    assert asked(chat) == 0
    field.press("Control+Enter")
    chat.wait_for_answer()
    assert asked(chat) == 1
    assert field.input_value() == "서버가 멈춰요"
    session.send("Input.insertText", {"text": "!"})
    assert field.input_value() == "서버가 멈춰요!"


def test_what_is_composed_while_an_answer_comes_stays(open_chat):
    chat = open_chat(locale="ko-KR")
    chat.page.locator(PASTE).fill(OOM)
    chat.page.locator("#kb-ask").click()
    chat.page.locator(QUESTION).focus()
    session = chat.page.context.new_cdp_session(chat.page)
    compose(session, "그럼 처리량")
    chat.wait_for_answer()
    session.send("Input.insertText", {"text": "그럼 처리량은?"})
    assert chat.page.locator(QUESTION).input_value() == "그럼 처리량은?"


# --- links to share ---


def test_a_section_of_an_answer_has_a_link_that_holds_nothing_of_the_paste(open_chat):
    chat = open_chat()
    before = chat.page.url
    chat.ask(OOM, "why?")
    assert chat.page.url == before
    section = chat.first_section
    link = chat.page.locator("#kb-answer .kb-permalink").first
    assert link.get_attribute("href") == f"#{section}"
    link.click()
    chat.page.locator(f"#kb-reader article[data-section={section}]").wait_for()
    assert chat.page.url == f"{before}#{section}"
    shared = open_chat(f"#{section}", locale="ko-KR")
    shared.page.locator(f"#kb-reader article[data-section={section}][lang=ko]").wait_for()
