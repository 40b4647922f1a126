"""Whose turn it is: round the clients, so that a heavy one does not starve a light one."""

from __future__ import annotations

import asyncio
import threading

import pytest

from kb.serve.ask_queue import AskQueue, QueueFullError, TooSlowError


def _held(queue, count, client="heavy"):
    """Hold the only thread, let `count` calls of a client wait; return what opens, and the order."""
    go, order, running = threading.Event(), [], threading.Event()

    def first():
        running.set()
        go.wait(30)

    waiting = [queue._enter(first, client)]
    assert running.wait(30)
    for number in range(count):
        waiting.append(queue._enter(lambda n=number: order.append((client, n)), client))
    return go, order, waiting


def test_a_light_client_waits_for_one_call_of_a_heavy_one_not_for_all():
    queue = AskQueue(1, 300, 30)
    go, order, waiting = _held(queue, 200)
    for name in ("light", "other"):
        waiting.append(queue._enter(lambda n=name: order.append((n, 0)), name))
    go.set()
    for future in waiting:
        future.result(30)
    assert order.index(("light", 0)) == 1 and order.index(("other", 0)) == 2
    assert [n for client, n in order if client == "heavy"] == list(range(200))


def test_a_light_client_finds_room_in_a_queue_that_a_heavy_one_has_filled():
    queue = AskQueue(1, 10, 30)
    go, order, waiting = _held(queue, 10)
    with pytest.raises(QueueFullError):
        queue._enter(lambda: None, "heavy")
    light = queue._enter(lambda: order.append(("light", 0)), "light")
    go.set()
    light.result(30)
    with pytest.raises(QueueFullError):
        waiting[-1].result(30)  # the heavy one's newest had to go
    assert queue.waiting <= 8


def test_clients_that_wait_alike_do_not_send_each_other_away():
    queue = AskQueue(1, 2, 30)
    go, _, _ = _held(queue, 1, "a")
    queue._enter(lambda: None, "b")
    with pytest.raises(QueueFullError):
        queue._enter(lambda: None, "c")
    go.set()


def test_a_thread_that_asks_waits_for_its_result_or_the_time():
    queue = AskQueue(1, 2, 0.2)
    assert queue.run_here(lambda: 42) == 42
    with pytest.raises(ZeroDivisionError):
        queue.run_here(lambda: 1 // 0)
    go, _, _ = _held(queue, 0)
    with pytest.raises(TooSlowError):
        queue.run_here(lambda: 42)
    go.set()


def test_as_many_run_at_a_time_as_are_allowed():
    queue, meeting = AskQueue(3, 10, 30), threading.Barrier(3)

    async def run() -> list[int]:
        return await asyncio.gather(*(queue.run(lambda: meeting.wait(20), "a") for _ in range(3)))

    assert sorted(asyncio.run(run())) == [0, 1, 2]


def test_threads_end_when_the_queue_is_closed():
    others = set(threading.enumerate())
    queue = AskQueue(2, 10, 30)
    for number in range(3):
        assert queue.run_here(lambda n=number: n) == number
    own = set(threading.enumerate()) - others
    queue.close()
    for thread in own:
        thread.join(30)
    assert own
    assert not any(thread.is_alive() for thread in own)


def test_a_queue_that_was_closed_runs_what_comes_after():
    others = set(threading.enumerate())
    queue = AskQueue(1, 3, 30)
    assert queue.run_here(lambda: 1) == 1
    own = set(threading.enumerate()) - others
    queue.close()
    for thread in own:
        thread.join(5)
    assert queue.run_here(lambda: 2) == 2
