"""A paste in, the templates of its error lines out: what failed, and nothing about whose it was.

First secrets, addresses and e-mails are masked as everywhere; then of the lines that a program
printed about trouble, everything that can differ between two users becomes `…`: what is quoted,
paths, URLs, names with a slash, numbers and words with digits in them.
"""

from __future__ import annotations

import re

from kb.query.log_lines import LogLine, Role
from kb.query.paste import read_paste
from kb.query.redaction import redact

__all__ = ["MAX_LINES", "MAX_LINE_CHARS", "as_paste", "signature_lines"]

MAX_LINES = 6  # kept of one paste
MAX_LINE_CHARS = 200
# Reading takes time; what decides stands at the beginning or at the end of a very long log.
MAX_READ_CHARS = 1_000_000
_MAX_TRIED = 200  # lines of trouble that are looked at, of those that differ in more than digits
_MAX_LINE_READ = 600  # characters of one
_MIN_WORDS = 2  # a template with fewer says nothing

# Attributes, arguments and modules are names in a program, and tell failures apart.
_CODE_NAME = re.compile(
    r"\b(?:attribute|argument|named|module|name|operator|symbol) '(?!_*\d)[A-Za-z_.]{1,80}'"
    r"|'[A-Za-z_]{1,80}'(?= object\b)"
)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|“[^”]*”|‘[^’]*’")
_OPEN_QUOTE = re.compile(r"(?<![A-Za-z])['\"`“‘].*")  # the line is cut, or quotes differ
_OBJECT = re.compile(r"\{.*\}|\{.*")
_LIST = re.compile(r"\[[^\[\]]{0,400}\]")
_PLACEHOLDER = re.compile(r"<[^<>]{0,200}>")
_URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{1,15}://\S+")
_PATH = re.compile(r"\S*[/\\@]\S*")  # also `org/model` and what is left of an address
_WORD_WITH_DIGIT = re.compile(r"[\w.:+%-]*\d[\w.:+%-]*")
# Number formats, architectures and GPUs: part of what failed.
_KEPT = re.compile(
    r"(?:fp|bf|u?int)(?:4|8|16|32|64)|float(?:8|16|32|64)(?:_e\dm\d(?:fn|fnuz)?)?|e[2345]m[0-3]"
    r"|w[48]a(?:4|8|16)|sm_?\d{2,3}a?|[ABHL]\d{2,3}|MI\d{3}X?|p2p|utf-8",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(r"(?<=[A-Za-z_])=[^\s,;)…]+")
_GAPS = re.compile(r"…(?:[\s.,:;|x*+=_-]*…)+")
_A_PERSON = re.compile(r"\?|\b(?:I|I'm|my|our|me|hi|hello|thanks)\b", re.IGNORECASE)


# Roles of lines that people do not write; without any, a paste is somebody's words.
_PROGRAM_ROLES: tuple[Role, ...] = (
    "exception",
    "header",
    "frame",
    "stage",
    "batch",
    "config",
    "command",
    "access",
    "progress",
)
_TROUBLE_ROLES: tuple[Role, ...] = ("exception", "error", "warning")
_LOGGED = re.compile(r":\s\S|[=\[\]…]|^(?:ERROR|CRITICAL|FATAL|WARN)")
_A_PROGRAM = "python3 -m sglang.launch_server"


def as_paste(lines: tuple[str, ...]) -> str:
    """Return templates as a text that `signature_lines` reads as the same templates."""
    return "\n".join((_A_PROGRAM, *lines)) if lines else ""


def signature_lines(paste: str) -> tuple[str, ...]:
    """Return at most `MAX_LINES` distinct templates, exceptions first, `…` for what varies.

    () where no program speaks.
    """
    if len(paste) > MAX_READ_CHARS:
        half = MAX_READ_CHARS // 2
        paste = f"{paste[:half].rpartition(chr(10))[0]}\n{paste[-half:].partition(chr(10))[2]}"
    read = read_paste(paste)
    if not any(line.is_sglang or line.role in _PROGRAM_ROLES for line in read.lines):
        return ()
    lines = [line for role in _TROUBLE_ROLES for line in read.of_role(role) if _is_printed(line)]
    if read.last_step:  # a server that hangs prints no error
        lines.append(read.last_step)
    # Of the whole paste nothing but these lines goes on, so only they are masked. A value that a
    # key elsewhere gives away has a digit in it, and so is masked below.
    texts = "\n".join(line.text[:_MAX_LINE_READ].replace("\n", " ") for line in lines[:_MAX_TRIED])
    kept: list[str] = []
    for text in redact(texts, addresses=True).text.split("\n"):
        template = _template(text)
        if template and template not in kept:
            kept.append(template)
            if len(kept) == MAX_LINES:
                break
    return tuple(kept)


def _is_printed(line: LogLine) -> bool:
    """Whether a program printed the line; people write of errors too, and not only in Hangul."""
    letters = line.text.replace("…", "")
    if not letters.isascii():
        return False
    if line.is_sglang or line.role == "exception":
        return True
    return bool(_LOGGED.search(line.text)) and not _A_PERSON.search(letters)


def _template(text: str) -> str:
    """Return the line with `…` for what varies, "" where too little is left."""
    names: list[str] = []

    def keep(name: re.Match[str]) -> str:
        names.append(name[0])
        return f"\0{chr(0xE000 + len(names) - 1)}\0"

    text = " ".join(text[:_MAX_LINE_READ].replace("\0", "").split())
    text = _CODE_NAME.sub(keep, text)
    for pattern in (_QUOTED, _OPEN_QUOTE, _OBJECT, _LIST, _PLACEHOLDER, _URL, _PATH, _ASSIGNED):
        text = pattern.sub("=…" if pattern is _ASSIGNED else "…", text)
    text = _WORD_WITH_DIGIT.sub(_word, text)
    text = re.sub(r"\0(.)\0", lambda mark: names[ord(mark[1]) - 0xE000], text)
    text = _GAPS.sub("…", text)
    if len(text) > MAX_LINE_CHARS:
        text = text[: MAX_LINE_CHARS - 1].rpartition(" ")[0] + "…"
    text = text.strip(" .,;")
    return text if len(re.findall(r"[A-Za-z]{3,}", text)) >= _MIN_WORDS else ""


def _word(found: re.Match[str]) -> str:
    word = found[0]
    tail = word[len(word.rstrip(".:,")) :]
    return word if _KEPT.fullmatch(word.rstrip(".:,")) else f"…{tail}"
