"""Ask a server a great many different questions; print what memory, file handles and threads do.

    python -m tests.robustness.soak --asks 1000 --clients 2

It starts `kb serve` on a free port, sends the golden cases and noise around them by HTTP, and
prints a row of Markdown after each tenth of the asks. It ends with exit code 1 where an answer
failed, or where memory or handles grew in the second half.
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kb.evaluation.golden import read_golden

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
SEED = 5
# What the allocator keeps beside what is in use moves by some megabytes between two looks.
GROWTH_MB = 40


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process holds."""

    resident_mb: float
    peak_mb: float
    handles: int
    threads: int


def usage(process: int | str = "self") -> Usage:
    """Return what a process holds at the moment."""
    folder = Path("/proc") / str(process)
    rows = dict(
        line.split(":", 1) for line in (folder / "status").read_text().splitlines() if ":" in line
    )
    return Usage(
        int(rows["VmRSS"].split()[0]) / 1024,
        int(rows["VmHWM"].split()[0]) / 1024,
        len(list((folder / "fd").iterdir())),
        int(rows["Threads"]),
    )


def mixed_asks() -> Iterator[dict[str, str]]:
    """Yield pastes and questions without end: golden cases, some buried in noise, none alike."""
    generator = random.Random(SEED)
    cases = read_golden(GOLDEN)
    number = 0
    while True:
        number += 1
        case = generator.choice(cases)
        paste = case.paste or ""
        for _ in range(generator.choice((0, 0, 0, 20, 400))):
            paste += f"\n[2026-10-05 10:21:03 TP0] Decode batch, #token: {generator.random()}"
        yield {
            "paste": f"{paste}\nrequest {number} {generator.random()}",
            "question": case.question or "왜 이래요?",
            "language": generator.choice(("ko", "en")),
        }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _post(url: str, body: dict[str, str]) -> bool:
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"content-type": "application/json"}
    )
    while True:
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return "found" in json.load(reply)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                return False
            time.sleep(0.2)  # the server is full and says so


def soak(n_asks: int, clients: int) -> bool:
    """Run it; return whether all was answered and nothing grew."""
    port = _free_port()
    command = [sys.executable, "-m", "kb.cli", "serve", "--port", str(port), "--rate-limit", "0"]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        while True:
            try:
                with urllib.request.urlopen(url + "/readyz", timeout=30):
                    break
            except (OSError, urllib.error.HTTPError):
                if server.poll() is not None:
                    raise
                time.sleep(0.5)
        return _ask_all(server.pid, url + "/api/v1/ask", n_asks, clients)
    finally:
        server.terminate()
        server.wait()


def _ask_all(process: int, url: str, n_asks: int, clients: int) -> bool:
    print("| asks | resident MB | peak MB | handles | threads |\n|---|---|---|---|---|", flush=True)
    asks, lock = mixed_asks(), threading.Lock()
    failed, seen = 0, [usage(process)]

    def ask(times: int) -> None:
        nonlocal failed
        for _ in range(times):
            with lock:
                body = next(asks)
            if not _post(url, body):
                failed += 1

    for part in range(10):
        workers = [
            threading.Thread(target=ask, args=(n_asks // 10 // clients,)) for _ in range(clients)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        now = usage(process)
        seen.append(now)
        print(
            f"| {(part + 1) * (n_asks // 10):,} | {now.resident_mb:.0f} | {now.peak_mb:.0f} |"
            f" {now.handles} | {now.threads} |",
            flush=True,
        )
    middle, last = seen[5], seen[-1]
    grown = last.resident_mb - middle.resident_mb
    print(f"\n{failed} failed; {grown:+.0f} MB in the second half", flush=True)
    return not failed and grown < GROWTH_MB and last.handles <= middle.handles + 2 * clients


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--asks", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=2)
    given = parser.parse_args()
    sys.exit(0 if soak(given.asks, given.clients) else 1)
