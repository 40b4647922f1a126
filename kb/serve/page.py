"""The layout of the chat and its events: Gradio's components, our words in two languages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import gradio as gr

from kb.serve.asking import Asking, Waiting
from kb.serve.conversation import Asked, next_question
from kb.serve.examples import EXAMPLES, Example
from kb.serve.page_words import (
    PageLimits,
    chosen_language,
    language_choices,
    page_language,
    page_words,
    waiting_html,
)
from kb.serve.peers import client_of
from kb.serve.replies import Replies, Reply
from kb.strings import text
from kb.types import Language

__all__ = ["build_page", "page_theme"]

_MONOSPACE = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "Noto Sans Mono", "monospace")
_SANS = ("system-ui", "-apple-system", "Segoe UI", "Noto Sans CJK KR", "Noto Sans KR", "sans-serif")

# Gradio remembers what each page sent last. Beyond so many pages the one not used for the longest
# time is forgotten: its next question is a first one.
_MOST_SESSIONS = 200

Values = tuple[Any, ...]


def page_theme() -> gr.themes.Base:
    """Return Gradio's plainest theme with the fonts of the reader's system, none of the web."""
    return gr.themes.Base(font=_SANS, font_mono=_MONOSPACE)


def build_page(replies: Replies, asking: Asking, limits: PageLimits) -> gr.Blocks:
    """Return the page; it is told its `limits` so that it sends nothing larger."""
    layout = _Layout(replies, asking, limits)
    page = gr.Blocks(title=text("chat.title", "en"), analytics_enabled=False, fill_width=True)
    page.state_session_capacity = _MOST_SESSIONS

    def forget(request: gr.Request) -> None:
        """Let go what Gradio remembers of a page that was closed: its log among it."""
        page.state_holder.session_data.pop(request.session_hash or "", None)

    with page:
        layout.place()
        layout.connect(page)
        page.unload(forget)
    # Gradio starts every question at once: those wait in the queue that the API has too.
    page.queue(default_concurrency_limit=None, api_open=False)
    return page


class _Layout:
    """The components of the page, in the order of the tab key."""

    def __init__(self, replies: Replies, asking: Asking, limits: PageLimits) -> None:
        self._replies = replies
        self._asking = asking
        self._limits = limits

    def place(self) -> None:
        """Create the components; their words come with the page's first event."""
        with gr.Row(elem_id="kb-top"):
            self.header = gr.HTML(elem_id="kb-header", apply_default_css=False, js_on_load=None)
            self.language = gr.Radio(
                choices=language_choices("en"),
                value="auto",
                elem_id="kb-language",
                container=False,
                interactive=True,
            )
        with gr.Row(elem_id="kb-main"):
            with gr.Column(elem_id="kb-form"):
                self.paste = gr.Textbox(
                    lines=13, max_lines=13, elem_id="kb-paste", interactive=True
                )
                self.files = gr.HTML(elem_id="kb-files", apply_default_css=False, js_on_load=None)
                self.question = gr.Textbox(lines=1, elem_id="kb-question", interactive=True)
                with gr.Row(elem_id="kb-send"):
                    self.version = gr.Textbox(lines=1, elem_id="kb-version", interactive=True)
                    self.ask = gr.Button("", variant="primary", elem_id="kb-ask")
                self.hint = gr.HTML(elem_id="kb-hint", apply_default_css=False, js_on_load=None)
                with gr.Row(elem_id="kb-examples"):
                    self.examples = [
                        gr.Button("", size="sm", elem_id=f"kb-example-{example.name}")
                        for example in EXAMPLES
                    ]
            with gr.Column(elem_id="kb-answers"):
                self.waiting = gr.HTML(
                    elem_id="kb-waiting", apply_default_css=False, js_on_load=None
                )
                self.answer = gr.HTML(elem_id="kb-answer", apply_default_css=False, js_on_load=None)
        self.afresh = gr.Button("", elem_id="kb-afresh")  # pressed by the page's script
        # Whether the log's box was cleared since the last question: the script alone knows.
        self.is_cleared = gr.Checkbox(visible=False)
        self.asked = gr.State(None)

    def connect(self, page: gr.Blocks) -> None:
        """Say what happens on opening, asking, choosing an example and choosing a language."""
        words = [
            self.header,
            self.language,
            self.paste,
            self.files,
            self.question,
            self.version,
            self.ask,
            self.hint,
            *self.examples,
        ]
        asked = [self.paste, self.question, self.language, self.version]
        quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
        page.load(
            self._open,
            [self.language],
            [*words, self.answer],
            js="(choice) => [window.kbChat.storedLanguage() || choice]",
            **quiet,
        ).then(**_in_page("worded"))
        self.language.input(
            self._change_language,
            [self.language, self.version, self.asked],
            [*words, self.waiting, self.answer],
            trigger_mode="always_last",  # else a second choice made meanwhile would be lost
            **quiet,
        ).then(**_in_page("worded"))
        shown = [self.waiting, self.answer, self.version, self.paste, self.question, self.asked]
        answers = [
            self.ask.click(
                self._ask,
                [*asked, self.is_cleared, self.asked],
                shown,
                js="(...values) => window.kbChat.withCleared(values)",
                **quiet,
            )
        ]
        for button, example in zip(self.examples, EXAMPLES, strict=True):
            answers.append(button.click(self._showing(example), [self.language], shown, **quiet))
        for answer in answers:
            answer.success(**_in_page("answered"))
            answer.failure(**_in_page("failed"))
        self.afresh.click(
            self._start_afresh,
            [self.language],
            shown,
            **quiet,
        ).then(**_in_page("emptied"))

    # --- events ---

    def _open(self, choice: str, request: gr.Request) -> Values:
        page = page_language(choice, request)
        return (*page_words(choice, page, self._limits), self._replies.topics(page))

    async def _change_language(
        self, choice: str, version: str, asked: Asked | None, request: gr.Request
    ) -> AsyncIterator[Values]:
        page = page_language(choice, request)
        words = page_words(choice, page, self._limits)
        if asked is None:
            yield (*words, "", self._replies.topics(page))
            return
        async for step in self._steps(asked, choice, page, version, request, again=True):
            if isinstance(step, Waiting):
                yield (*words, waiting_html(step, page), gr.skip())
            else:
                yield (*words, "", step.html)

    async def _ask(
        self,
        paste: str,
        question: str,
        choice: str,
        version: str,
        is_cleared: bool,
        before: Asked | None,
        request: gr.Request,
    ) -> AsyncIterator[Values]:
        asked = next_question(paste, question, None if is_cleared else before)
        # What was asked is what stands in the boxes.
        boxes = [
            gr.skip() if now == then else now
            for now, then in ((asked.paste, paste), (asked.question, question))
        ]
        async for values in self._shown(asked, choice, version, request):
            yield (*values, *boxes, asked)

    def _showing(self, example: Example) -> Callable[[str, gr.Request], AsyncIterator[Values]]:
        """Return the event that fills the boxes with `example` and answers it."""

        async def ask(choice: str, request: gr.Request) -> AsyncIterator[Values]:
            page = page_language(choice, request)
            question = text(f"chat.example_{example.name}_question", page)
            asked = next_question(example.paste, question, None)
            async for waiting, html, hint in self._shown(asked, choice, "", request):
                yield waiting, html, {**hint, "value": ""}, asked.paste, asked.question, asked

        return ask

    async def _shown(
        self, asked: Asked, choice: str, version: str, request: gr.Request
    ) -> AsyncIterator[Values]:
        """Yield what the page shows: how many wait, the answer, the hint in the version's box."""
        page = page_language(choice, request)
        async for step in self._steps(asked, choice, page, version, request):
            if isinstance(step, Waiting):
                yield waiting_html(step, page), gr.skip(), gr.skip()
                continue
            hint = text("chat.version_placeholder", page)
            if step.version:
                hint = text("chat.version_found", page, version=step.version)
            yield "", step.html, gr.update(placeholder=hint)

    def _steps(
        self,
        asked: Asked,
        choice: str,
        page: Language,
        version: str,
        request: gr.Request,
        *,
        again: bool = False,
    ) -> AsyncIterator[Waiting | Reply]:
        return self._asking.run(
            lambda: self._replies.ask(
                asked.paste,
                asked.question,
                chosen_language(choice),
                page,
                version,
                again=again,
                is_further=asked.is_further,
            ),
            page,
            client_of(request.request.scope) if request.request else "",
        )

    def _start_afresh(self, choice: str, request: gr.Request) -> Values:
        page = page_language(choice, request)
        return "", self._replies.topics(page), "", "", "", None


def _in_page(function: str) -> dict[str, Any]:
    """Return the arguments of an event that calls a function of the page's own script."""
    return {"fn": None, "js": f"() => window.kbChat.{function}()"}
