"""A case in, the same case buried in the healthy log of its own server out.

The lines around it are those that the case's release prints while nothing is wrong: one start,
then prefill and decode batches of all ranks in mixed order, requests, and HTTP access lines. They
come from a seed and from the case alone: same in, same out.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from packaging.version import Version

from kb.evaluation.golden import Case

__all__ = ["PLACES", "Place", "bury", "healthy_log", "sample_logs"]

Place = Literal["middle", "end"]
PLACES: tuple[Place, ...] = ("middle", "end")

_ASSUMED_RELEASE = "0.5.9"  # where a case names none
_N_RANKS = 8  # of a server whose lines carry ranks
_DATED = re.compile(
    r"^(?P<outer>.{0,80}?)\[(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:\.\d+)?"
    r"(?P<ranks>(?: [A-Z_]{2,7}\d{1,4})*)\]",
    re.MULTILINE,
)
_CONFIG = re.compile(r"server_args=(?:ServerArgs\(.*\)|\{.*\})")
_START_OF_CLOCK = "2026-01-15 09:00:00"  # where a case has no dated line


@dataclass(frozen=True, slots=True)
class _Forms:
    """Lines of the releases from `since` on; `{a}` to `{d}` are whole numbers, `{x}` 0 to 1."""

    since: str
    start: tuple[str, ...]  # of each rank, in this order
    batches: tuple[str, ...]


_LOAD = "Load weight begin. avail mem={free}.{b:02d} GB"
_LOADED = (
    "type=LlamaForCausalLM, dtype=torch.bfloat16, avail mem={free}.{b:02d} GB, mem usage={c}.2 GB."
)
_CAPTURE = (
    "Capture cuda graph begin. This can take up to several minutes. avail mem={free}.{b:02d} GB",
    "Capture cuda graph end. Time elapsed: {c}.41 s. mem usage=0.{b:02d} GB."
    " avail mem={free}.{b:02d} GB.",
)
_POOL = "KV Cache is allocated. #tokens: {d}, K size: {a}.{b:02d} GB, V size: {a}.{b:02d} GB"
_PREFILL = (
    "#new-seq: {a}, #new-token: {d2}, #cached-token: {d}, token usage: {x:.2f},"
    " #running-req: {b}, #queue-req: {c}"
)
_DECODE = "#running-req: {b}, #token: {d}, token usage: {x:.2f}, "
_SPEED = "gen throughput (token/s): {d2}.{b:02d}, "
# Read in the releases' own sources; newest first.
_FORMS = (
    _Forms(
        "0.5.14",
        (
            "Init torch distributed ends. elapsed={a}.{b:02d} s, mem usage=0.{b:02d} GB",
            _LOAD,
            "Load weight end. elapsed={c}.{b:02d} s, " + _LOADED,
            "Memory pool end. avail mem={free}.{b:02d} GB",
            "Capture prefill CUDA graph begin. backend=full, num_tokens=[{a}, {d}],"
            " avail mem={free}.{b:02d} GB",
            "Capture prefill CUDA graph end. elapsed={c}.{b:02d} s, mem usage=0.{b:02d} GB,"
            " avail mem={free}.{b:02d} GB.",
        ),
        (
            f"Prefill batch, {_PREFILL}, #pending-token: {{d}}, cuda graph: False,"
            " input throughput (token/s): {d2}.{b:02d}",
            f"Decode batch, {_DECODE}cuda graph: True, {_SPEED}#queue-req: {{c}}",
        ),
    ),
    _Forms(
        "0.5.9",
        (
            "Init torch distributed begin.",
            "Init torch distributed ends. elapsed={a}.{b:02d} s, mem usage=0.{b:02d} GB",
            _LOAD,
            "Load weight end. elapsed={c}.{b:02d} s, " + _LOADED,
            _POOL,
            "Memory pool end. avail mem={free}.{b:02d} GB",
            *_CAPTURE,
        ),
        (
            f"Prefill batch, {_PREFILL}, input throughput (token/s): {{d2}}.{{b:02d}},"
            " cuda graph: False",
            f"Decode batch, {_DECODE}cuda graph: True, {_SPEED}#queue-req: {{c}}",
        ),
    ),
    _Forms(
        "0.5.4",
        (
            "Init torch distributed begin.",
            "Init torch distributed ends. mem usage=0.{b:02d} GB",
            _LOAD,
            "Load weight end. " + _LOADED,
            _POOL,
            "Memory pool end. avail mem={free}.{b:02d} GB",
            *_CAPTURE,
        ),
        (
            f"Prefill batch, {_PREFILL}, ",
            f"Decode batch, {_DECODE}cuda graph: True, {_SPEED}#queue-req: {{c}}, ",
        ),
    ),
    _Forms(
        "0.4.6",
        (
            "Init torch distributed begin.",
            "Init torch distributed ends. mem usage=0.{b:02d} GB",
            _LOAD,
            "Load weight end. " + _LOADED,
            _POOL,
            "Memory pool end. avail mem={free}.{b:02d} GB",
            *_CAPTURE,
        ),
        (
            f"Prefill batch. {_PREFILL}, ",
            f"Decode batch. {_DECODE}cuda graph: True, {_SPEED}#queue-req: {{c}}, ",
        ),
    ),
    _Forms(
        "0",
        (
            "Init torch distributed begin.",
            _LOAD,
            "Load weight end. " + _LOADED,
            "Memory pool end. avail mem={free}.{b:02d} GB",
            *_CAPTURE,
        ),
        (
            f"Prefill batch. {_PREFILL}, ",
            f"Decode batch. {_DECODE}{_SPEED}largest-len: {{d}}, #queue-req: {{c}}, ",
        ),
    ),
)
_LAST_OF_START = (
    "max_total_num_tokens={d}, chunked_prefill_size=8192, max_prefill_tokens=16384,"
    " max_running_requests=2048, context_len=32768"
)
_OF_MAIN_PROCESS = (
    'INFO:     10.0.{c}.{b}:{port} - "POST /v1/chat/completions HTTP/1.1" 200 OK',
    'INFO:     10.0.{c}.{b}:{port} - "POST /generate HTTP/1.1" 200 OK',
    'INFO:     10.0.{c}.{b}:{port} - "POST /v1/completions HTTP/1.1" 200 OK',
    'INFO:     10.0.0.{b}:{port} - "GET /health HTTP/1.1" 200 OK',
    'INFO:     10.0.0.{b}:{port} - "GET /metrics HTTP/1.1" 200 OK',
    'INFO:     10.0.0.{b}:{port} - "GET /v1/models HTTP/1.1" 200 OK',
    # Request logging at its first level: an id that differs in letters, so that no two lines fold.
    "Receive: obj=GenerateReqInput(rid='{rid}', return_logprob=False, logprob_start_len=-1,"
    " top_logprobs_num=0, stream=True, log_metrics=True)",
    "Finish: obj=GenerateReqInput(rid='{rid}', stream=True, log_metrics=True),"
    " out={{'meta_info': {{'id': '{rid}', 'finish_reason': {{'type': 'stop', 'matched': {d}}},"
    " 'prompt_tokens': {d2}, 'completion_tokens': {b}, 'cached_tokens': {c}}}}}",
)
_BATCH_SHARE = 0.7  # of the lines while serving; the rest is the main process's


def healthy_log(
    case: Case, n_lines: int, rng: random.Random, *, with_start: bool, ends_at: datetime
) -> list[str]:
    """Return `n_lines` lines of the server of `case` in health, the last one before `ends_at`."""
    dated = _DATED.search(case.paste)
    outer = dated["outer"] if dated else ""
    labels = _labels(case)
    forms = _forms_of(case)
    told: list[tuple[str, str]] = []  # label, message
    if with_start:
        told += _start(case, forms, labels, rng)
    while len(told) < n_lines:
        if rng.random() < _BATCH_SHARE:
            form = rng.choice(forms.batches)
            ranks = rng.sample(labels, len(labels))
            told += [(rank, _filled(form, rng)) for rank in ranks]
        else:
            told.append(("", _filled(rng.choice(_OF_MAIN_PROCESS), rng)))
    clock = ends_at - timedelta(seconds=1 + n_lines // 10)
    lines = []
    for position, (label, message) in enumerate(told[:n_lines]):
        now = clock + timedelta(seconds=position // 10)
        lines.append(f"{outer}[{now:%Y-%m-%d %H:%M:%S}{label}] {message}")
    return lines


def bury(case: Case, n_lines: int, place: Place, seed: int = 0) -> Case:
    """Return `case` with its paste in the middle or at the end of `n_lines` healthy ones."""
    rng = random.Random(f"{seed}/{place}/{case.id}")  # noqa: S311 not for secrets
    times = [found["time"] for found in _DATED.finditer(case.paste)] or [_START_OF_CLOCK]
    first, last = (datetime.strptime(text, "%Y-%m-%d %H:%M:%S") for text in (times[0], times[-1]))
    n_after = n_lines // 2 if place == "middle" else 0
    before = healthy_log(case, n_lines - n_after, rng, with_start=True, ends_at=first)
    ends = last + timedelta(seconds=2 + n_after // 10)
    after = healthy_log(case, n_after, rng, with_start=False, ends_at=ends)
    return replace(case, paste="\n".join([*before, case.paste, *after]))


def sample_logs(cases: Sequence[Case], n_logs: int | None = None, seed: int = 0) -> list[Case]:
    """Return the cases in scope whose log decides by itself, or `n_logs` of them by `seed`."""
    logs = [case for case in cases if case.in_scope and case.log_alone and case.paste]
    if n_logs is None or n_logs >= len(logs):
        return logs
    chosen = set(random.Random(seed).sample(range(len(logs)), n_logs))  # noqa: S311
    return [case for position, case in enumerate(logs) if position in chosen]


def _forms_of(case: Case) -> _Forms:
    release = Version(case.version or _ASSUMED_RELEASE)
    return next(forms for forms in _FORMS if Version(forms.since) <= release)


def _labels(case: Case) -> list[str]:
    """Return the rank labels of the server, each with its leading blank; one empty if it has none.

    A label that the log shows is continued over eight ranks in its own form.
    """
    seen = sorted({found["ranks"] for found in _DATED.finditer(case.paste)} - {""}, key=len)
    if not seen:
        return [""]
    return [re.sub(r"((?:TP|EP))\d+", rf"\g<1>{rank}", seen[-1]) for rank in range(_N_RANKS)]


def _start(
    case: Case, forms: _Forms, labels: Sequence[str], rng: random.Random
) -> Iterator[tuple[str, str]]:
    own = _CONFIG.search(case.paste)
    yield "", own[0] if own else _config(case, len(labels))
    for message in forms.start:
        for label in rng.sample(list(labels), len(labels)):
            yield label, _filled(message, rng)
    yield labels[0], _filled(_LAST_OF_START, rng)
    for message in (
        "INFO:     Started server process [{d}]",
        "INFO:     Waiting for application startup.",
        "INFO:     Application startup complete.",
        "INFO:     Uvicorn running on http://0.0.0.0:30000 (Press CTRL+C to quit)",
        "The server is fired up and ready to roll!",
    ):
        yield "", _filled(message, rng)


def _config(case: Case, n_ranks: int) -> str:
    values = (
        ("model_path", "meta-llama/Llama-3.1-8B-Instruct"),
        ("host", "0.0.0.0"),  # noqa: S104 a line of a log, nothing listens
        ("port", 30000),
        ("mem_fraction_static", 0.85),
        ("chunked_prefill_size", 8192),
        ("schedule_policy", "fcfs"),
        ("device", "cuda"),
        ("tp_size", n_ranks),
        ("log_level", "info"),
        ("log_requests", True),
        ("disable_cuda_graph", False),
    )
    if Version(case.version or _ASSUMED_RELEASE) >= Version("0.5.19"):
        return "server_args={" + ", ".join(f"{key!r}: {value!r}" for key, value in values) + "}"
    return "server_args=ServerArgs(" + ", ".join(f"{k}={v!r}" for k, v in values) + ")"


def _filled(form: str, rng: random.Random) -> str:
    return form.format(
        a=rng.randint(1, 9),
        free=rng.randint(6, 12),
        b=rng.randint(10, 99),
        c=rng.randint(0, 5),
        d=rng.randint(1_000, 400_000),
        d2=rng.randint(16, 8_192),
        x=rng.uniform(0.05, 0.85),
        port=rng.randint(32_768, 60_999),
        rid=f"{rng.getrandbits(128):032x}",
    )
