"""The server's table of secrets in, the patterns out that the widget masks by, in JavaScript.

What keys of providers look like is the server's own table, `kb.query.secret_forms`. What the name
of a key gives away is told by the same rules as `kb.query.secret_keys`, in short: the planted set
of the tests holds both to the same values. Each pattern is linear, as those of the server are.
"""

from __future__ import annotations

import re

from kb.query.secret_forms import FORMS, PREFIXES

__all__ = ["PATTERNS", "PLAIN", "as_javascript"]

_PREFIXED = "|".join(pattern for _, patterns in PREFIXES for pattern in patterns)
_PEM = r"-----BEGIN [A-Z\d ]*PRIVATE KEY(?: BLOCK)?-----"
_WORDS = (
    r"token(?! ?[:=] ?[\d.]+[\s,])|key(?:[_-]?id|s|_b|[_-]data)?|secret|passw(?:or)?d|passphrase"
    r"|_pass(?![a-z])|_pwd|watermark[_-]config|authorization|cookie"
)
_TEXT = (
    "[ebu]os|pad|unk|mask|sep|cls|stop|end|start|begin|image|video|audio|special|draft|max|min|num"
    "|new|first|next|last|per|think|input|output|prompt|cached|decode|prefill|mm|total|user|system"
    "|role"
)
_ISSUED = (
    r"access|auth|bearer|refresh|session|secret|security|private|personal|api|hf|hub|git\w+|slack"
    "|modelscope|admin|jwt|id|replicate|wandb|npm|pypi|vault|service|account|login|client|registry"
    "|docker"
)
_STATUS = (
    "invalid|incorrect|wrong|expired|denied|failed|error|not?|yes|ok|valid|provided|found|unknown"
    "|unauthorized|forbidden|disabled|enabled|on|off|set|present|absent|unchanged|same|must|read"
    "|write|admin"
)
_SENTENCE = (
    r"to|is|and|or|in|for|flags?|option|arg\w*|with|was|not|if|when|must|should|on|as|the|value:?"
    r"|requires?d?|has|can\w*|will|does|from|set|given|only|are|you|we|at|but|so|then|[(=].*"
    r"|[45]\d\d"
)

_END = r"&(?:amp;)?[\w.-]{1,64}=|&&|[,;][A-Za-z_][\w.-]{0,64}[=:]|(?<=[ -~])[^ -~]"

# What the escapes stand for; those that are not here, for nothing.
PLAIN = {
    r"\u0022": '"',
    r"\u0027": "'",
    r"\u0026": "&",
    r"\u003d": "=",
    r"\u003c": "<",
    "&quot;": '"',
    "&#34;": '"',
    "&#39;": "'",
    "&amp;": "&",
    "：": ":",
    "＝": "=",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
}
# Name → pattern and flags. Group `v` is a quoted value or what a form hides, `w` an unquoted one.
PATTERNS: dict[str, tuple[str, str]] = {
    "key": (
        rf"(?:{_WORDS})(?<c>\\{{0,8}}[\"'`]|)\]?\*{{0,2}}(?:"
        r"[ \t]*(?<sign>[=:-]>|:=|=(?!=)|:(?!:))\*{0,2}[ \t]*"
        r"|(?<pair>[,;]?\s{1,200}\\{0,8}[\"']?value\\{0,8}[\"']?[ \t]*[:=][ \t]*)"
        r"|(?<comma>,\s{0,200}(?:-\s{0,9})?(?=b?\\{0,8}[\"']))"
        r"|(?<verb> +(?:is|was) +)"
        r"|(?<gap>[ \t]+(?:\\[ \t]*\r?\n[ \t]*)?|\s*\n\s*- +))"
        r"(?:(?:some|secretstr|secret|bytes|str)\()?(?:\[ *)?(?:[bfru](?=\\{0,8}[\"']))?(?:"
        r"(?<q>\"\"\"|'''|\\{0,8}[\"'`])(?<v>[^\r\n]*?)(?<!\\)\k<q>"
        r"|(?:(?<scheme>bearer|basic|digest|token|apikey|negotiate|kakaoak)[ \t]+)?"
        r"(?<w>[^\s\"'`]{1,64}))",
        "gi",
    ),
    # Further items of a list that is a key's value.
    "more": (r"\s*,\s*[bfru]?([\"'])(?<v>[^\r\n\"']*)\1", "y"),
    "name": (
        r"(?:(?:api|access|secret|auth|hf|bearer|private|account|admin|master) |[\w.–—-]*)$",
        "i",
    ),
    "word": (r"^[a-z_]+(?:[_-](?:id|data|config))?", "i"),
    # Of names without `-`, `_`, `.` and blanks: what they keep is a secret, whatever it looks like.
    "strong": (
        r"(?:(?:api|access|shared|account|auth|subscription|license|admin|master|secret|encryption"
        r"|signing|watermark)keys?(?:id|b)?|secret|watermarkconfig|passwo?r?d|passphrase"
        r"|privatekey(?:id)?|clientkeydata|authorization|cookie)$",
        "",
    ),
    "text": (rf"(?:^|[_-])(?:{_TEXT})[_-]?token$", "i"),
    "issued": (rf"(?:{_ISSUED})[-_ ]?token$", "i"),
    "nothing": (
        r"^(?:none|null|nil|undefined|true|false|empty|unset|n\/?a|redacted|masked|hidden|filtered"
        r"|secretstr|string|str|bytes|optional|required|missing|token|api[_-]?key|auth\w*"
        r"|credentials|\$[A-Z_][A-Z\d_]*|\$[a-z_]*(?:key|token|pass|secret)\w*|\$[{(].*|\$\w*:\w+"
        r"|%\w+%?|%\(\w+\)s|\{\{.*|\{[\w.[\]'\"()!]*\}?|[\w-]+ \{[^{}]*\}|<[^<>]*>?|\[[a-z _-]*\]?"
        r"|[^a-z\d\x80-\uffff]*|[*x•·…_#?-]+|[a-z]{1,5}[-_]"
        r"|(?:your|insert|enter|paste|replace|put|fill)[-_ a-z\d]*"
        r"|.{0,12}(?:\*{3,}|\.{3,}|…|•{3,}|x{6,}).{0,9})$",  # masked by somebody else
        "i",
    ),
    "code": (
        r"^(?:[a-z_]\w*(?:\.[a-z_]\w*)*[([].*|[a-z_]+(?:\.[a-z_]+)+|(?:str|bytes|int|bool|float"
        r"|dict|list|tuple|optional|union|any|literal|annotated|callable|field|type|string|secret"
        r"|secretstr|object)\b.*|_*(?:[a-z]+_)*(?:api_?key|key|token|passwo?r?d|pwd|secret|value"
        r"|auth|config|creds?|credentials?|[vkxstp]|pw|val|tok)_?|[a-z]*(?:token|key|password"
        rf"|secret)s?|[({{[<!=|&?;,%:/*+].*|should|cannot|is|was|lambda|await|self|cls|if|or|and"
        rf"|{_STATUS})$|^[A-Z]+(?:_[A-Z]+)+$",
        "i",
    ),
    "sentence": (rf"^-|^[^ -~]|^(?:{_SENTENCE})$", "i"),
    # From where an unquoted value starts: the whole of it, and of a cookie's.
    "whole": (rf"(?:(?!{_END})[^\s\"'`])+", "y"),
    "line": (r"[^\"'\r\n]+", "y"),
    "attribute": (r"^(?:self|cls|args|cfg|config|settings|os|env|server_args)\.[a-z]", ""),
    # Where an unquoted value ends though no blank follows, and what closes the text around it.
    "end": (rf"(?<=.)(?:{_END})", ""),
    "closing": (r"[,;.)\]}>|&\\ \t\"'`]+$", ""),
    "following": (r"^[ \t]+[a-z\x80-\uffff(]", ""),
    # Names of models, flags and files have digits too, but no long part in which they are mixed.
    "random": (
        r"^(?=.{16})(?!.*\/.*\/)(?:.*[-_/+=~:!@#$%^&*.])?(?=[a-z\d]{8})(?=[a-z]*\d[a-z]*\d)"
        r"(?=\d*[a-z]\d*[a-z])",
        "i",
    ),
    "made": (r"^(?![-+\d,.e]+$)[\w\-.~+/=:;@!#$%^&*?,]{5,}$", "i"),
    # Colours and escapes as JSON and HTML write them, and typographic quotes.
    "escape": (
        r"\x1b\[[\d;?]*[ -/]*[@-~]|\\(?:[nrt]|u00(?:2[267]|3[cd]))|&(?:quot|#34|#39|amp);"
        r"|[\xa0：＝“”‘’]",
        "g",
    ),
    # --- forms, all of them named `form…` ---
    "form_prefixed": (
        rf"(?<![\w-]|%(?=[\dA-F]{{2}}))(?:%[\dA-F]{{2}})?(?<v>(?=[\w-]*[A-Z\d])(?:{_PREFIXED}))",
        "g",
    ),
    "form_korean": (
        r"(?:비밀번호|패스워드|비번|암호|(?:api|인증|접근|액세스|비밀|시크릿) ?키|토큰)"
        r"[는은이가를을]?(?:\s?[:=]\s{0,4}|\s)[\"'`]?"
        r"(?<v>(?=[!-~]{0,99}\d)(?=[!-~]{0,99}[a-z])[!-~]{5,}[\w!?@#$%^*=+-])",
        "gi",
    ),
    "form_pem": (
        rf"{_PEM}(?<v>(?=[^]{{0,200}}?[\w+/=]{{16}})(?:(?!-----BEGIN)[^]){{1,32000}}?)"
        "(?=-----END )",
        "g",
    ),
    # Its end was cut off: lines go on as long as they look like a key.
    "form_cut": (
        rf"{_PEM}(?<v>\s+(?:[^\n]{{0,160}}?[\w+/=]{{16,}}[ \t\r]*(?:\n|$)){{1,400}}"
        r"(?:[a-z+/=]*\d[\w+/=]*(?=\s))?)",
        "gi",
    ),
    "form_user": (
        r":\/\/(?!user:pass)[^\s/:@[\"'<>`\\]{0,200}:"
        r"(?<v>[^\s/\"'<>`]{1,512}|(?!\d{1,5}\/)[^\s@\"'<>`]{1,512}"
        r"(?:@[^\s@/\"'<>`]{1,512}(?=@)){0,3})@(?=[\w[.$-])",
        "g",
    ),
    "form_name": (
        r":\/\/(?<v>(?=[a-z]*\d[a-z]*\d)(?=\d*[a-z]\d*[a-z])[^\s/:@[\"'<>`\\]{16,200})"
        r":[^\s/\"'<>`]{0,512}@",
        "gi",
    ),
    "form_url": (r"https?:\/\/(?<v>(?=\w*\d)[\w~.-]{16,200})@", "g"),
    "form_curl": (
        r"\bcurl\b(?:[^\n]|\\\r?\n){0,500}?\s(?:-u|--(?:proxy-)?user)[ \t=]*(?:(?<q>['\"])"
        r"[^\s:'\"$]{1,100}:(?<v>[^'\"\n]+)\k<q>|[^\s:'\"$]{1,100}:(?<w>[^\s'\"]+))",
        "g",
    ),
    "form_email": (
        r"(?<![\w.%+-])(?!(?:git|root)@)(?<v>[\w.%+-]{1,64}@(?![\w.-]*:[~/])(?:[A-Za-z\d-]+\.)+"
        r"(?!(?:py|so|json|cc|cuh?|cpp|txt|log|md|sh)\b)[A-Za-z]{2,24}\b)",
        "g",
    ),
}


def as_javascript(pattern: bytes) -> str:
    """Return one of the server's patterns as JavaScript writes it."""
    return re.sub(r"\(\?P<", "(?<", pattern.decode("ascii"))


PATTERNS |= {
    f"form_{number}": (as_javascript(form.pattern.pattern), "gi" if form.any_case else "g")
    for number, form in enumerate(FORMS)
}
