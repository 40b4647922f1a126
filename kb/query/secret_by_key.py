"""A paste in, the secret values of its keys out: `api_key='…'`, `--api-key …`, `비밀번호는 …`.

Linear in the paste: each pattern starts with a literal, and where a candidate turns out harmless
the search goes on inside it, so that nothing hides in the value of something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.query.secret_keys import Context, SecretKey, is_secret_value, read_key
from kb.query.secret_spans import PasteBytes, Span, as_text

__all__ = ["find_flags", "find_keyed", "find_korean"]

# A value: quoted, whatever the quote and however often escaped, or up to the next blank.
_VALUE = r"""
    (?: (?:some|secretstr|secret|bytes|str)\( )? (?: \[[ \t]{0,8} )?
    (?: [bfru]{1,2} (?=\\{0,8}["']) )?
    (?:
        (?P<quote> "{3} | '{3} | \\{0,8}["'`] ) (?P<quoted>[^\r\n]*?) (?<!\\) (?P=quote)
      | \\{0,8}["'`]? (?: (?P<scheme>bearer|basic|digest|token|apikey|negotiate|kakaoak
                            |aws4-hmac-sha256) [ \t]{1,8} )?
        (?P<bare>[^\s"'`]{1,64})
    )
"""
_KEYED = r"""
    (?P<close> \\{0,8}["'`] | ) \]? \*{0,2}
    (?:
        [ \t]*  (?P<sign> => | -> | := | =(?!=) | :(?!:) )  \*{0,2} [ \t]*
      | (?P<pair> [,;]? \s{1,200} \\{0,8}["']? value \\{0,8}["']? [ \t]* [:=] [ \t]* )
      | (?P<comma> ,[ \t]* (?=b?\\{0,8}["']) )
      | (?P<verb> [ \t]+(?:is|was)[ \t]+ )
    )
"""
_WORDS = (
    r"token(?![ ]?[:=][ ]?[\d.]+[\s,])",  # `#token: 370959` stands in every batch line
    *(r"key(?:[_-]?id|s|_b|[_-]data)?", "secret", "passw(?:or)?d", "passphrase"),
    *("_pass(?![a-z])", "_pwd", r"watermark[_-]config", "authorization", "cookie"),
)
_KEYED_PATTERNS = tuple(
    re.compile(f"{word}{_KEYED}{_VALUE}".encode(), re.VERBOSE) for word in _WORDS
)
_MORE_QUOTED = re.compile(rb"[ \t]*,[ \t]*([bfru]?)([\"'])(?P<quoted>[^\r\n\"']*)\2")
_NAME_BYTES = b"abcdefghijklmnopqrstuvwxyz0123456789_.-"
_MAX_NAME = 64
# "API key: …" in a message is `api_key`.
_FIRST_WORD = re.compile(rb"(?:api|access|secret|auth|hf|bearer|private|account|admin|master) \Z")
_SCHEME = re.compile(rb"[A-Za-z][\w-]{2,20}[ \t]+(?=\S)")
_LINE_END = re.compile(rb"[\"'\r\n]|\Z")
# Where an unquoted value ends though no blank follows: the next pair, or Korean words.
_NEXT_PAIR = rb"&(?:amp;)?[\w.-]+=|&&|[,;][A-Za-z_][\w.-]*[=:]|(?<=[\x00-\x7f])[\x80-\xff]"
_VALUE_END = re.compile(_NEXT_PAIR + rb"|[\s\"'`]|\Z")
_TRAILING = b",;.)]}>|&\\ \t"
_NEXT_WORD = re.compile(rb"[ \t]+[a-z\x80-\xff(]")


def find_keyed(paste: PasteBytes) -> Iterator[Span]:
    """Yield the values of keys that say so: `api_key='…'`, `HF_TOKEN=…`, `"password": "…"`."""
    for pattern in _KEYED_PATTERNS:
        at = 0
        while found := pattern.search(paste.folded, at):
            spans = tuple(_keyed_spans(paste, found))
            yield from spans
            # A value that is no secret may hold one: go on at its start.
            group = "bare" if found["bare"] is not None else "quoted"
            at = spans[-1].end if spans else max(found.start(group), found.start() + 1)


def _keyed_spans(paste: PasteBytes, found: re.Match[bytes]) -> Iterator[Span]:
    before = paste.folded[max(0, found.start() - _MAX_NAME) : found.start()]
    kept = len(before) - len(before.rstrip(_NAME_BYTES))
    name_start = found.start() - kept
    name_end = found.start("close")
    if not kept and (first_word := _FIRST_WORD.search(before)):
        name_start -= len(first_word.group())
    name = as_text(paste.raw[name_start:name_end])
    if name.startswith("--"):
        return
    key = read_key(name)
    if key is None or (found["comma"] is not None and not found["close"]):
        return
    if found["bare"] is not None:
        yield from _bare_span(paste, found, key, name, name_start)
        return
    start, end = found.span("quoted")
    by_comma = found["comma"] is not None and not _SCHEME.match(paste.view, start, end)
    context: Context = "prose" if by_comma or found["verb"] is not None else "quoted"
    yield from _quoted_span(paste, start, end, key, name, context)
    if b"[" in paste.folded[name_end:start]:
        at = found.end()
        while more := _MORE_QUOTED.match(paste.folded, at):
            yield from _quoted_span(paste, *more.span("quoted"), key, name, context)
            at = more.end()


def _quoted_span(
    paste: PasteBytes, start: int, end: int, key: SecretKey, name: str, context: Context
) -> Iterator[Span]:
    if key.kind == "cookie" and b"=" not in paste.folded[start:end]:
        return
    scheme = _SCHEME.match(paste.view, start, end) if "uthoriz" in name.lower() else None
    start = scheme.end() if scheme else start
    value = paste.view[start:end].strip()
    start += paste.view[start:end].find(value)
    if is_secret_value(as_text(value), key, name, context):
        yield Span(start, start + len(value), key.kind, value, by_key=True)


def _bare_span(
    paste: PasteBytes, found: re.Match[bytes], key: SecretKey, name: str, name_start: int
) -> Iterator[Span]:
    start, end = found.span("bare")
    folded = paste.folded
    if key.kind == "cookie":
        if b"=" not in folded[start:end]:
            return
        end = _first(_LINE_END, folded, end)
    # A long value is judged by its first characters, a cookie by the whole line.
    value = _value(paste.view, start, end, is_line=key.kind == "cookie")
    sign = folded[found.end("close") : start] if found["sign"] is not None else b""
    is_query = folded[name_start - 1 : name_start] in (b"?", b"&", b";")
    context: Context = "code"
    if found["verb"] is not None:
        context = "prose"
    elif found["scheme"] is not None or is_query or found["pair"] is not None:
        context = "quoted"
    elif "uthoriz" in name.lower():
        context = "prose"
    elif name.isupper() and not found["close"] and b" =" not in sign and b"= " not in sign:
        context = "variable"
    if found["scheme"] is not None and value.isalpha() and "uthoriz" not in name.lower():
        return  # `api_key=token or None`
    if b":" in sign and found["scheme"] is None:
        # "password: required by …" is a sentence, "password: hunter" a line of YAML
        if value.isalpha() and _NEXT_WORD.match(folded, start + len(value)):
            return
        context = "code" if context == "variable" and value.isalpha() else context
    if is_secret_value(as_text(value), key, name, context):
        if key.kind != "cookie":
            value = _value(paste.view, start, len(folded))
        yield Span(start, start + len(value), key.kind, value, by_key=True)


def _value(view: bytes, start: int, end: int, *, is_line: bool = False) -> bytes:
    """Return the unquoted value that begins at `start`, without what closes the text around it."""
    found = None if is_line else _VALUE_END.search(view, start + 1, end)
    return view[start : found.start() if found else end].rstrip(_TRAILING)


def _first(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    found = pattern.search(text, at)
    return found.start() if found else len(text)


_FLAG = re.compile(
    rf"""
    --(?<![\w-]--) (?P<name>[a-z0-9][a-z0-9_.-]{{0,60}}[a-z0-9]) (?P<close> \\{{0,8}}["'`] | )
    (?P<separator>
        = | [ \t]+ (?: \\[ \t]*\r?\n[ \t]* )? | ,\s{{1,200}} | [ \t]*\\[ \t]*\r?\n[ \t]*
      | [ \t]*\r?\n[ \t]*-[ \t]+ | ,(?=["'])
    )
    {_VALUE}
    """.encode(),
    re.VERBOSE,
)


def find_flags(paste: PasteBytes) -> Iterator[Span]:
    """Yield the values of `--api-key X`, `--api-key=X`, `'--api-key', 'X'` and their like."""
    folded = paste.folded
    at = 0
    while found := _FLAG.search(folded, at):
        at = found.end("name")
        name = as_text(paste.raw[found.start() : at])
        key = read_key("--" + name.lstrip("-–— "))
        if key is None:
            continue
        if found["quoted"] is not None:
            start, end = found.span("quoted")
            value = paste.view[start:end]
            if not value.startswith(b"--") and is_secret_value(as_text(value), key, name, "quoted"):
                yield Span(start, end, key.kind, value, by_key=True)
                at = end
            continue
        separator = found["separator"]
        if separator[:1] == b"," or (found["close"] and b"\n" not in separator):
            continue  # "`--api-key` is required", `add_argument("--api-key", type=str)`
        start, end = found.span("bare")
        value = _value(paste.view, start, end)
        if b" " in separator and value.isalpha() and _NEXT_WORD.match(folded, start + len(value)):
            continue  # "--api-key protects all routes"
        if is_secret_value(as_text(value), key, name, "flag"):
            value = _value(paste.view, start, len(folded))
            at = start + len(value)
            yield Span(start, at, key.kind, value, by_key=True)


_KOREAN_KEYS = (
    "api키",
    "api 키",
    "인증키",
    "인증 키",
    "접근 키",
    "액세스 키",
    "비밀 키",
    "시크릿 키",
)
_KOREAN: tuple[tuple[bytes, re.Pattern[bytes], SecretKey], ...] = tuple(
    (
        word.encode(),
        re.compile(
            f"{word}(?:는|은|이|가|를|을)?(?:\\s?[:=]\\s{{0,4}}|\\s)[\"'`]?(?P<v>[!-~]+)".encode()
        ),
        key,
    )
    for key, words in (
        (SecretKey("password", False), ("비밀번호", "패스워드", "비번", "암호")),
        (SecretKey("api-key", False), _KOREAN_KEYS),
        (SecretKey("token", True), ("토큰",)),
    )
    for word in words
)


def find_korean(paste: PasteBytes) -> Iterator[Span]:
    """Yield what a person gives away in Korean: `비밀번호는 …이에요`."""
    if paste.view.isascii():
        return
    for word, pattern, key in _KOREAN:
        if word not in paste.folded:
            continue
        for found in pattern.finditer(paste.folded):
            start = found.start("v")
            value = paste.view[start : found.end()].rstrip(_TRAILING + b"\"'`")
            if is_secret_value(as_text(value), key, "", "prose"):
                yield Span(start, start + len(value), key.kind, value, by_key=True)
