"""The chat in the queue: a place in it is told, given up and refused, and many are answered."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import gradio as gr
import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from kb.serve.access import Access
from kb.serve.ask_queue import AskQueue
from kb.serve.asking import Asking, Waiting
from kb.serve.chat import create_app
from kb.serve.metrics import Meter
from kb.serve.page import build_page
from kb.serve.page_words import PageLimits
from kb.serve.replies import Replies, Reply
from kb.strings import text

OOM = "torch.OutOfMemoryError: CUDA out of memory."
REPLY = Reply("<p>done</p>")


def test_a_question_that_waits_says_so_until_it_is_answered():
    asking, released = Asking(AskQueue(1, 5, 60), Meter()), threading.Event()

    def blocked() -> Reply:
        released.wait(60)
        return REPLY

    async def run() -> list[object]:
        first = asking.run(blocked, "en", "a")
        second = asking.run(lambda: REPLY, "en", "b")
        seen = [await first.__anext__(), await second.__anext__()]
        released.set()
        return seen + [step async for step in second] + [step async for step in first]

    first, second, *rest = asyncio.run(run())
    assert first == Waiting(0)  # it is being answered
    assert second == Waiting(1)
    assert [step for step in rest if step == REPLY] == [REPLY, REPLY]


def test_a_reader_who_leaves_gives_up_the_place():
    queue, released, ran = AskQueue(1, 5, 60), threading.Event(), []
    asking = Asking(queue, Meter())

    async def run() -> None:
        first = asking.run(lambda: released.wait(60) and REPLY, "en", "a")
        second = asking.run(lambda: ran.append("second") or REPLY, "en", "b")
        await first.__anext__()
        await second.__anext__()
        await second.aclose()
        released.set()
        async for _ in first:
            pass
        await queue.run(lambda: None)

    asyncio.run(run())
    assert ran == []


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_full_queue_is_a_reply_and_is_counted(language):
    meter, released = Meter(), threading.Event()
    asking = Asking(AskQueue(1, 0, 60), meter)

    async def run() -> list[object]:
        first = asking.run(lambda: released.wait(60) and REPLY, language, "a")
        await first.__anext__()
        refused = [step async for step in asking.run(lambda: REPLY, language, "a")]
        released.set()
        async for _ in first:
            pass
        return refused

    (refused,) = asyncio.run(run())
    assert text("chat.error_busy", language) in refused.html
    assert meter.registry.get_sample_value("kb_refused_total", {"reason": "queue_full"}) == 1


def test_an_answer_that_takes_too_long_is_a_reply():
    released = threading.Event()
    asking = Asking(AskQueue(1, 0, 0.05), Meter())

    async def run() -> list[object]:
        steps = [step async for step in asking.run(lambda: released.wait(60) and REPLY, "en", "a")]
        released.set()
        return steps

    assert text("chat.error_slow", "en") in asyncio.run(run())[-1].html


# --- a real server ---


@contextmanager
def serving(app) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        threading.Event().wait(0.05)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(30)


def fn_index(address: str) -> int:
    """Return the number of the event of the button that asks."""
    config = httpx.get(f"{address}/config").json()
    ids = {component["props"].get("elem_id"): component["id"] for component in config["components"]}
    return next(
        dependency["id"]
        for dependency in config["dependencies"]
        if [ids["kb-ask"], "click"] in dependency["targets"]
    )


def chat_ask(address: str, number: int, event: int) -> str:
    """Ask as the page does; return the answer's HTML."""
    session = f"session-{number}"
    body = {
        "data": [f"{OOM} {number}", "", "en", "", False, None],
        "fn_index": event,
        "session_hash": session,
        "trigger_id": None,
        "event_data": None,
    }
    joined = httpx.post(f"{address}/gradio_api/queue/join", json=body, timeout=120)
    assert joined.status_code == 200, joined.text
    shown = []
    url = f"{address}/gradio_api/queue/data?session_hash={session}"
    with httpx.stream("GET", url, timeout=120) as events:
        for line in events.iter_lines():
            if not line.startswith("data:"):
                continue
            message = json.loads(line.removeprefix("data:"))
            shown.append(message)
            if message["msg"] == "process_completed":
                assert message["success"], message
                break
    return json.dumps([message.get("output") for message in shown], ensure_ascii=False)


def test_forty_readers_of_the_chat_and_ten_programs_at_once_are_all_answered(base):
    with serving(create_app(base, access=Access(requests_per_minute=0))) as address:
        replies, running = forty_and_ten(address)
    assert replies == {"chat": 40, "200": 10}
    assert len(running) == 10
    assert max(running) <= Access().asks_at_a_time


def forty_and_ten(address: str) -> tuple[Counter[str], list[float]]:
    event = fn_index(address)
    start = threading.Barrier(50)
    running = []

    def ask(number: int) -> str:
        start.wait()
        if number < 40:
            found = chat_ask(address, number, event)
            return "chat" if 'data-id=\\"cuda-out-of-memory' in found.replace("\\\\", "") else found
        reply = httpx.post(f"{address}/api/v1/ask", json={"paste": OOM}, timeout=120)
        return str(reply.status_code)

    with ThreadPoolExecutor(50) as clients:
        asked = clients.map(ask, range(50))
        for _ in range(10):
            metrics = httpx.get(f"{address}/metrics", timeout=60).text.splitlines()
            running += [
                float(line.split()[1]) for line in metrics if line.startswith("kb_asks_running ")
            ]
        return Counter(asked), running


def test_the_log_of_a_page_that_was_closed_is_forgotten(base):
    page = build_page(
        Replies(base), Asking(AskQueue(1, 5, 60), Meter()), PageLimits(10_000, 20_000)
    )
    with serving(gr.mount_gradio_app(FastAPI(), page, path="")) as address:
        chat_ask(address, 7, fn_index(address))
        sessions = page.state_holder.session_data
        assert OOM in str(sessions["session-7"].state_data)
        with httpx.stream("GET", f"{address}/gradio_api/heartbeat/session-7") as alive:
            next(alive.iter_lines())
        for _ in range(600):
            if "session-7" not in sessions:
                break
            threading.Event().wait(0.05)
        assert list(sessions) == []
