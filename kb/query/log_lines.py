"""One line of a paste in, its text without prefixes, its rank and its role out.

Prefixes are those that SGLang's releases print and those that containers, Kubernetes, Ray, Slurm,
grep and other loggers put in front. A line that fits no form is kept whole.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["LogLine", "Role", "is_remark", "is_report", "read_line", "without_colours"]

Role = Literal[
    "exception",  # `torch.OutOfMemoryError: …`, also C++ and argparse errors
    "error",  # says that something failed, without being an exception's last line
    "warning",
    "header",  # `Traceback (most recent call last):` and its kin
    "frame",  # a stack frame of a traceback, faulthandler or py-spy
    "code",  # source under a frame, carets
    "stage",  # SGLang says which step of the start it is at
    "batch",  # `Prefill batch`, `Decode batch`
    "config",  # `server_args=…`, environment dumps
    "command",  # starts a server
    "access",  # a request that went through
    "progress",  # a progress bar
    "prose",  # somebody's words
    "other",
    "blank",
]


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the paste; `number` is 1-based and counts every line of it."""

    number: int
    text: str  # without prefixes, colours and trailing blanks; inner blanks kept
    role: Role
    rank: str  # "TP0 EP0", "rank4", "" where the line names none
    is_sglang: bool  # carries SGLang's own prefix


_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\n]*\x07|\x1b[@-_]")

# In front of the program's own line; tried in order, again and again until none fits.
_OUTER_PREFIXES = tuple(
    re.compile(pattern)
    for pattern in (
        # grep -n: `server.log:5739:`
        r"[\w./-]{1,200}\.(?:log|txt|out|err):\d{1,9}:\s?",
        # docker compose: `sglang-1  | `
        r"[\w.-]{1,80}\s{0,40}\|(?:\s|$)",
        # container runtime: `2025-07-25T07:53:08.21+08:00 stdout F `
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\s+"
        r"(?:(?:stdout|stderr)\s+[FP]\s)?",
        # Ray: `(SGLangEngine pid=3872176, ip=10.0.0.1) `
        r"\((?:[\w.:<>-]{1,80}\s+)?pid=\d{1,9}(?:,\s*ip=[\w.:]{1,60})?\)\s?",
        # kubectl logs --prefix: `[pod/name/container] `
        r"\[pod/[^\]]{1,200}\]\s",
        # srun -l: `3: `
        r"\d{1,4}:\s(?=\S)",
        # journald and syslog: `Nov 30 13:00:00 host name[123]: `
        # a prefix of SGLang's own cut by the copying: `TP0] `; its first releases: `[gpu=0] `
        r"(?:(?:DP|PP|TP|EP)\d{1,4}\s?){1,4}\]\s|\[gpu(?:_id)?=\d{1,3}\]\s",
        r"[A-Z][a-z]{2}\s+\d{1,2}\s\d\d:\d\d:\d\d\s[\w.-]{1,80}\s[\w./@-]{1,80}(?:\[\d{1,9}\])?:\s",
    )
)
_SGLANG_PREFIX = re.compile(  # the opening bracket is often lost in the copying
    r"\[?(?P<ts>(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d(?:[.,]\d{1,6})?)"
    r"(?P<ranks>(?:\s(?:DP|PP|ATTN_CP|ATTN_TP|ATTN_DP|MOE_DP|MOE_EP|TP|EP|CP)\d{1,4})*)\]\s?"
)
_INNER_PREFIXES = tuple(
    re.compile(pattern)
    for pattern in (
        # PyTorch: `[rank4]:[E219 10:36:52.051413081 ProcessGroupNCCL.cpp:1595] [PG ID 2 …]`
        r"\[(?P<rank>rank\d{1,5})\]:\s?",
        r"\[[EWIF]\d{3,4}\s\d\d:\d\d:\d\d\.\d{1,9}\s[\w./-]{1,120}:\d{1,6}\]\s?",
        # glog (Mooncake): `E1219 10:38:57.898806 14747 tcp_transport.cpp:480] `
        r"[EWIF]\d{4}\s\d\d:\d\d:\d\d\.\d{1,9}\s+\d{1,9}\s[\w./-]{1,120}:\d{1,6}\]\s?",
        # Python logging: `2025-01-01 12:00:00,123 - name - `, `INFO 02-11 10:59:21 x.py:1] `
        r"\[?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?\s*(?:[-|:]\s*)?",
        r"(?:INFO|DEBUG|WARNING|ERROR|CRITICAL)\s\d\d-\d\d\s\d\d:\d\d:\d\d\s"
        r"(?:\[[\w./-]{1,120}:\d{1,6}\]|[\w./-]{1,120}:\d{1,6}\])\s?",
        r"\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?\s+(?=\S)",
    )
)
_NCCL_PREFIX = re.compile(
    r"(?:[\w.-]{1,80}:)?\d{1,9}:\d{1,9}\s\[\d{1,4}\]\s(?=NCCL\s)|(?:[\w.-]{1,80}):\d{1,9}:\d{1,9}\s"
    r"\[\d{1,4}\]\s"
)
_PROCESS_RANK = re.compile(r"scheduler_((?:(?:DP|PP|TP|EP)\d{1,4}_?)+)")

_HEADER = re.compile(
    r"Traceback \(most recent call last\)|\(most recent call first\):"
    r"|^(?:Current thread|Thread) 0x[0-9a-f]+"
    r"|(?:The above exception was the direct cause|During handling of the above exception)"
    r"|^Process \d+: |^Thread \d+ \((?:active|idle)|^Exception in [^:]{1,80}:\s*$"
)
_FRAME = re.compile(
    r'^\s*File "[^"]{1,400}", line \d+'
    r"|^\s+[\w.<>~:]+ \([\w./<>-]+:\d+\)\s*$"
    r"|^\s*(?:frame )?#\d+[: ]\s"
    r"|^\s*\[?[\w./-]+\.so(?:\.\d+)*\(.*\)\s*\[0x[0-9a-f]+\]"
)
_CARETS = re.compile(r"^\s*[\^~]+[\s\^~]*$")
_EXCEPTION = re.compile(
    r"^(?:\s*E\s+)?(?:Fatal Python error: "
    r"|(?:[A-Za-z_][\w]*\.)*[A-Za-z_]\w*"
    r"(?:Error|Exception|Exit|Interrupt|Timeout|OutOfResources|Failed|Failure|Refused|Missing"
    r"|NotFound|Unavailable|Expired|Invalid|Abort|Assertion)(?:\([^()]{0,200}\))?(?::(?=\s|$)|$)"
    r"|(?:Exception|Killed|Aborted|Segmentation fault|Bus error)\b"
    r"|[\w./ -]{1,80}: error: "
    r"|error: |ERROR: |fatal error: |terminate called )"
)
_ERROR = re.compile(
    r"\b(?:error|errors|exception|failed|fail|failure|fatal|critical|cannot|can't|could not"
    r"|couldn't|unable|unsupported|not supported|not found|no such|refused|denied|timed out|timeout"
    r"|out of memory|oom|killed|aborted?|crash\w*|died|dead|leak|hang|stuck|nan|unauthorized"
    r"|forbidden|invalid|mismatch|unhealthy|sigquit|segfault|sigsegv|sigabrt|undefined symbol"
    r"|exceeds?|is longer than|is greater than|full\b|retract|deprecated|assert\w*|must be"
    r"|should not be|unrecognized|ambiguous|not divisible|not enough|insufficient)\b",
    re.IGNORECASE,
)
_WARNING = re.compile(r"\bwarn(?:ing)?\b|\bdeprecat|UserWarning|FutureWarning", re.IGNORECASE)
_ACCESS = re.compile(r'"(?:GET|POST|PUT|DELETE|HEAD|OPTIONS) [^"]{1,300}"\s(?P<status>\d{3})')
# What `--log-requests` prints: the words in it are a user's, whatever they speak of.
_REQUEST = re.compile(r"^(?:Receive|Finish)(?: OpenAI)?: obj=")
_PROGRESS = re.compile(r"\d{1,3}%\|[^|]*\||\b\d{1,3}%\s*(?:Completed|complete)|it/s\]|s/it\]")
_BATCH = re.compile(r"^(?:Prefill|Decode|Extend) batch\b")
_CONFIG = re.compile(r"\bserver_args=|^\s*\"?[a-z_]+\"?\s?[:=]\s?(?:None|True|False|'[^']*',?)$")
_COMMAND = re.compile(
    r"sglang\.launch_server|\bsglang serve\b|sglang_router|sglang\.bench_|\bdocker run\b"
    r"|sglang-router|\bpip3? install\b|\bsglang\.check_env\b"
)
_FLAG = re.compile(r"--?[A-Za-z]")
_VARIABLE = re.compile(r"(?:export |-e |ENV |set )?[A-Z][A-Z0-9_]{2,}=")
_FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*$")
_STAGE = re.compile(
    r"^(?:INFO:\s+)?(?:Init torch distributed|Load weight|Capture .{0,30}(?:begin|end)"
    r"|Memory pool end|KV Cache is allocated|Post-capture KV sizing|Registering \d+"
    r"|max_total_num_tokens="
    r"|The server is fired up|sglang is using nccl|Entering DeepGEMM|Capturing batches"
    r"|Multi-thread loading|Loading safetensors|Uvicorn running|Started server process"
    r"|Waiting for application startup|Application startup complete)",
    re.IGNORECASE,
)
_LEVEL = re.compile(r"^(?:INFO|DEBUG|WARNING|ERROR|CRITICAL|NOTICE|TRACE)\s{0,6}:?\s+(?=\S)")
_HANGUL_OR_HAN = re.compile(r"[\uac00-\ud7a3\u3040-\u30ff\u4e00-\u9fff]")
_PROSE = re.compile(r"^[\"'*\-#> ]*[A-Za-z][\w'’/.-]*(?:,?\s[\w'’(\"`/.,:;+%=)-]+){3,}")
# No program says `I`: a sentence that does is somebody's report, whatever failed in it.
_FIRST_PERSON = re.compile(r"\b(?:I|I[’'](?:m|ve|d|ll)|[Mm]y)\s+[a-z]")
# What a person notes under a log: `(nothing printed since 13:00, it is 13:25 now)`.
_REMARK = re.compile(r"\s*[(（]([^()（）]+)[)）]\s*$")
_REMARK_WORDS = 4
_JSON_TEXT_KEYS = ("log", "message", "msg", "text", "event", "body")
_MAX_PREFIXES = 4
MAX_LINE_CHARS = 20_000  # a `server_args=` line has about 15,000; the rest of a longer line is left


def without_colours(text: str) -> str:
    """Return `text` without terminal control sequences; its lines stay what they are."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def _json_message(text: str) -> str | None:
    """Return the message inside a JSON log line, None where the line is no such thing."""
    if not (text.startswith("{") and text.endswith("}")) or len(text) > MAX_LINE_CHARS:
        return None
    try:
        loaded = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(loaded, dict):
        return None
    for key in _JSON_TEXT_KEYS:
        value = loaded.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip("\r\n").replace("\n", " ")
    return None


def read_line(number: int, raw: str) -> LogLine:
    """Read one line of a paste; never raises, whatever the line holds."""
    text = raw[:MAX_LINE_CHARS].rstrip()
    if "\r" in text:  # a progress bar redrawn in place: what stands last is what was seen
        text = text.rsplit("\r", 1)[-1]
    text = without_colours(text)
    if text.startswith("{"):
        text = _json_message(text) or text
    rank = ""
    is_sglang = False
    for _ in range(_MAX_PREFIXES):
        stripped = text.lstrip() if not text.startswith(("    ", "\t")) else text
        found = _SGLANG_PREFIX.match(stripped)
        if found:
            rank = found["ranks"].strip() or rank
            is_sglang = True
            text = stripped[found.end() :]
            continue
        for pattern in (*_OUTER_PREFIXES, *_INNER_PREFIXES):
            found = pattern.match(stripped)
            if found and found.end():
                rank = found.groupdict().get("rank") or rank
                text = stripped[found.end() :]
                break
        else:
            break
    nccl = _NCCL_PREFIX.match(text)
    if nccl:
        text = text[nccl.end() :]
    if not rank and "scheduler_" in text:
        titled = _PROCESS_RANK.search(text)
        rank = titled[1].replace("_", " ").strip() if titled else ""
    role = _role(text)
    if role == "prose" and (nccl or rank):
        role = "other"  # a person's words have no rank
    return LogLine(number, text, role, rank, is_sglang)


def is_remark(text: str) -> bool:
    """Whether a line is a person's note between brackets, a sentence of some words."""
    found = _REMARK.match(text)
    return found is not None and "=" not in text and len(found[1].split()) >= _REMARK_WORDS


def _goes_on(text: str) -> bool:
    """Whether a line is all flags with at most one value each, or sets a variable: of a command."""
    text = text.strip().removesuffix("\\").rstrip()
    variable = _VARIABLE.match(text)
    if variable:
        value = text[variable.end() :]
        return " " not in value or value[:1] == value[-1:] in ('"', "'")
    if not _FLAG.match(text):
        return False
    was_flag = False
    for word in text.split():
        is_flag = _FLAG.match(word) is not None
        if not (is_flag or was_flag):
            return False
        was_flag = is_flag and "=" not in word
    return True


def is_report(text: str) -> bool:
    """Whether a line is a sentence in which a person speaks of what they did or saw."""
    return _FIRST_PERSON.search(text) is not None and _PROSE.match(text) is not None


def _role(text: str) -> Role:
    """Return the role of a line whose prefixes are gone; the order of the tests is the rule."""
    if not text.strip() or _FENCE.match(text[:20]):
        return "blank"
    head = text[:2000]
    if _FRAME.match(head):
        return "frame"
    if _CARETS.match(head):
        return "code"
    if _HEADER.search(head[:300]):
        return "header"
    if "server_args=" in head:
        return "config"
    if _REQUEST.match(head):
        return "error" if "'type': 'abort'" in text else "access"
    access = _ACCESS.search(head)
    if access:
        return "error" if access["status"] >= "400" else "access"
    if _EXCEPTION.match(head):
        return "exception"
    if _COMMAND.search(head) or _goes_on(head):
        return "command"
    if _STAGE.match(head):
        return "stage"
    if _BATCH.match(head):
        return "batch"
    if _PROGRESS.search(head):
        return "progress"
    if _HANGUL_OR_HAN.search(head):
        return "prose"
    if is_remark(head) or is_report(head):
        return "prose"
    leveled = _LEVEL.match(head)
    if leveled and leveled[0].lstrip().startswith(("ERROR", "CRITICAL")):
        return "error"
    if _ERROR.search(head):
        return "error"
    if _WARNING.search(head):
        return "warning"
    if _CONFIG.search(head):
        return "config"
    if text.startswith(("    ", "\t")):
        return "code"
    if _PROSE.match(head):
        return "prose"
    return "other"
