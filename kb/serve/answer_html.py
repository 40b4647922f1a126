"""An `Answer` in, the HTML of the chat's answer out; every pasted character inert."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kb.serve.command_html import command_html
from kb.serve.escaping import code_span, escape, with_code_spans
from kb.serve.feedback_html import feedback_html
from kb.serve.issue_template import issue_template
from kb.serve.markdown_html import code_block, markdown_to_html, section_href
from kb.serve.section_links import SectionLinks
from kb.strings import text
from kb.types import (
    Answer,
    AnswerSection,
    FlagNote,
    Language,
    MatchedLine,
    MessageMatch,
    NearestSection,
    Section,
    VersionRange,
)

__all__ = ["answer_html", "error_html", "section_html"]

MAX_LINE_CHARS = 240  # of a matched line; the whole line stands in the paste
# Below this the answer says beside its title that it may be another one.
_UNCERTAIN = 0.75
_KINDS = {"consequence": "chat.kind_consequence", "harmless": "chat.kind_harmless"}


def answer_html(
    answer: Answer,
    links: SectionLinks,
    paste: str = "",
    question: str = "",
    signatures: tuple[str, ...] | None = None,
) -> str:
    """Return the answer: notes, sections, what is true for the version, what is near.

    `paste` and `question` fill the issue template of an answer that found nothing. `signatures`
    are the masked lines of the paste, None where no feedback is kept: then none is asked for.
    """
    is_kept = signatures is not None
    parts = [_found(answer, links, signatures) if answer.found else _not_found(answer, is_kept)]
    if answer.nearest:
        heading = "answer.related" if answer.found else "answer.nearest"
        parts.append(_nearest(answer.nearest, text(heading, answer.language)))
    if not answer.found:
        parts.append(_report(issue_template(answer, paste, question), answer.language))
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


def _found(answer: Answer, links: SectionLinks, signatures: tuple[str, ...] | None) -> str:
    language = answer.language

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
                + _for_version(answer)
                + asking(section)
                + "</section>"
            )
            continue
        if number == 1:
            parts.append(f'<h2 class="kb-label">{escape(text("chat.also", language))}</h2>')
        parts.append(
            f'<details class="kb-card kb-other"><summary><span class="kb-title">'
            f"{escape(section.title)}</span>{_kind(section.kind, language)}</summary>"
            + why
            + _body(section, links)
            + asking(section)
            + "</details>"
        )
    if not answer.sections:  # a message of the program's own that no section is about
        parts.append(_for_version(answer))
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
    return (
        f'<div class="kb-body" lang="{section.language}" data-id="{escape(section.id)}">'
        f"{html}</div>"
        f'<p class="kb-source">{escape(where)}</p>'
    )


def _matched(lines: Iterable[MatchedLine], language: Language) -> str:
    rows = _numbered(((line.line, line.text) for line in lines), language)
    heading = escape(text("answer.matched", language))
    return f'<div class="kb-why"><p>{heading}</p>{rows}</div>' if rows else ""


def _numbered(lines: Iterable[tuple[int, str]], language: Language) -> str:
    """Return lines of the paste with their numbers as a list, "" if there are none."""
    rows = "".join(
        f'<li><span class="kb-line-number">{escape(text("chat.line", language, line=number))}'
        f"</span><code>{escape(_cut(line.strip()))}</code></li>"
        for number, line in lines
    )
    return f"<ol>{rows}</ol>" if rows else ""


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE_CHARS else line[:MAX_LINE_CHARS] + "…"


# --- for the user's version ---


def _for_version(answer: Answer) -> str:
    language = answer.language
    parts = [_version(answer.version, language) if answer.version else ""]
    parts.append(_message(answer.message, language) if answer.message else "")
    parts.append(_flags(answer.flags, language))
    parts.append(command_html(answer.command, language) if answer.command else "")
    inner = "".join(parts)
    return f'<div class="kb-version-notes" lang="{language}">{inner}</div>' if inner else ""


def _version(version: VersionRange, language: Language) -> str:
    if version.value:
        said = text("chat.version_is", language, version=version.value)
    elif version.low and version.high:
        said = text("chat.version_between", language, low=version.low, high=version.high)
    elif version.low:
        said = text("chat.version_from", language, low=version.low)
    elif version.high:
        said = text("chat.version_to", language, high=version.high)
    else:
        return ""
    stated = ((found.line, found.text) for found in version.evidence if found.line > 0)
    against = f"<p>{with_code_spans(version.contradiction)}</p>" if version.contradiction else ""
    return (
        f'<div class="kb-version"><h3>{escape(said)}</h3>{against}'
        f"{_numbered(stated, language)}</div>"
    )


def _message(message: MessageMatch, language: Language) -> str:
    releases = text("chat.message_releases", language, first=message.first, last=message.last)
    flags = " ".join(code_span(flag) for flag in message.flags)
    return (
        f'<div class="kb-message"><h3>{escape(text("chat.message", language))}</h3>'
        f"<p>{code_span(message.template)}</p>"
        f"<p>{escape(releases)} {code_span(message.file)}</p>"
        + (f"<p>{escape(text('chat.message_flags', language))} {flags}</p>" if flags else "")
        + "</div>"
    )


def _flags(flags: Sequence[FlagNote], language: Language) -> str:
    """Return what is wrong with flags in the open, and folded those that are as they should be."""
    wrong = [flag for flag in flags if flag.status != "accepted"]
    right = [flag for flag in flags if flag.status == "accepted"]
    parts = []
    if wrong:
        heading = escape(text("answer.flags", language))
        parts.append(f"<h3>{heading}</h3>{_flag_list(wrong, language)}")
    if right:
        count = escape(text("chat.accepted", language, count=len(right)))
        parts.append(f"<details><summary>{count}</summary>{_flag_list(right, language)}</details>")
    return f'<div class="kb-flags">{"".join(parts)}</div>' if parts else ""


def _flag_list(flags: Iterable[FlagNote], language: Language) -> str:
    rows = "".join(
        f'<li class="kb-flag-{flag.status}"><span class="kb-badge">'
        f"{escape(text(f'chat.status_{flag.status}', language))}</span>"
        f" {with_code_spans(flag.note) if flag.note else code_span(flag.flag)}</li>"
        for flag in flags
    )
    return f"<ul>{rows}</ul>"


# --- not found ---


def _not_found(answer: Answer, is_kept: bool) -> str:
    title, *others = answer.notes or (text("answer.not_found", answer.language),)
    advice = escape(text("chat.not_found_advice", answer.language))
    said = escape(text("feedback.kept_unanswered", answer.language)) if is_kept else ""
    kept = f'<p class="kb-feedback-kept">{said}</p>' if is_kept else ""
    return (
        f'<section class="kb-card kb-empty"><h2>{with_code_spans(title)}</h2>{_notes(others)}'
        f"<p>{advice}</p>{kept}{_for_version(answer)}</section>"
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
