"""`kb serve --workers 2` over an index in a database: each worker has connections of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from postgres_pages import own_database, page, wait_until

from kb import KnowledgeBase
from kb.postgres.connections import connect
from kb.serve.server import _listen

PASTE = "RuntimeError: router broke at 1"


class Served:
    """A server with two workers over one corpus."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.log = url, folder / "log"
        self.publish(folder / "first", "router", "cache")
        with _listen("127.0.0.1", 0) as free:
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "kb.cli", "serve", "--port", str(port), "--workers", "2"]
        command += ["--index", url, "--corpus", "docs", "--feedback", url, "--rate-limit", "0"]
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output)

    def publish(self, folder: Path, *topics: str) -> None:
        for path, text in page(*topics).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        KnowledgeBase.build(folder, self.url, corpus="docs").index.close()

    def is_ready(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        try:
            return bool(httpx.get(f"{self.address}/readyz", timeout=30).json()["encoder_loaded"])
        except httpx.TransportError:
            return False

    def first(self, paste: str = PASTE) -> str:
        """Return the id that one of the workers answers with; a connection of its own."""
        reply = httpx.post(f"{self.address}/api/v1/ask", json={"paste": paste}, timeout=60)
        reply.raise_for_status()
        return "".join(section["id"] for section in reply.json()["sections"][:1])

    def workers(self) -> set[int]:
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return {int(pid) for pid in children.split()}


@pytest.fixture(scope="module")
def served(server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with own_database(server, "kb_workers") as url:
        made = Served(url, tmp_path_factory.mktemp("workers"))
        try:
            wait_until(lambda: all(made.is_ready() for _ in range(8)), 120)
            yield made
        finally:
            made.process.kill()
            made.process.wait()


def test_every_worker_answers_from_the_database(served):
    assert len(served.workers()) == 2
    assert {served.first() for _ in range(12)} == {"router"}


def test_every_worker_takes_up_a_new_generation(served, tmp_path):
    served.publish(tmp_path, "router", "cache", "graph")
    paste = "RuntimeError: graph broke at 1"
    wait_until(lambda: all(served.first(paste) == "graph" for _ in range(10)), 60)


def test_a_worker_that_is_killed_lets_its_generation_go_and_is_started_again(served):
    def leases():
        with connect(served.url) as connection:
            return connection.execute(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
                " AND mode = 'ShareLock' AND granted"
                " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            ).fetchone()[0]

    wait_until(lambda: leases() >= 2)
    before = served.workers()
    killed = min(before)
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: len(served.workers() - before) == 1, 60)
    wait_until(lambda: leases() >= 2, 60)
    wait_until(lambda: all(served.is_ready() for _ in range(8)), 60)
    assert {served.first() for _ in range(12)} == {"router"}


def test_a_stop_ends_every_worker_and_its_connections(served):
    workers = served.workers()
    served.process.terminate()
    assert served.process.wait(60) == 0, served.log.read_text()
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    with connect(served.url) as connection:
        left = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        wait_until(lambda: connection.execute(left).fetchone()[0] == 1)
