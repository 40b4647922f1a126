"""A section of an answer in, the buttons that ask whether it helped out."""

from __future__ import annotations

from kb.feedback.masking import as_paste
from kb.feedback.records import REASONS
from kb.serve.escaping import escape
from kb.strings import text
from kb.types import AnswerSection, Language

__all__ = ["feedback_html"]


def feedback_html(section: AnswerSection, language: Language, signatures: tuple[str, ...]) -> str:
    """Return the buttons in the `language` of the answer, which the section may not exist in.

    `signatures` are the masked lines that a vote against the section sends along.
    """
    reasons = "".join(
        f'<button type="button" data-helpful="false" data-reason="{reason}">'
        f"{escape(text(f'feedback.{reason}', language))}</button>"
        for reason in REASONS
    )
    question = escape(text("feedback.question", language))
    return (
        f'<div class="kb-feedback" lang="{language}" role="group" aria-label="{question}"'
        f' data-section="{escape(section.id)}" data-language="{section.language}"'
        f' data-paste="{escape(as_paste(signatures))}"'
        f' data-thanks="{escape(text("feedback.thanks", language))}"'
        f' data-failed="{escape(text("feedback.failed", language))}">'
        f'<p class="kb-feedback-ask"><span>{question}</span>'
        f'<button type="button" data-helpful="true">{escape(text("feedback.yes", language))}'
        "</button>"
        '<button type="button" class="kb-feedback-no" aria-expanded="false">'
        f"{escape(text('feedback.no', language))}</button></p>"
        f'<div class="kb-feedback-why" hidden><p>{escape(text("feedback.why", language))}</p>'
        f'<p class="kb-feedback-reasons">{reasons}</p>'
        f'<p class="kb-feedback-kept">{escape(text("feedback.kept", language))}</p></div>'
        '<p class="kb-feedback-status" role="status"></p></div>'
    )
