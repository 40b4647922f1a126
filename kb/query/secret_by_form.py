"""A paste in, the secrets that show by themselves out: by their form, or by where they stand.

Every finder is linear in the paste: a pattern starts with a literal, or at the start of a run.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from kb.query.secret_forms import (
    FORMS,
    MIN_RUN,
    PREFIXED,
    PRIVATE_KEY_BEGIN,
    PRIVATE_KEY_END,
    looks_issued,
    looks_random,
)
from kb.query.secret_keys import SecretKey, is_secret_value
from kb.query.secret_spans import PasteBytes, Span, as_text

__all__ = [
    "find_emails",
    "find_forms",
    "find_prefixed",
    "find_private_keys",
    "find_url_passwords",
    "find_user_options",
]

_RUNS = bytes(
    ord("w") if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "_-") else ord(" ")
    for byte in range(256)
)


def find_prefixed(paste: PasteBytes) -> Iterator[Span]:
    """Yield keys and tokens whose first characters tell the provider: `hf_…`, `sk-…`, `AKIA…`."""
    pattern, kinds = PREFIXED
    view = paste.view
    runs = view.translate(_RUNS)
    long_run = b"w" * MIN_RUN
    at = runs.find(long_run)
    while at >= 0:
        start = at
        if start > 0 and view[start - 1 : start] == b"%" and view[start : start + 2].isalnum():
            start += 2  # `%3Dhf_…` in an address
        end = runs.find(b" ", at + MIN_RUN)
        found = pattern.match(view, start)
        if found and found.lastgroup and looks_issued(as_text(found.group())):
            yield Span(start, found.end(), kinds[found.lastgroup], found.group())
        if end < 0:
            return
        at = runs.find(long_run, end)


def find_forms(paste: PasteBytes) -> Iterator[Span]:
    """Yield secrets of a form that is not a prefix: JWTs, signed addresses, login commands."""
    for form in FORMS:
        text = paste.folded if form.any_case else paste.view
        if form.literal not in text:
            continue
        for found in form.pattern.finditer(text):
            start, end = found.span("v")
            value = paste.raw[start:end]
            key = SecretKey(form.kind, False)
            if is_secret_value(as_text(value), key, "", "quoted"):
                yield Span(start, end, form.kind, value)


_KEY_TEXT = re.compile(rb"[A-Za-z0-9+/=]{16,}")
_LAST_WORD = re.compile(rb"[A-Za-z0-9+/=]{1,128}(?=[ \t\r\"',\\]*\Z)")
_MAX_KEY_BYTES = 32_000
_MAX_KEY_LINES = 400


def find_private_keys(paste: PasteBytes) -> Iterator[Span]:
    """Yield the lines of private keys in PEM, also of those whose end was cut off."""
    view = paste.view
    if b"PRIVATE KEY" not in view:
        return
    begins = [found.span() for found in PRIVATE_KEY_BEGIN.finditer(view)]
    ends = [found.start() for found in PRIVATE_KEY_END.finditer(view)]
    for number, (_, start) in enumerate(begins):
        following = begins[number + 1][0] if number + 1 < len(begins) else len(view)
        nearest = bisect_left(ends, start)
        end = ends[nearest] if nearest < len(ends) else len(view)
        if end < following and end - start <= _MAX_KEY_BYTES:
            yield from _whole_key(view, start, end)
        else:
            yield from _cut_key(view, start, min(following, start + _MAX_KEY_BYTES))


def _whole_key(view: bytes, start: int, end: int) -> Iterator[Span]:
    body = view[start:end]
    if not _KEY_TEXT.search(body) or body.count(b"\n") > _MAX_KEY_LINES:
        return
    at = start
    for line in body.split(b"\n"):
        kept = line.strip(b" \t\r")
        # The last line may hold nothing but the prefix in front of `-----END`.
        if kept and (at + len(line) < end or _KEY_TEXT.search(kept)):
            first = at + line.index(kept)
            yield Span(first, first + len(kept), "private-key", body)
        at += len(line) + 1


def _cut_key(view: bytes, start: int, end: int) -> Iterator[Span]:
    """Yield the lines that go on a key without an end, as long as they look like one."""
    body = view[start:end]
    at = start
    for number, line in enumerate(body.split(b"\n")[:_MAX_KEY_LINES]):
        word = _LAST_WORD.search(line[-160:])
        text = word.group() if word else b""
        if len(text) >= MIN_RUN:
            if len(line) > 160:  # all on one line, with `\n` written out
                yield Span(at, at + len(line.rstrip()), "private-key", body)
            else:
                first = at + line.rindex(text)
                yield Span(first, first + len(text), "private-key", body)
        elif number and line.strip():
            # The last line may be short; a word of its own line is no key.
            if text == line.strip() and not text.isalpha():
                first = at + line.index(text)
                yield Span(first, first + len(text), "private-key", body)
            return
        at += len(line) + 1


_USER_INFO = re.compile(
    rb"""://(?P<user>[^\s/:@\["'<>`\\]{0,200}):
    (?P<v>[^\s/"'<>`]{1,512}|(?!\d{1,5}/)[^\s@"'<>`]{1,512}(?:@[^\s@/"'<>`]{1,512}(?=@)){0,3})
    @(?=[\w\[.$-])""",
    re.VERBOSE,
)
_TOKEN_INFO = re.compile(rb"https?://(?P<v>[\w~.-]{16,200})@")


def find_url_passwords(paste: PasteBytes) -> Iterator[Span]:
    """Yield passwords and tokens in front of the host of an address."""
    if b"://" not in paste.view or b"@" not in paste.view:
        return
    password = SecretKey("password", False)
    for found in _USER_INFO.finditer(paste.view):
        user, value = found["user"], found["v"]
        if looks_random(as_text(user)):
            yield Span(*found.span("user"), "token", user, by_key=True)
        is_example = user.startswith(b"user") and value in (b"pass", b"password")
        is_secret = value != b"x-oauth-basic" and not is_example
        if is_secret and is_secret_value(as_text(value), password, "", "quoted"):
            yield Span(*found.span("v"), "password", value, by_key=True)
    for found in _TOKEN_INFO.finditer(paste.view):
        if looks_random(as_text(found["v"])):
            yield Span(*found.span("v"), "token", found["v"], by_key=True)


_USER_OPTION = re.compile(
    rb"""(?:-u|--(?:proxy-)?user)(?:[ \t]+|=|(?=[\w'"]))
    (?: (?P<quote>['"])[^\s:'"$]{1,100}:(?P<quoted>[^'"\r\n]+)(?P=quote)
      | [^\s:'"$]{1,100}:(?P<bare>[^\s'"]+) )""",
    re.VERBOSE,
)
_MAX_COMMAND = 1_000


def find_user_options(paste: PasteBytes) -> Iterator[Span]:
    """Yield the password in `curl -u name:password`; `docker run -u 1000:1000` has none."""
    if b"curl" not in paste.view:
        return
    for found in _USER_OPTION.finditer(paste.view):
        command = paste.view[max(0, found.start() - _MAX_COMMAND) : found.start()]
        command = command.replace(b"\\\n", b"  ").replace(b"\\\r\n", b"   ").rpartition(b"\n")[2]
        if b"curl" not in command:
            continue
        start, end = found.span("quoted" if found["quote"] else "bare")
        value = paste.view[start:end]
        if is_secret_value(as_text(value), SecretKey("password", False), "", "quoted"):
            yield Span(start, end, "password", value, by_key=True)


_AT = re.compile(rb"@(?P<domain>[A-Za-z0-9][A-Za-z0-9.-]{2,252})(?P<path>:[~/])?")
_LOCAL = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-"
_FILE_ENDINGS = (b"py", b"so", b"json", b"cc", b"cu", b"cuh", b"cpp", b"txt", b"log", b"md", b"sh")
_NOBODY = (b"git", b"root")


def find_emails(paste: PasteBytes) -> Iterator[Span]:
    """Yield e-mail addresses; `git@github.com`, `root@host` and `user@host:~` are none."""
    view = paste.view
    for found in _AT.finditer(view):
        at = found.start()
        local = view[max(0, at - 64) : at]
        local = local[len(local.rstrip(_LOCAL)) :].lstrip(b".%+-")
        domain = found["domain"].rstrip(b".-")
        start = at - len(local)
        if (
            not local
            or local in _NOBODY
            or found["path"]
            or _is_user_info(view[max(0, at - 300) : at])
        ):
            continue
        if not _is_mail_domain(domain):
            continue
        end = at + 1 + len(domain)
        yield Span(start, end, "email", view[start:end].lower())


def _is_user_info(before: bytes) -> bool:
    """Whether what stands before `@` begins an address: `https://name:password@…`."""
    _, slashes, after = before.rpartition(b"://")
    return bool(slashes) and not any(byte in b"/ \t\r\n\"'<>" for byte in after)


def _is_mail_domain(domain: bytes) -> bool:
    """Whether `domain` can get mail: not `1.2.3`, `manager.py` or `0.5.3.dev`."""
    *_, name, ending = b"", *domain.split(b".")
    return (
        2 <= len(ending) <= 24
        and ending.isalpha()
        and ending not in _FILE_ENDINGS
        and any(chr(byte).isalpha() for byte in name)
    )
