"""A language in, the words that the page shows in it out, as updates of its components."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from kb.serve.asking import Waiting
from kb.serve.escaping import escape
from kb.serve.examples import EXAMPLES
from kb.serve.reader_language import LANGUAGES, accepted_language
from kb.strings import text
from kb.types import Language

__all__ = [
    "PageLimits",
    "chosen_language",
    "language_choices",
    "page_language",
    "page_words",
    "waiting_html",
]


_NAMES: dict[Language, str] = {"ko": "한국어", "en": "English"}
# Read by the script of the page: it shows these itself, without asking the server.
_SCRIPT_STRINGS = (
    "chat.answer",
    "chat.asking",
    "chat.back",
    "chat.copied",
    "chat.error",
    "chat.error_too_large",
    "chat.error_too_large_to_send",
    "chat.error_unreachable",
    "chat.file_drop",
    "chat.file_not_text",
    "chat.file_read",
    "chat.file_too_large",
    "chat.language",
    "chat.title",
)

Values = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class PageLimits:
    """How much the page sends: it says so itself, since the server cuts off what is larger."""

    paste_chars: int  # of the log and the question together
    body_bytes: int  # of a request


def page_words(choice: str, page: Language, limits: PageLimits) -> Values:
    """Return one update for each component that shows words, in the order of `words`."""
    return (
        _header_html(page, limits),
        gr.update(choices=language_choices(page), value=choice, label=text("chat.language", page)),
        gr.update(label=text("chat.paste", page), placeholder=text("chat.paste_placeholder", page)),
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


def _header_html(page: Language, limits: PageLimits) -> str:
    theme = escape(text("chat.theme", page))
    strings = {key.removeprefix("chat."): text(key, page) for key in _SCRIPT_STRINGS}
    return (
        f'<header class="kb-header" lang="{page}" data-page-language="{page}"'
        f' data-max-chars="{limits.paste_chars}" data-max-bytes="{limits.body_bytes}"'
        f' data-strings="{escape(json.dumps(strings))}">'
        f"<h1>{escape(text('chat.title', page))}</h1>"
        f"<p>{escape(text('chat.tagline', page))}</p>"
        f'<button type="button" class="kb-theme" aria-label="{theme}"'
        f' title="{theme}"></button></header>'
    )


def waiting_html(waiting: Waiting, page: Language) -> str:
    """Return how many questions wait, "" where this one is being answered."""
    if not waiting.questions:
        return ""
    said = text("chat.waiting", page, count=waiting.questions)
    return f'<p class="kb-waiting" lang="{page}">{escape(said)}</p>'


def _files_html(page: Language) -> str:
    return (
        '<div class="kb-files"><label class="kb-file">'
        '<input type="file" accept=".log,.txt,.out,.err,.json,.jsonl,.md,text/plain">'
        f"<span>{escape(text('chat.file', page))}</span></label>"
        f'<button type="button" class="kb-clear">{escape(text("chat.clear", page))}</button>'
        '<output class="kb-file-status" role="status"></output></div>'
    )


def language_choices(page: Language) -> Sequence[tuple[str, str]]:
    """Return the labels of the choices of a language, and their values."""
    automatic = (text("chat.language_auto", page), "auto")
    return [automatic, *((_NAMES[language], language) for language in LANGUAGES)]


def chosen_language(choice: str) -> Language | None:
    """Return the language that was chosen, None where that is left to the page."""
    return next((language for language in LANGUAGES if language == choice), None)


def page_language(choice: str, request: gr.Request) -> Language:
    """Return the language chosen or, without one, the first of the browser's that there is."""
    chosen = chosen_language(choice)
    if chosen:
        return chosen
    return accepted_language(request.headers.get("accept-language", ""))
