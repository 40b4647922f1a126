"""How much one client may send, and how much the server does at a time."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from fastapi.testclient import TestClient

from kb.serve.access import Access
from kb.serve.ask_queue import AskQueue, QueueFullError, TooSlowError
from kb.serve.chat import create_app
from kb.serve.limits import BodyLimit, TokenBuckets
from kb.serve.metrics import Meter

OOM = {"paste": "sglang: torch.OutOfMemoryError: CUDA out of memory."}


# --- rate ---


def test_a_bucket_is_full_at_first_and_refills_evenly():
    now = 100.0
    buckets = TokenBuckets(60, lambda: now)
    assert [buckets.take("a") for _ in range(60)] == [0.0] * 60
    assert buckets.take("a") == pytest.approx(1.0)
    now += 0.5
    assert buckets.take("a") == pytest.approx(0.5)
    now += 0.6
    assert buckets.take("a") == 0.0
    now += 3600
    assert [buckets.take("a") > 0 for _ in range(61)] == [False] * 60 + [True]


def test_a_client_does_not_pay_for_another():
    buckets = TokenBuckets(1, lambda: 0.0)
    assert buckets.take("a") == 0.0
    assert buckets.take("a") > 0
    assert buckets.take("b") == 0.0


def test_many_clients_do_not_fill_the_memory():
    buckets = TokenBuckets(1, lambda: 0.0)
    for number in range(25_000):
        buckets.take(str(number))
    assert len(buckets) == 20_000


def test_too_many_requests_are_told_when_to_come_back(base):
    access = Access(requests_per_minute=2, allowed_origins=("https://a.example",))
    with TestClient(create_app(base, access=access)) as client:
        for _ in range(2):
            assert client.get("/api/v1/sections/server-hangs").status_code == 200
        reply = client.post("/api/v1/ask", json=OOM, headers={"origin": "https://a.example"})
        assert reply.status_code == 429
        assert reply.json()["error"] == "too_many_requests"
        assert 1 <= int(reply.headers["retry-after"]) <= 30
        assert reply.headers["access-control-allow-origin"] == "https://a.example"
        assert reply.headers["access-control-expose-headers"] == "Retry-After"
        assert client.post("/gradio_api/queue/join", json={}).status_code == 429
        for path in ("/", "/healthz", "/readyz", "/metrics"):
            assert client.get(path).status_code == 200
        assert 'kb_refused_total{reason="rate_limit"} 2.0' in client.get("/metrics").text


# --- size and time of a body ---


class _Sender:
    """A client that sends chunks, and counts how many the server has taken."""

    def __init__(self, chunks, *, stays=False):
        self.chunks, self.taken, self.stays = list(chunks), 0, stays

    async def receive(self):
        if self.taken == len(self.chunks):
            if self.stays:
                await asyncio.sleep(3600)
            return {"type": "http.disconnect"}
        chunk = self.chunks[self.taken]
        self.taken += 1
        more = self.stays or self.taken < len(self.chunks)
        return {"type": "http.request", "body": chunk, "more_body": more}


def _send(sender, access, headers=()):
    """Return the status of the reply and the body that the application behind got."""
    got, sent = [], []

    async def app(scope, receive, send):
        got.append((await receive())["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": list(headers)}
    asyncio.run(BodyLimit(app, access, Meter())(scope, sender.receive, send))
    return (sent[0]["status"] if sent else None), (got[0] if got else None)


def test_a_body_within_the_limit_arrives_whole():
    status, body = _send(_Sender([b"a" * 6, b"b" * 4]), Access(max_body_bytes=10))
    assert (status, body) == (200, b"aaaaaabbbb")


def test_a_body_that_grows_beyond_the_limit_reaches_no_route():
    assert _send(_Sender([b"a" * 6, b"b" * 5]), Access(max_body_bytes=10)) == (413, None)


def test_a_body_that_is_announced_too_large_is_not_waited_for():
    sender = _Sender([b"a" * 11])
    headers = [(b"content-length", b"11"), (b"expect", b"100-continue")]
    assert _send(sender, Access(max_body_bytes=10), headers) == (413, None)
    assert sender.taken == 0


def test_a_slow_sender_is_given_up():
    start = time.monotonic()
    sender = _Sender([b"a"], stays=True)
    assert _send(sender, Access(body_timeout_s=0.2)) == (408, None)
    assert time.monotonic() - start < 5


def test_all_bodies_together_stay_within_a_bound():
    assert _send(_Sender([b"a" * 6, b"b" * 6]), Access(max_held_bytes=10)) == (503, None)


def test_a_client_that_goes_away_gets_no_reply():
    assert _send(_Sender([]), Access()) == (None, None)


def test_too_large_a_paste_is_said_in_words(base):
    with TestClient(create_app(base, access=Access(max_body_bytes=1000))) as client:
        reply = client.post("/api/v1/ask", json={"paste": "x" * 1000})
        assert reply.status_code == 413
        assert reply.json()["error"] == "too_large"
        assert "1,000 bytes" in reply.json()["message"]


# --- queue ---


def test_no_more_run_at_a_time_than_may_and_the_first_come_is_the_first_served():
    running, most, order = 0, 0, []
    lock = threading.Lock()

    def call(number):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            order.append(number)
        time.sleep(0.01)
        with lock:
            running -= 1
        return number

    async def main():
        queue = AskQueue(2, 30, 10)
        calls = [queue.run(lambda number=number: call(number)) for number in range(20)]
        results = await asyncio.gather(*calls)
        return results, queue.running, queue.waiting

    results, running_after, waiting_after = asyncio.run(main())
    assert results == list(range(20))
    assert most == 2
    assert sorted(order) == list(range(20))
    assert all(abs(number - place) <= 1 for place, number in enumerate(order))
    assert (running_after, waiting_after) == (0, 0)


def test_a_full_queue_refuses_and_recovers():
    async def main():
        queue, go = AskQueue(1, 1, 10), threading.Event()
        held = [asyncio.ensure_future(queue.run(go.wait)) for _ in range(2)]
        await asyncio.sleep(0)
        assert (queue.running, queue.waiting) == (1, 1)
        with pytest.raises(QueueFullError):
            await queue.run(go.wait)
        go.set()
        await asyncio.gather(*held)
        return await queue.run(lambda: "answered")

    assert asyncio.run(main()) == "answered"


def test_what_is_too_slow_keeps_its_place_until_it_ends_and_what_waits_leaves():
    async def main():
        queue, go = AskQueue(1, 1, 0.1), threading.Event()
        held = [asyncio.ensure_future(queue.run(go.wait)) for _ in range(2)]
        slow = await asyncio.gather(*held, return_exceptions=True)
        assert [type(error) for error in slow] == [TooSlowError, TooSlowError]
        places = (queue.running, queue.waiting)
        go.set()
        while queue.running:
            await asyncio.sleep(0.01)
        return places

    assert asyncio.run(main()) == (1, 0)


def test_an_error_in_a_call_gives_its_place_back():
    async def main():
        queue = AskQueue(1, 0, 10)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await queue.run(lambda: 1 // 0)

    asyncio.run(main())


class _SlowBase:
    """The knowledge base, waiting until it is told to go on."""

    def __init__(self, base):
        self._base, self.go = base, threading.Event()

    def __getattr__(self, name):
        return getattr(self._base, name)

    def ask(self, *args, **more):
        self.go.wait(30)
        return self._base.ask(*args, **more)


def test_the_server_lives_while_it_is_busy_and_says_so(base):
    slow = _SlowBase(base)
    access = Access(asks_at_a_time=1, asks_waiting=1)
    replies = []
    with TestClient(create_app(slow, access=access)) as client:

        def ask():
            replies.append(client.post("/api/v1/ask", json=OOM).status_code)

        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + 20
        while "kb_asks_waiting 1.0" not in client.get("/metrics").text:
            assert time.monotonic() < deadline
        refused = client.post("/api/v1/ask", json=OOM)
        assert client.get("/healthz").status_code == 200
        slow.go.set()
        for thread in threads:
            thread.join()
    assert refused.status_code == 503
    assert refused.json()["error"] == "busy"
    assert int(refused.headers["retry-after"]) > 0
    assert replies == [200, 200]


def test_an_answer_that_takes_too_long_is_given_up(base):
    slow = _SlowBase(base)
    with TestClient(create_app(slow, access=Access(ask_timeout_s=0.2))) as client:
        reply = client.post("/api/v1/ask", json=OOM)
        slow.go.set()
    assert reply.status_code == 503
    assert reply.json()["error"] == "time_out"
