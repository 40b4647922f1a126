"""The layout of the chat and its events: Gradio's components, our words in two languages."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, get_args

import gradio as gr

from kb.serve.escaping import escape
from kb.serve.examples import EXAMPLES, Example
from kb.serve.replies import Replies
from kb.strings import text
from kb.types import Language

__all__ = ["build_page", "page_theme"]

LANGUAGES: tuple[Language, ...] = get_args(Language)
_NAMES: dict[Language, str] = {"ko": "한국어", "en": "English"}
# Read by the script of the page: it shows these itself, without asking the server.
_SCRIPT_STRINGS = (
    "chat.answer",
    "chat.asking",
    "chat.back",
    "chat.copied",
    "chat.error",
    "chat.error_unreachable",
    "chat.file_drop",
    "chat.file_not_text",
    "chat.file_read",
    "chat.file_too_large",
    "chat.language",
    "chat.title",
)
_MONOSPACE = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "Noto Sans Mono", "monospace")
_SANS = ("system-ui", "-apple-system", "Segoe UI", "Noto Sans CJK KR", "Noto Sans KR", "sans-serif")

Values = tuple[Any, ...]


def page_theme() -> gr.themes.Base:
    """Return Gradio's plainest theme with the fonts of the reader's system, none of the web."""
    return gr.themes.Base(font=_SANS, font_mono=_MONOSPACE)


def build_page(replies: Replies, max_paste_chars: int) -> gr.Blocks:
    """Return the page; it is told `max_paste_chars` so that it reads no larger file."""
    layout = _Layout(replies, max_paste_chars)
    page = gr.Blocks(title=text("chat.title", "en"), analytics_enabled=False, fill_width=True)
    with page:
        layout.place()
        layout.connect(page)
    # Asking is quick and safe from several threads; Gradio's own default is one at a time.
    page.queue(default_concurrency_limit=None, api_open=False)
    return page


class _Layout:
    """The components of the page, in the order of the tab key."""

    def __init__(self, replies: Replies, max_paste_chars: int) -> None:
        self._replies = replies
        self._max_paste_chars = max_paste_chars

    def place(self) -> None:
        """Create the components; their words come with the page's first event."""
        with gr.Row(elem_id="kb-top"):
            self.header = gr.HTML(elem_id="kb-header", apply_default_css=False, js_on_load=None)
            self.language = gr.Radio(
                choices=_language_choices("en"),
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
                self.answer = gr.HTML(elem_id="kb-answer", apply_default_css=False, js_on_load=None)
        self.asked = gr.State(False)

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
            [*asked, self.asked],
            [*words, self.answer],
            trigger_mode="always_last",  # else a second choice made meanwhile would be lost
            **quiet,
        ).then(**_in_page("worded"))
        shown = [self.answer, self.version, self.asked]
        answers = [self.ask.click(self._ask, asked, shown, **quiet)]
        for button, example in zip(self.examples, EXAMPLES, strict=True):
            ask = self._asking(example)
            boxes = [self.paste, self.question]
            answers.append(button.click(ask, [self.language], [*boxes, *shown], **quiet))
        for answer in answers:
            answer.success(**_in_page("answered"))
            answer.failure(**_in_page("failed"))

    # --- events ---

    def _open(self, choice: str, request: gr.Request) -> Values:
        page = _page_language(choice, request)
        return (*self._words(choice, page), self._replies.topics(page))

    def _change_language(
        self,
        paste: str,
        question: str,
        choice: str,
        version: str,
        asked: bool,
        request: gr.Request,
    ) -> Values:
        page = _page_language(choice, request)
        if asked:
            reply = self._replies.ask(paste, question, _chosen(choice), page, version, again=True)
            return (*self._words(choice, page), reply.html)
        return (*self._words(choice, page), self._replies.topics(page))

    def _ask(
        self, paste: str, question: str, choice: str, version: str, request: gr.Request
    ) -> Values:
        page = _page_language(choice, request)
        reply = self._replies.ask(paste, question, _chosen(choice), page, version)
        hint = text("chat.version_placeholder", page)
        if reply.version:
            hint = text("chat.version_found", page, version=reply.version)
        return reply.html, gr.update(placeholder=hint), True

    def _asking(self, example: Example) -> Callable[[str, gr.Request], Values]:
        """Return the event that fills the boxes with `example` and answers it."""

        def ask(choice: str, request: gr.Request) -> Values:
            question = text(
                f"chat.example_{example.name}_question", _page_language(choice, request)
            )
            html, hint, asked = self._ask(example.paste, question, choice, "", request)
            return example.paste, question, html, {**hint, "value": ""}, asked

        return ask

    # --- words ---

    def _words(self, choice: str, page: Language) -> Values:
        """Return one update for each component that shows words, in the order of `words`."""
        return (
            self._header_html(page),
            gr.update(
                choices=_language_choices(page), value=choice, label=text("chat.language", page)
            ),
            gr.update(
                label=text("chat.paste", page), placeholder=text("chat.paste_placeholder", page)
            ),
            _files_html(page),
            gr.update(
                label=text("chat.question", page),
                placeholder=text("chat.question_placeholder", page),
            ),
            gr.update(
                label=text("chat.version", page),
                placeholder=text("chat.version_placeholder", page),
            ),
            gr.update(value=text("chat.ask", page)),
            f'<p class="kb-shortcut">{escape(text("chat.shortcut", page))}</p>'
            f'<h2 class="kb-label">{escape(text("chat.examples", page))}</h2>',
            *(gr.update(value=text(f"chat.example_{example.name}", page)) for example in EXAMPLES),
        )

    def _header_html(self, page: Language) -> str:
        theme = escape(text("chat.theme", page))
        strings = {key.removeprefix("chat."): text(key, page) for key in _SCRIPT_STRINGS}
        return (
            f'<header class="kb-header" lang="{page}" data-page-language="{page}"'
            f' data-max-bytes="{self._max_paste_chars}"'
            f' data-strings="{escape(json.dumps(strings))}">'
            f"<h1>{escape(text('chat.title', page))}</h1>"
            f"<p>{escape(text('chat.tagline', page))}</p>"
            f'<button type="button" class="kb-theme" aria-label="{theme}"'
            f' title="{theme}"></button></header>'
        )


def _in_page(function: str) -> dict[str, Any]:
    """Return the arguments of an event that calls a function of the page's own script."""
    return {"fn": None, "js": f"() => window.kbChat.{function}()"}


def _files_html(page: Language) -> str:
    return (
        '<div class="kb-files"><label class="kb-file">'
        '<input type="file" accept=".log,.txt,.out,.err,.json,.jsonl,.md,text/plain">'
        f"<span>{escape(text('chat.file', page))}</span></label>"
        f'<button type="button" class="kb-clear">{escape(text("chat.clear", page))}</button>'
        '<output class="kb-file-status" role="status"></output></div>'
    )


def _language_choices(page: Language) -> Sequence[tuple[str, str]]:
    automatic = (text("chat.language_auto", page), "auto")
    return [automatic, *((_NAMES[language], language) for language in LANGUAGES)]


def _chosen(choice: str) -> Language | None:
    return next((language for language in LANGUAGES if language == choice), None)


def _page_language(choice: str, request: gr.Request) -> Language:
    """Return the language chosen or, without one, the first of the browser's that there is."""
    chosen = _chosen(choice)
    if chosen:
        return chosen
    for wanted in request.headers.get("accept-language", "").split(","):
        language = _chosen(wanted.strip()[:2].lower())
        if language:
            return language
    return "en"
