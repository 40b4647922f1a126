"""The name of a key and its value in, "is it a secret" out: `api_key=…` yes, `max_tokens=…` no."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from kb.query.secret_forms import SecretKind, looks_random

__all__ = ["Context", "SecretKey", "is_secret_value", "read_key"]

Context = Literal[
    "flag",  # `--api-key VALUE`: what follows is the value, whatever it looks like
    "quoted",  # `api_key='VALUE'`
    "variable",  # `HF_TOKEN=VALUE`, unquoted
    "code",  # `api_key=VALUE`, unquoted: a value, or the name of a variable in a line of code
    "prose",  # `the password is VALUE`, `("HF_TOKEN", "VALUE")`: only what looks made up
]


@dataclass(frozen=True, slots=True)
class SecretKey:
    """What the name of a key says about its value."""

    kind: SecretKind
    is_weak: bool  # often no secret (`token`): only a value that looks made up counts


# Names are compared in lower case, without `-`, `_`, `.` and blanks.
_API_KEYS = (
    *("apikey", "apikeys", "accesskey", "accesskeyid", "sharedkey", "accountkey", "authkey"),
    *("subscriptionkey", "licensekey", "adminkey", "masterkey"),
)
_SECRETS = (
    *("secret", "secretkey", "secretaccesskey", "encryptionkey", "signingkey"),
    # SGLang's text watermark: who has the key can remove the mark
    *("watermarkkey", "watermarkkeyb", "watermarkconfig"),
)
_PASSWORDS = ("password", "passwd", "passphrase")
_PRIVATE_KEYS = ("privatekey", "privatekeyid", "clientkeydata")
# What stands before `token` in the name of a credential …
_CREDENTIAL_TOKEN = re.compile(
    r"(?:access|auth|bearer|refresh|session|secret|security|private|personal|huggingface"
    r"|(?:^|_)(?:api|hf|hub|github|gh|gitlab|slack|deploy|csrf|xsrf|modelscope|ms|admin|jwt|id"
    r"|replicate|wandb|npm|pypi|vault|consul|service|account|registration|runner|oauth|login"
    r"|webhook|telegram|discord|kube|join|cluster|client|registry|docker|notebook|jupyter))_?token"
)
# … and of a piece of text.
_TEXT_TOKEN = re.compile(
    r"(?:^|_)(?:eos|bos|pad|unk|mask|sep|cls|stop|end|start|begin|image|img|video|audio|speech|vision"
    r"|special|draft|max|min|num|new|first|next|last|prev|per|think|thinking|reasoning|tool|call"
    r"|input|output|prompt|completion|cached|decode|prefill|accept|accepted|verify|bonus|sampled"
    r"|placeholder|mm|media|extra|added|batch|total|avg|each|one|single|invalid|unexpected|null"
    r"|boi|eoi|eot|eom|fim|publickey|newline|separator|header|role|user|assistant|system|stored|expected|field)"
    r"_?token$"
)
_DIVIDED = re.compile(r"[-. ]+")
_SQUASHED = re.compile(r"[-_. ]+")
_NO_PASSWORD = re.compile(
    r"(?:PER|HAS|NUM|MAX|IS|ONE|TWO|FIRST|SECOND|LAST|FORWARD|BACKWARD)_PASS$"
)
_NO_SECRET_KEY = re.compile(
    r"(?:cache|hash|primary|foreign|public|sort|routing|partition|object|group|registry)key"
)


def read_key(name: str) -> SecretKey | None:
    """Return what `name` (as written, dashes in front included) keeps; None: nothing secret."""
    squashed = _SQUASHED.sub("", name.lower())
    is_upper = name.isupper()
    is_flag = name.startswith("--")
    if squashed.endswith(_PASSWORDS):
        return SecretKey("password", False)
    if squashed.endswith(_SECRETS):
        return SecretKey("secret", False)
    if squashed.endswith(_API_KEYS):
        return SecretKey("api-key", False)
    if squashed.endswith(_PRIVATE_KEYS):
        return SecretKey("private-key", False)
    if squashed.endswith("authorization"):
        return SecretKey("token", False)
    if squashed.endswith("token"):
        divided = _DIVIDED.sub("_", name.lower())
        is_text = _TEXT_TOKEN.search(divided) is not None
        is_credential = _CREDENTIAL_TOKEN.search(divided) is not None
        return SecretKey("token", is_text or not (is_credential or is_upper or is_flag))
    if squashed.endswith("cookie"):
        return SecretKey("cookie", False)
    if is_upper and "_" in name:
        if name.endswith(("_PASS", "_PWD")) and not _NO_PASSWORD.search(name):
            return SecretKey("password", False)
        if name.endswith("_KEY") and not _NO_SECRET_KEY.search(squashed):
            return SecretKey("api-key", True)
    return None


# --- values ---

_NOTHING = frozenset(
    (
        *("none", "null", "nil", "undefined", "true", "false", "empty", "unset", "na", "n/a"),
        *("redacted", "masked", "hidden", "filtered", "secretstr", "string", "str", "bytes"),
        *("optional", "required", "missing", "token", "apikey", "api_key", "api-key"),
        *("auth", "authentication", "authorization", "credentials"),
    )
)
_REFERENCE = re.compile(
    r"""
    \$[A-Z_][A-Z0-9_]*                       # $HF_TOKEN
    | \$[a-z_]*(?:key|token|pass|secret)\w*  # $api_key
    | \$\{.* | \$\(.* | \$\$?\w* :\w+         # ${HF_TOKEN}, $(cat …), $env:HF_TOKEN
    | %\w+%? | %\(\w+\)s                     # %HF_TOKEN%, %s
    | \{\{.* | \{[\w.\[\]'"()!]*\}?           # {{ .Values.key }}, {api_key}
    | [A-Za-z-]{1,12}[ ]\{[^{}]*\}           # Api-Key {key}
    | <[^<>]*>? | \[[A-Za-z _-]*\]?          # <your token>, [REDACTED]
    | [*xX.•·…_#?-]+                         # ***, xxxx
    | (?:[A-Za-z]{1,8}[-_])?[*xX.•…]{3,}     # hf_xxx, sk-...
    | [A-Za-z]{1,5}[-_]                      # the same, its dots taken for the end of a sentence
    | (?i:(?:your|insert|enter|paste|replace|put|fill)[-_ a-z0-9]*)
    """,
    re.VERBOSE,
)
_ALREADY_MASKED = re.compile(r"\*{3,}|\.{3}|…|•{3,}|x{6,}|X{6,}")
_MAX_SHOWN = 12  # characters left by somebody's own masking, as in `hf_****abcd`
_NUMBER = re.compile(r"[-+]?[\d,]+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
_MADE_UP = re.compile(r"[A-Za-z0-9_\-/+=~:!@#$%^&*]+")
_TOKEN = re.compile(r"[A-Za-z0-9_\-.~+/=:;@!#$%^&*?,]{5,}")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=[^=]")
_PARTS = re.compile(r"[-_/+=~:!@#$%^&*.]")
_CODE = re.compile(
    r"""
    [A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*[(\[].*             # os.environ["…"], get_key(…)
    | [A-Za-z_]+(?:\.[A-Za-z_]+)+                      # args.api_key
    | (?:str|bytes|int|bool|float|dict|list|tuple|Optional|Union|Any|Literal|Annotated|Callable
        |Field|type|String|Secret|SecretStr|object)\b.*
    | _*(?:[a-z]+_)*(?:api_?key|key|token|password|passwd|pwd|secret|value|auth|config
        |cred(?:ential)?s?|v|k|x|s|t|p|pw|val|tok)_?                     # the name of a variable
    | [A-Z]+(?:_[A-Z]+)+                               # a constant
    | [A-Za-z_]*(?:Token|Key|Password|Secret)s?        # the name of a class
    | [({\[<!=|&?;,%:/*+].*
    | (?:not|must|should|cannot|is|was|lambda|await|self|cls|if|or|and)
    """,
    re.VERBOSE,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What follows a key and a colon in a message about it, as in `api_key: invalid`.
_STATUS = _words(
    "invalid incorrect wrong expired denied failed error not no yes ok valid provided found unknown"
    " unauthorized forbidden disabled enabled on off set present absent unchanged same must read"
    " write admin"
)
_ATTRIBUTE = re.compile(r"(?:self|cls|args|cfg|config|settings|os|env|server_args)\.[a-z]")
_HTTP_ERROR = re.compile(r"[45]\d\d")  # "--api-key 401 Unauthorized"
# Words after `--api-key` in a sentence about the flag.
_SENTENCE = _words(
    "to is and or in for flag flags option argument arg with was not if when must should on as the"
    " parameter value requires required has can cannot will does from set given only are you we at"
    " but so then value: (e.g. ="
)


def is_secret_value(value: str, key: SecretKey, name: str, context: Context) -> bool:
    """Whether `value` is a secret under `name`: no reference, no mask, no number of tokens."""
    value = value.strip()
    if not any(map(str.isalnum, value)) or (key.is_weak and _ASSIGNMENT.match(value)):
        return False
    if value.lower() in _NOTHING or _REFERENCE.fullmatch(value):
        return False
    if _is_metavariable(value, name):
        return False
    masked = _ALREADY_MASKED.search(value)
    if masked and len(value) - len(masked.group()) <= _MAX_SHOWN:
        return False
    if key.kind == "token" and "uthoriz" not in name.lower() and not _is_issued(value):
        return False
    if key.is_weak or context == "prose":
        least = 6 if context == "prose" and not key.is_weak else 16
        return bool(_MADE_UP.fullmatch(value)) and _is_made_up(value, least)
    if context == "flag":
        in_sentence = value.lower() in _SENTENCE or _HTTP_ERROR.fullmatch(value)
        return not in_sentence and not value.startswith("-") and value[0].isascii()
    if context == "code":
        return not _CODE.fullmatch(value) and value.lower() not in _STATUS
    if context == "variable" and _ATTRIBUTE.match(value):
        return False
    return not (value.startswith(("/", "./", "~/")) and name.endswith("_PWD"))


def _is_issued(value: str) -> bool:
    """Whether `value` can be a token somebody issued: no number of tokens, no piece of text."""
    return bool(_TOKEN.fullmatch(value)) and not _NUMBER.fullmatch(value)


def _is_made_up(value: str, least: int) -> bool:
    if least < 16:
        return len(value) >= least and any(char.isdigit() for char in value)
    # Names of models, flags and files have digits too, but no long part in which they are mixed.
    return (
        len(value) >= least
        and value.count("/") < 2
        and any(looks_random(part, 8) for part in _PARTS.split(value))
    )


def _is_metavariable(value: str, name: str) -> bool:
    """Whether `value` is the name once more: `--api-key API_KEY` in a usage text."""
    bare = _DIVIDED.sub("_", value.strip("[]()., ").lower())
    return len(bare) >= 3 and _DIVIDED.sub("_", name.lower()).endswith(bare)
