"""Voting in the chat, in a real browser against `kb serve --feedback` and a real file."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import _wait_for

from kb import KnowledgeBase
from kb.feedback.store import open_store

pytestmark = pytest.mark.browser

DOCUMENT = """\
## CUDA out of memory {#cuda-out-of-memory}

```log
torch.OutOfMemoryError: CUDA out of memory.
```

Lower `--mem-fraction-static`.
"""
LOG = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB at /home/jane"
UNKNOWN = "ZoologyError: purple llamas escaped into /home/jane/barn"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("feedback") / "feedback.db"


@pytest.fixture(scope="module")
def server(place: Path, connections: Path) -> Iterator[str]:
    docs = place.parent / "docs"
    docs.mkdir()
    (docs / "memory.md").write_text(DOCUMENT, encoding="utf-8")
    KnowledgeBase.build(docs, place.parent / "index")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "kb.cli", "serve", "--port", str(port)]
    command += ["--index", str(place.parent / "index"), "--feedback", str(place)]
    log = connections.with_name("log")
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env={**os.environ})
    try:
        _wait_for(f"http://127.0.0.1:{port}/", process, log)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(timeout=15)


def _votes(place: Path):
    store = open_store(place, create=False)
    votes = list(store.votes())
    store.close()
    return votes


def test_a_vote_against_with_its_reason_by_keyboard(open_chat, place):
    chat = open_chat()
    chat.choose("ko")
    chat.ask(LOG)
    box = chat.page.locator("#kb-answer .kb-feedback").first
    assert not box.locator(".kb-feedback-why").is_visible()
    box.get_by_role("button", name="아니요").focus()
    chat.page.keyboard.press("Enter")
    assert box.locator(".kb-feedback-no").get_attribute("aria-expanded") == "true"
    if folder := os.environ.get("KB_TEST_SCREENSHOTS"):
        chat.page.screenshot(path=f"{folder}/feedback.png")
    chat.page.keyboard.press("Tab")  # from the first reason to the second
    chat.page.keyboard.press("Enter")
    chat.page.wait_for_function(
        "document.querySelector('.kb-feedback-status').textContent === '알려 주셔서 고마워요.'"
    )
    assert box.get_by_role("button").count() == 0  # none is left to be pressed twice
    vote = _votes(place)[-1]
    assert (vote.section, vote.helpful, vote.reason) == (
        "cuda-out-of-memory",
        False,
        "did_not_help",
    )
    assert vote.signatures == (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate … GiB at …",
    )


def test_a_vote_for(open_chat, place):
    chat = open_chat()
    chat.ask(LOG)
    before = len(_votes(place))
    chat.page.locator("#kb-answer .kb-feedback").first.get_by_role("button", name="Yes").click()
    chat.page.wait_for_function(
        "document.querySelector('.kb-feedback-status').textContent === 'Thank you, noted.'"
    )
    votes = _votes(place)
    assert len(votes) == before + 1
    assert (votes[-1].helpful, votes[-1].signatures) == (True, ())


def test_a_paste_without_an_answer_is_told_what_is_kept(open_chat, place):
    chat = open_chat()
    chat.ask(UNKNOWN)
    assert "this server keeps the error lines" in chat.answer
    chat.ask(LOG)  # by now the first is written: one writer, in order
    chat.page.locator("#kb-answer .kb-feedback").first.wait_for()
    store = open_store(place, create=False)
    lines = [asked.signatures for asked in store.unanswered()]
    store.close()
    assert lines == [("ZoologyError: purple llamas escaped into …",)]
