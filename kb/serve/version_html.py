"""An `Answer` in, the HTML of what holds for the reader's version out; pasted lines likewise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kb.answer.wording import contradiction_text, cut, date_text
from kb.serve.command_html import command_html
from kb.serve.escaping import code_span, escape, with_code_spans
from kb.strings import text
from kb.types import Answer, FlagNote, Language, MessageMatch, VersionRange

__all__ = ["numbered_lines", "version_html"]

MAX_LINE_CHARS = 240  # of a matched line; the whole line stands in the paste


def version_html(answer: Answer) -> str:
    """Return the version found, the program's own message, flags and the command; "" for none."""
    language = answer.language
    parts = [_version(answer.version, language) if answer.version else ""]
    parts.append(_message(answer.message, language) if answer.message else "")
    # What the question asks of is a note already.
    flags = [flag for flag in answer.flags if flag.note not in answer.notes]
    parts.append(_flags(flags, language))
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
    stated = dict.fromkeys((found.line, found.text) for found in version.evidence if found.line > 0)
    ruled_out = contradiction_text(version, language)
    against = "".join(
        f"<p>{with_code_spans(sentence)}</p>"
        for sentence in (date_text(version, language), ruled_out)
        if sentence
    )
    return (
        f'<div class="kb-version"><h3>{escape(said)}</h3>{against}'
        f"{numbered_lines(stated, language)}</div>"
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


def numbered_lines(lines: Iterable[tuple[int, str]], language: Language) -> str:
    """Return lines of the paste with their numbers as a list, "" if there are none."""
    rows = "".join(_numbered_line(number, line, language) for number, line in lines)
    return f"<ol>{rows}</ol>" if rows else ""


def _numbered_line(number: int, line: str, language: Language) -> str:
    shown, is_cut = cut(line, MAX_LINE_CHARS)
    # Beside the code: what stands in it is the paste's, character by character.
    mark = f' <span class="kb-cut">{escape(text("answer.cut", language))}</span>' if is_cut else ""
    return (
        f'<li><span class="kb-line-number">{escape(text("chat.line", language, line=number))}'
        f"</span><code>{escape(shown)}</code>{mark}</li>"
    )
