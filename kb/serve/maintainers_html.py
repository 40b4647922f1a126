"""Gaps in, the page for maintainers out: HTML without a script, whatever the readers pasted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from kb.feedback.gaps import Gap, Gaps
from kb.feedback.records import MARK_STATES
from kb.feedback.report import MAX_GAPS, MAX_SECTIONS, day, often_first
from kb.feedback.section_votes import SectionVotes
from kb.serve.escaping import escape
from kb.strings import text
from kb.types import Language

__all__ = ["Place", "gaps_page", "message_page", "sign_in_page"]

_LANGUAGES: tuple[tuple[Language, str], ...] = (("en", "English"), ("ko", "한국어"))


@dataclass(frozen=True, slots=True)
class Place:
    """Where and in which language the page is shown."""

    language: Language
    root_path: str  # of the proxy: "" or "/kb"
    assets: str  # path of the style sheets

    def address(self, path: str, language: Language | None = None) -> str:
        """Return the address of a route under `/maintainers`, which keeps the language."""
        return f"{self.root_path}/maintainers{path}?language={language or self.language}"

    def say(self, key: str, **slots: object) -> str:
        """Return one of the page's sentences as HTML."""
        return escape(text(f"maintainers.{key}", self.language, **slots))


def gaps_page(gaps: Gaps, place: Place) -> str:
    """Return the whole page."""
    say = place.say
    kinds = len(gaps.logs) + len(gaps.words) + len(gaps.closed)
    return _page(
        place,
        "",
        f'<p class="quiet">{say("masked")}</p>'
        '<dl class="numbers">'
        f"<div><dt>{say('questions')}</dt><dd>{gaps.asked:,}</dd></div>"
        f"<div><dt>{say('kinds')}</dt><dd>{kinds:,}</dd></div>"
        f"<div><dt>{say('open')}</dt><dd>{len(gaps.logs) + len(gaps.words):,}</dd></div>"
        f"<div><dt>{say('votes')}</dt><dd>{gaps.votes:,}</dd></div></dl>"
        f'<p><a class="button" href="{place.address("/gaps.md")}" download>{say("export")}</a></p>'
        f'<section aria-labelledby="failures"><h2 id="failures">{say("failures")}</h2>'
        f"{_list(gaps.logs, place) or _none(place)}{_further(gaps.logs, place)}</section>"
        f'<section aria-labelledby="words"><h2 id="words">{say("words")}</h2>'
        f"{_list(gaps.words, place) or _none(place)}{_further(gaps.words, place)}</section>"
        f'<section aria-labelledby="sections"><h2 id="sections">{say("sections")}</h2>'
        f"{_votes(gaps.sections, place) if gaps.sections else _none(place)}</section>"
        f'<section aria-labelledby="closed"><h2 id="closed">{say("closed")}</h2>'
        f"{_list(gaps.closed, place) or _none(place)}{_further(gaps.closed, place)}</section>",
        is_signed_in=True,
    )


def sign_in_page(place: Place, problem: str | None = None) -> str:
    """Return the form for the token; `problem` is the key of a sentence on the last try."""
    say = place.say
    said = escape(text(problem, place.language)) if problem else ""
    described = ' aria-describedby="problem" aria-invalid="true"' if said else ""
    return _page(
        place,
        "/sign-in",
        f'<form class="sign-in" method="post" action="{place.address("/sign-in")}">'
        # Password managers keep a token under a name.
        '<input name="user" value="maintainer" autocomplete="username" hidden>'
        f'<label for="token">{say("token")}</label>'
        '<input id="token" name="token" type="password" autocomplete="current-password" required'
        f" autofocus{described}>"
        + (f'<p id="problem" class="problem" role="alert">{said}</p>' if said else "")
        + f'<button class="main">{say("sign_in")}</button></form>',
    )


def message_page(key: str, place: Place) -> str:
    """Return a page with one sentence, and the way back."""
    return _page(
        place,
        "",
        f'<p class="problem" role="alert">{escape(text(key, place.language))}</p>'
        f'<p><a href="{place.address("")}">{place.say("back")}</a></p>',
    )


def _page(place: Place, path: str, body: str, *, is_signed_in: bool = False) -> str:
    say = place.say
    current = ' aria-current="true"'
    languages = "".join(
        f'<a href="{place.address(path, language)}" lang="{language}" hreflang="{language}"'
        f"{current if language == place.language else ''}>{name}</a>"
        for language, name in _LANGUAGES
    )
    sign_out = (
        f'<form method="post" action="{place.address("/sign-out")}">'
        f"<button>{say('sign_out')}</button></form>"
    )
    assets = place.root_path + place.assets
    return (
        f'<!doctype html><html lang="{place.language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{say("title")}</title>'
        f'<link rel="icon" type="image/svg+xml" href="{assets}/icon.svg">'
        f'<link rel="stylesheet" href="{assets}/maintainers.css"></head><body><header>'
        f'<h1>{say("title")}</h1><nav aria-label="{say("language")}">{languages}</nav>'
        f"{sign_out if is_signed_in else ''}</header><main>{body}</main></body></html>"
    )


# --- gaps ---


def _list(gaps: Sequence[Gap], place: Place) -> str:
    items = "".join(f"<li>{_gap(gap, place)}</li>" for gap in gaps[:MAX_GAPS])
    return f'<ol class="gaps">{items}</ol>' if items else ""


def _gap(gap: Gap, place: Place) -> str:
    group, say = gap.cluster, place.say
    name = f"gap-{group.key}"
    if gap.draft:
        title = f'<code lang="en">{escape(gap.draft.title or gap.draft.id)}</code>'
        draft = (
            f"<details><summary>{say('draft')}</summary>"
            f'<pre lang="en" tabindex="0">{escape(gap.draft.markdown)}</pre></details>'
        )
    else:
        title, draft = say("near", id=group.near) if group.near else say("near_none"), ""
    versions = escape(", ".join(sorted(group.versions)))
    facts = [
        (say("times"), f"{group.count:,}"),
        (say("languages"), _counts(group.languages)),
        (say("first"), day(group.first_at)),
        (say("last"), day(group.last_at)),
        (say("kb_version"), versions),
    ]
    if group.nearest and gap.draft:
        facts.append((say("nearest"), _counts(group.nearest, most=5)))
    if gap.mark:
        facts.append((say("marked"), f"{say(gap.mark.state)}, {day(gap.mark.at)}"))
        facts.append((say("since"), f"{gap.asked_since:,}"))
    shown = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    return (
        f'<article aria-labelledby="{name}"><h3 id="{name}">{title}</h3>'
        f"<dl>{shown}</dl>{draft}{_mark_form(gap, name, place)}</article>"
    )


def _mark_form(gap: Gap, name: str, place: Place) -> str:
    """Return the buttons; marks are taken from the keys that they were set by."""
    keys = (gap.cluster.key,) if gap.is_open else gap.marked
    states = MARK_STATES if gap.is_open else ("open",)
    hidden = "".join(f'<input type="hidden" name="gap" value="{key}">' for key in keys)
    buttons = "".join(
        f'<button name="state" value="{state}" aria-describedby="{name}">'
        f"{place.say(f'mark_{state}')}</button>"
        for state in states
    )
    return f'<form method="post" action="{place.address("/mark")}">{hidden}{buttons}</form>'


def _further(gaps: Sequence[Gap], place: Place) -> str:
    left = gaps[MAX_GAPS:]
    if not left:
        return ""
    count = sum(gap.cluster.count for gap in left)
    return f"<p>{place.say('further', kinds=f'{len(left):,}', times=f'{count:,}')}</p>"


def _none(place: Place) -> str:
    return f'<p class="quiet">{place.say("none")}</p>'


# --- sections ---


def _votes(sections: Sequence[SectionVotes], place: Place) -> str:
    say = place.say
    heads = "".join(
        f'<th scope="col">{say(key)}</th>'
        for key in ("section", "not_helpful", "helpful", "why", "languages", "shown_for")
    )
    rows = "".join(_row(section, place) for section in sections[:MAX_SECTIONS])
    return (
        f'<div class="wide" role="group" aria-labelledby="sections" tabindex="0"><table>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(section: SectionVotes, place: Place) -> str:
    why = Counter(
        {
            text(f"feedback.{one}" if one else "maintainers.not_said", place.language): count
            for one, count in section.reasons.items()
        }
    )
    lines = "".join(
        f"<li>{section.lines[line]:,} × <code>{escape(line)}</code></li>"
        for line in often_first(section.lines)[:5]
    )
    address = f"{place.root_path}/#{quote(section.id, safe='')}"
    shown_for = f"<ul>{lines}</ul>" if lines else ""
    link = f'<a href="{escape(address)}"><code>{escape(section.id)}</code></a>'
    return (
        f'<tr><th scope="row">{link}</th>'
        f"<td>{section.not_helpful:,}</td><td>{section.helpful:,}</td><td>{_counts(why)}</td>"
        f'<td>{_counts(section.languages)}</td><td lang="en">{shown_for}</td></tr>'
    )


def _counts(counts: Counter[str], most: int | None = None) -> str:
    return ", ".join(_pairs(counts, often_first(counts)[:most]))


def _pairs(counts: Counter[str], names: Iterable[str]) -> Iterable[str]:
    return (f"{escape(name)} {counts[name]:,}" for name in names)
