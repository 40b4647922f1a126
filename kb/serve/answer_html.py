"""An `Answer` in, the HTML of the chat's answer out; every pasted character inert."""

from __future__ import annotations

from collections.abc import Iterable

from kb.serve.escaping import escape, with_code_spans
from kb.serve.feedback_html import feedback_html
from kb.serve.issue_template import issue_template
from kb.serve.markdown_html import code_block, markdown_to_html, section_href
from kb.serve.section_links import SectionLinks
from kb.serve.version_html import numbered_lines, version_html
from kb.strings import text
from kb.types import (
    Answer,
    AnswerSection,
    Language,
    MatchedLine,
    NearestSection,
    Section,
)

__all__ = ["answer_html", "error_html", "section_html"]

# Below this the answer says beside its title that it may be another one.
_UNCERTAIN = 0.75
_KINDS = {"consequence": "chat.kind_consequence", "harmless": "chat.kind_harmless"}


def answer_html(
    answer: Answer,
    links: SectionLinks,
    paste: str = "",
    question: str = "",
    signatures: tuple[str, ...] | None = None,
    *,
    further_lines: int = 0,
    hide_addresses: bool = False,
) -> str:
    """Return the answer: notes, sections, what is true for the version, what is near.

    `further_lines` are those of the log that a further question is about, 0 for a first question.
    `paste` and `question` fill the issue template of an answer that found nothing. `signatures`
    are the masked lines of the paste, None where no feedback is kept: then none is asked for.
    """
    is_kept = signatures is not None
    parts = [_about_log(further_lines, answer.language)] if further_lines else []
    if answer.found:
        parts.append(_found(answer, links, signatures, is_further=further_lines > 0))
    else:
        parts.append(_not_found(answer, is_kept))
    if answer.nearest:
        heading = "answer.related" if answer.found else "answer.nearest"
        parts.append(_nearest(answer.nearest, text(heading, answer.language)))
    if _lacks_section(answer):
        template = issue_template(answer, paste, question, hide_addresses=hide_addresses)
        parts.append(_report(template, answer.language))
    state = "found" if answer.found else "not-found"
    return (
        f'<article class="kb-answer kb-{state}" lang="{answer.language}" data-state="{state}"'
        f' tabindex="-1" aria-label="{escape(text("chat.answer", answer.language))}">'
        + "".join(parts)
        + "</article>"
    )


def section_html(section: Section, links: SectionLinks) -> str:
    """Return one section, opened by a link."""
    trail = " › ".join(escape(title) for title in section.breadcrumbs)
    return (
        f'<article class="kb-answer" lang="{section.language}" data-section="{escape(section.id)}"'
        f' tabindex="-1" aria-label="{escape(section.title)}">'
        f'<p class="kb-trail">{trail}</p><section class="kb-card">'
        + _kind(section.kind, section.language)
        + _body(section, links)
        + "</section></article>"
    )


def error_html(title: str, message: str, language: Language) -> str:
    """Return a message about a question that could not be asked."""
    return (
        f'<div class="kb-error" role="alert" lang="{language}" data-state="error">'
        f"<strong>{escape(title)}</strong><p>{with_code_spans(message)}</p></div>"
    )


# --- found ---


def _about_log(n_lines: int, language: Language) -> str:
    said = escape(text("chat.further", language, lines=f"{n_lines:,}"))
    afresh = escape(text("chat.afresh", language))
    return (
        f'<p class="kb-further"><span>{said}</span>'
        f' <button type="button" class="kb-start-afresh">{afresh}</button></p>'
    )


def _found(
    answer: Answer, links: SectionLinks, signatures: tuple[str, ...] | None, *, is_further: bool
) -> str:
    language = answer.language
    # A further question that names a topic is answered with that; the log's section comes second.
    names_topic = is_further and bool(answer.sections) and not answer.sections[0].matched_lines
    also = "chat.also_log" if names_topic else "chat.also"

    def asking(section: AnswerSection) -> str:
        if signatures is None:
            return ""
        return feedback_html(section, language, signatures)

    parts = [_notes(answer.notes)]
    for number, section in enumerate(answer.sections):
        why = _matched(section.matched_lines, language)
        if number == 0:
            parts.append(
                '<section class="kb-card">'
                + _badges(answer, section)
                + why
                + _body(section, links)
                + version_html(answer)
                + asking(section)
                + "</section>"
            )
            continue
        if number == 1:
            parts.append(f'<h2 class="kb-label">{escape(text(also, language))}</h2>')
        parts.append(
            f'<details class="kb-card kb-other"><summary><span class="kb-title">'
            f"{escape(section.title)}</span>{_kind(section.kind, language)}</summary>"
            + why
            + _body(section, links)
            + asking(section)
            + "</details>"
        )
    if not answer.sections:  # a message of the program's own that no section is about
        parts.append(version_html(answer))
    return "".join(parts)


def _badges(answer: Answer, section: AnswerSection) -> str:
    percent = text("chat.confidence", answer.language, percent=round(answer.confidence * 100))
    shown = _kind(section.kind, answer.language)
    if answer.confidence < _UNCERTAIN:
        unsure = escape(text("chat.uncertain", answer.language))
        shown += f'<span class="kb-badge kb-unsure">{unsure}</span>'
    return f'<p class="kb-badges">{shown}<span class="kb-confidence">{escape(percent)}</span></p>'


def _kind(kind: str, language: Language) -> str:
    key = _KINDS.get(kind)
    return f'<span class="kb-badge kb-{kind}">{escape(text(key, language))}</span>' if key else ""


def _body(section: AnswerSection | Section, links: SectionLinks) -> str:
    path = section.source.path
    html = markdown_to_html(section.markdown, section.language, links.resolver(path))
    where = f"{path}:{section.source.start_line}–{section.source.end_line}"
    permalink = ""
    if isinstance(section, AnswerSection):  # one that was opened by its link has that already
        label = escape(text("chat.permalink", section.language))
        href = section_href(section.id)
        permalink = f' <a class="kb-section-link kb-permalink" href="{href}">{label}</a>'
    return (
        f'<div class="kb-body" lang="{section.language}" data-id="{escape(section.id)}">'
        f"{html}</div>"
        f'<p class="kb-source">{escape(where)}{permalink}</p>'
    )


def _matched(lines: Iterable[MatchedLine], language: Language) -> str:
    rows = numbered_lines(((line.line, line.text) for line in lines), language)
    heading = escape(text("answer.matched", language))
    return f'<div class="kb-why"><p>{heading}</p>{rows}</div>' if rows else ""


# --- not found ---


def _lacks_section(answer: Answer) -> bool:
    """Whether something was asked that no section answers.

    Nothing is near what says nothing, and a complaint in general words is asked back about.
    """
    return not answer.found and bool(answer.nearest) and not _asks_back(answer)


def _asks_back(answer: Answer) -> bool:
    return text("answer.which_one", answer.language) in answer.notes


def _not_found(answer: Answer, is_kept: bool) -> str:
    title, *others = answer.notes or (text("answer.not_found", answer.language),)
    if _asks_back(answer):
        advice = escape(text("chat.which_one_advice", answer.language))
        return (
            f'<section class="kb-card kb-empty"><h2>{with_code_spans(title)}</h2>{_notes(others)}'
            f"<p>{advice}</p>{version_html(answer)}</section>"
        )
    if not _lacks_section(answer):
        return (
            f'<section class="kb-card kb-empty kb-says-nothing"><h2>{with_code_spans(title)}</h2>'
            f"{_notes(others)}</section>"
        )
    advice = escape(text("chat.not_found_advice", answer.language))
    said = escape(text("feedback.kept_unanswered", answer.language)) if is_kept else ""
    kept = f'<p class="kb-feedback-kept">{said}</p>' if is_kept else ""
    return (
        f'<section class="kb-card kb-empty"><h2>{with_code_spans(title)}</h2>{_notes(others)}'
        f"<p>{advice}</p>{kept}{version_html(answer)}</section>"
    )


def _report(template: str, language: Language) -> str:
    return (
        f'<section class="kb-report"><h2 class="kb-label">{escape(text("chat.report", language))}'
        f"</h2><p>{escape(text('chat.report_text', language))}</p>"
        + code_block(template, language, "markdown", "kb-template")
        + "</section>"
    )


# --- both ---


def _notes(notes: Iterable[str]) -> str:
    return "".join(f'<p class="kb-note">{with_code_spans(note)}</p>' for note in notes)


def _nearest(nearest: Iterable[NearestSection], heading: str) -> str:
    items = "".join(
        f'<li><a class="kb-section-link" href="{section_href(near.id)}">'
        f"{escape(near.title)}</a></li>"
        for near in nearest
    )
    return (
        f'<nav class="kb-nearest" aria-label="{escape(heading)}">'
        f'<h2 class="kb-label">{escape(heading)}</h2><ul>{items}</ul></nav>'
    )
