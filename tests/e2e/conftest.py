"""A real server in a process of its own and a real Chromium that records what it asks for."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name))), None)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
START_TIMEOUT_S = 90
ANSWER = "#kb-answer [data-state=found], #kb-answer [data-state=not-found]"


@pytest.fixture(scope="session")
def connections(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file in which the server's connections to other machines are written down."""
    record = tmp_path_factory.mktemp("server") / "connections"
    record.touch()
    return record


@pytest.fixture(scope="session")
def server(connections: Path) -> Iterator[str]:
    """Start `python app.py` on a free port; its address. KB_TEST_INDEX is another index folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(ROOT / "app.py"), "--port", str(port)]
    if index := os.environ.get("KB_TEST_INDEX"):
        command += ["--index", index]
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parent / "no_network"),
        "KB_CONNECTIONS": str(connections),
    }
    log = connections.with_name("log")
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    try:
        address = f"http://127.0.0.1:{port}/"
        _wait_for(address, process, log)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=15)


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    started = time.monotonic()
    while time.monotonic() - started < START_TIMEOUT_S:
        if process.poll() is not None:
            pytest.fail(f"the server stopped:\n{log.read_text(encoding='utf-8')}")
        try:
            with urlopen(address, timeout=5) as response:  # an address of this machine
                if response.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"no server after {START_TIMEOUT_S} s:\n{log.read_text(encoding='utf-8')}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start Chromium; skipped only where none is installed."""
    if CHROMIUM is None:
        pytest.skip(f"no Chromium found on PATH ({', '.join(NAMES)})")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@dataclass
class Chat:
    """The page in one browser window and what it did: `page` is Playwright's."""

    page: Any
    log: Path  # what the server says
    requests: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # console errors and uncaught exceptions

    def ask(self, paste: str = "", question: str = "", version: str = "") -> None:
        """Fill the boxes, ask and wait for the answer."""
        self.page.locator("#kb-paste textarea").fill(paste)
        self.page.locator("#kb-question :is(textarea, input)").fill(question)
        self.page.locator("#kb-version :is(textarea, input)").fill(version)
        self.page.locator("#kb-ask").click()
        self.wait_for_answer()

    def wait_for_answer(self) -> None:
        """Wait for the answer; a question that failed fails the test with the server's log."""
        self.page.wait_for_selector("body:not(.kb-busy)")
        self.page.wait_for_selector(f"{ANSWER}, .kb-failed")
        if self.page.locator(".kb-failed").count():
            pytest.fail(f"no answer:\n{self.log.read_text(encoding='utf-8')[-4000:]}")

    @property
    def answer(self) -> str:
        return self.page.locator("#kb-answer").inner_text()

    @property
    def first_section(self) -> str:
        return self.page.locator("#kb-answer .kb-body").first.get_attribute("data-id")

    def choose(self, language: str) -> None:
        """Choose the language and wait until the words of the page are in it."""
        self.page.locator(f"#kb-language input[value={language}]").check()
        if language != "auto":
            self.page.wait_for_selector(f"html[lang={language}]")


@pytest.fixture
def open_chat(server: str, browser: Any, connections: Path) -> Iterator[Callable[..., Chat]]:
    """Return a function that opens the page; at the end each must have kept to the house rules."""
    chats, contexts = [], []

    def open_page(path: str = "", **options: Any) -> Chat:
        options = {"locale": "en-US", "viewport": {"width": 1280, "height": 800}, **options}
        context = browser.new_context(**options)
        context.set_default_timeout(90_000)  # a busy machine is slow, not broken
        contexts.append(context)
        chat = Chat(context.new_page(), connections.with_name("log"))
        chats.append(chat)
        context.on("request", lambda request: chat.requests.append(request.url))
        chat.page.on("pageerror", lambda error: chat.problems.append(str(error)))
        chat.page.on("console", lambda message: _note(chat, message))
        chat.page.goto(server + path)
        chat.page.wait_for_selector("body.kb-ready")
        return chat

    yield open_page
    for chat in chats:
        assert [url for url in chat.requests if not _is_here(url)] == []
        assert chat.problems == []
        assert chat.page.evaluate("window.__pwned") is None
    for context in contexts:
        context.close()


def _note(chat: Chat, message: Any) -> None:
    if message.type in ("error", "warning"):
        chat.problems.append(f"{message.type}: {message.text}")


def _is_here(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in ("data", "blob") or parts.hostname == "127.0.0.1"
