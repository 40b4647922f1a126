"""Replicas of `kb serve` on one database behind a real proxy, set up as the README shows."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from postgres_pages import own_database, page, wait_until
from postgres_proxy import HAPROXY, free_ports, start_proxy

from kb import KnowledgeBase

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name))), None)
TOPICS = ("router", "cache", "graph")
START_TIMEOUT_S = 120

pytestmark = pytest.mark.skipif(HAPROXY is None, reason="no haproxy found on PATH")


class Replica:
    """A server of its own, which can be killed."""

    def __init__(self, url: str, port: int, log: Path) -> None:
        self.port, self._log = port, log
        command = [sys.executable, "-m", "kb.cli", "serve", "--port", str(port)]
        command += ["--index", url, "--corpus", "docs", "--rate-limit", "0"]
        with log.open("wb") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output)

    def kill(self) -> None:
        """End it at once, in the middle of what it does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def wait(self) -> None:
        """Wait until it answers and has its encoder."""

        def is_ready() -> bool:
            assert self.process.poll() is None, self._log.read_text()
            try:
                ready = httpx.get(f"http://127.0.0.1:{self.port}/readyz", timeout=5)
                return bool(ready.json()["encoder_loaded"])
            except httpx.TransportError:
                return False

        wait_until(is_ready, START_TIMEOUT_S)


class Site:
    """Three replicas and the proxy before them; a test may kill one of them."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.documents = url, folder / "docs"
        front, *ports = free_ports(4)
        self.address = f"http://127.0.0.1:{front}"
        self.publish("generation-0")
        self.replicas = {
            name: Replica(url, port, folder / f"{name}.log")
            for name, port in zip("abc", ports, strict=True)
        }
        self.proxy = start_proxy(folder, front, ports)

    def wait(self) -> None:
        """Wait until every replica answers, and the proxy."""
        for replica in self.replicas.values():
            replica.wait()
        wait_until(self.is_up)

    def is_up(self) -> bool:
        try:
            return httpx.get(f"{self.address}/readyz", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    def publish(self, mark: str) -> None:
        """Publish a generation whose sections all bear a mark, with the embedded encoder."""
        for path, text in page(*TOPICS, mark=mark).items():
            (self.documents / path).parent.mkdir(parents=True, exist_ok=True)
            (self.documents / path).write_text(text, encoding="utf-8")
        KnowledgeBase.build(self.documents, self.url, corpus="docs").index.close()

    def close(self) -> None:
        self.proxy.kill()
        self.proxy.wait()
        for replica in self.replicas.values():
            replica.kill()


@pytest.fixture(scope="module")
def site(server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with own_database(server, "kb_replicas") as url:
        made = Site(url, tmp_path_factory.mktemp("replicas"))
        try:
            made.wait()
            yield made
        finally:
            made.close()


def test_no_request_fails_while_generations_are_switched_and_a_replica_is_killed(site):
    stop, outcomes = threading.Event(), []

    def ask_on(number):
        while not stop.is_set():
            topic = TOPICS[number % len(TOPICS)]
            paste = f"RuntimeError: {topic} broke at {number}\n" + "INFO: a line of a log\n" * 1_500
            number += 1
            # A connection each, as from as many readers.
            reply = httpx.post(f"{site.address}/api/v1/ask", json={"paste": paste}, timeout=120)
            outcomes.append(_outcome(reply, topic))

    with ThreadPoolExecutor(24) as readers:
        asking = [readers.submit(ask_on, number) for number in range(24)]
        for generation in range(1, 4):
            site.publish(f"generation-{generation}")
            if generation == 2:
                site.replicas["b"].kill()
            wait_until(lambda g=generation: outcomes.count(f"generation-{g}") > 10, 60)
        stop.set()
        for one in asking:
            one.result()
    bad = [outcome for outcome in outcomes if not outcome.startswith("generation-")]
    assert bad == []
    assert Counter(outcomes).keys() >= {"generation-1", "generation-2", "generation-3"}


def _outcome(reply: httpx.Response, topic: str) -> str:
    if reply.status_code != 200:
        return f"status {reply.status_code}: {reply.text[:200]}"
    sections = reply.json()["sections"]
    marks = {re.search(r"generation-\d+", one["markdown"])[0] for one in sections}
    if [one["id"] for one in sections[:1]] != [topic] or len(marks) != 1:
        return f"not of one generation, or not {topic}: {sections}"
    return marks.pop()


def test_a_replica_that_is_not_ready_gets_no_request(site):
    os.kill(site.replicas["c"].process.pid, signal.SIGSTOP)  # it answers nothing, and is there
    try:
        time.sleep(4)  # until the proxy has looked twice
        for _ in range(6):
            assert httpx.get(f"{site.address}/readyz", timeout=5).status_code == 200
    finally:
        os.kill(site.replicas["c"].process.pid, signal.SIGCONT)


@pytest.mark.skipif(CHROMIUM is None, reason=f"no Chromium found on PATH ({', '.join(NAMES)})")
def test_a_chat_goes_on_when_its_replica_is_killed(site):
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        context = browser.new_context(locale="en-US")
        context.set_default_timeout(90_000)
        chat = context.new_page()
        chat.goto(site.address)
        chat.wait_for_selector("body.kb-ready")

        def ask(question, paste=None):
            if paste is not None:
                chat.locator("#kb-paste textarea").fill(paste)
            chat.locator("#kb-question :is(textarea, input)").fill(question)
            chat.locator("#kb-ask").click()
            chat.wait_for_selector("body:not(.kb-busy)")
            chat.wait_for_selector("#kb-answer [data-state], .kb-failed")
            assert chat.locator(".kb-failed").count() == 0
            return chat.locator("#kb-answer").inner_text()

        def replica():
            return next(c["value"] for c in context.cookies() if c["name"] == "KB_REPLICA")

        ask("why?", "RuntimeError: cache broke at 1")
        assert "Asked about the log" in ask("what about the graph?")
        first = replica()
        site.replicas[first].kill()
        # What is in the page goes along; what the replica remembered of it is gone.
        after = ask("and the router?")
        assert "cache broke at 1" in after and "Asked about the log" not in after
        assert replica() != first
        assert "Asked about the log" in ask("and the graph?")
        browser.close()
