"""The page for maintainers in a real browser, against `kb serve` and a real file."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import _wait_for

from kb import KnowledgeBase
from kb.feedback.records import Unanswered, Vote
from kb.feedback.store import open_store

pytestmark = pytest.mark.browser

TOKEN = "correct-horse-battery"
DOCUMENT = "## CUDA out of memory {#oom}\n\nLower `--mem-fraction-static`.\n"
LORA = "ValueError: LoRA adapter … has rank … but max_lora_rank is …"
HOSTILE = "ValueError: <img src=x onerror=window.__pwned=1> & </pre><script>x</script>"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("maintainers") / "feedback.db"
    store = open_store(path)
    for lines, language in [((LORA,), "ko"), ((LORA,), "en"), ((HOSTILE,), "en"), ((), "ko")]:
        store.add_unanswered(Unanswered(lines, ("oom",), language, "0.1.0"))
    store.add_vote(Vote("oom", False, "ko", "0.1.0", "unclear", (HOSTILE,)))
    store.add_vote(Vote("oom", True, "en", "0.1.0"))
    store.close()
    return path


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[str]:
    (place.parent / "docs").mkdir()
    (place.parent / "docs" / "memory.md").write_text(DOCUMENT, encoding="utf-8")
    KnowledgeBase.build(place.parent / "docs", place.parent / "index")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "kb.cli", "serve", "--port", str(port)]
    command += ["--index", str(place.parent / "index"), "--feedback", str(place)]
    log = place.with_name("log")
    environment = {**os.environ, "KB_MAINTAINER_TOKEN": TOKEN}
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    try:
        _wait_for(f"http://127.0.0.1:{port}/healthz", process, log)
        yield f"http://127.0.0.1:{port}/maintainers"
    finally:
        process.terminate()
        process.wait(timeout=15)


@pytest.fixture
def page(browser, server) -> Iterator:
    """Return a window in which nothing may go wrong, and no other host be asked."""
    context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 800})
    context.set_default_timeout(60_000)
    page = context.new_page()
    problems, hosts = [], set()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text))
    page.on("request", lambda request: hosts.add(request.url.split("/")[2].split(":")[0]))
    yield page
    assert page.evaluate("window.__pwned") is None
    context.close()
    said = [text for text in problems if not re.search(r"a status of 40[34] ", text)]  # as meant
    assert said == []
    assert hosts == {"127.0.0.1"}


def sign_in(page, server, language="en"):
    page.goto(f"{server}/sign-in?language={language}")
    page.locator("#token").fill(TOKEN)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{server}?language={language}")


def test_signing_in_marking_and_opening_again_by_keyboard(page, server, place):
    assert page.goto(server).status == 404
    sign_in(page, server)
    gap = page.get_by_role("article").filter(has_text="LoRA adapter")
    gap.get_by_text("Draft of a section").press("Enter")
    assert "```log\nValueError: LoRA adapter" in gap.locator("pre").inner_text()
    gap.get_by_role("button", name="Mark as done").press("Enter")
    closed = page.get_by_role("region", name="Done or ignored").get_by_role("article")
    closed.filter(has_text="LoRA adapter").wait_for()
    store = open_store(place, create=False)
    assert [mark.state for mark in store.marks()] == ["done"]
    closed.get_by_role("button", name="Open again").press("Enter")
    page.get_by_role("button", name="Open again").wait_for(state="detached")
    assert list(store.marks()) == []
    store.close()


def test_the_report_is_downloaded(page, server, place):
    sign_in(page, server)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as Markdown").click()
    assert download.value.suggested_filename == "gaps.md"
    command = [sys.executable, "-m", "kb.cli", "gaps", "--feedback", str(place)]
    printed = subprocess.run(command, capture_output=True, check=True).stdout
    assert Path(download.value.path()).read_bytes() == printed


def test_the_language_is_chosen_and_kept(page, server):
    sign_in(page, server, "ko")
    assert page.get_by_role("heading", level=1).inner_text() == "문서가 아직 답하지 못하는 질문"
    page.get_by_role("link", name="English").click()
    page.get_by_role("heading", name="Failures that no section fits").wait_for()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Token for maintainers").wait_for()
    assert page.goto(server).status == 404


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page, server, language, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{server}/sign-in?language={language}")
    found = [axe.Axe().run(page)]
    page.locator("#token").fill("wrong")
    page.keyboard.press("Enter")
    page.get_by_role("alert").wait_for()
    found.append(axe.Axe().run(page))
    sign_in(page, server, language)
    for summary in page.locator("summary").all():
        summary.click()
    found.append(axe.Axe().run(page))
    if folder := os.environ.get("KB_TEST_SCREENSHOTS"):
        page.screenshot(path=f"{folder}/maintainers-{language}-{scheme}.png", full_page=True)
    reports = [result.generate_report() for result in found if result.violations_count]
    assert reports == []


def test_a_phone_and_large_letters_need_no_scrolling_sideways(page, server):
    sign_in(page, server, "ko")
    page.set_viewport_size({"width": 320, "height": 640})  # also 1280 at 400 %
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
