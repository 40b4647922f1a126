"""A line of the log: facts of the program's own, and nothing of what came from outside."""

from __future__ import annotations

import json
import logging
import sys

import pytest

from kb.serve.peers import Peers
from kb.serve.problems import LogWithoutText
from kb.serve.request_log import JsonLines, begin_request

PLANTED = "hunter2"


def _line(name, message, *values, **more):
    record = logging.LogRecord(name, logging.ERROR, "/x/library.py", 7, message, values, None)
    for key, value in more.items():
        setattr(record, key, value)
    LogWithoutText().filter(record)
    return json.loads(JsonLines().format(record))


def test_a_message_of_our_own_is_written_and_a_librarys_is_not():
    assert _line("uvicorn.error", "%d workers answer", 2)["event"] == "2 workers answer"
    line = _line("asyncio", "Task failed: %s", PLANTED)
    assert line["event"] == "message of asyncio at library:7"


def test_a_traceback_keeps_places_and_kinds():
    try:
        raise ValueError(PLANTED)
    except ValueError:
        line = _line("uvicorn.error", "failed", exc_info=sys.exc_info())
    assert "ValueError" in line["traceback"] and "test_request_log.py" in line["traceback"]
    assert PLANTED not in json.dumps(line)


def _id_of(peer, given):
    taken = []

    async def app(scope, receive, send):
        taken.append(begin_request(scope))

    scope = {"type": "http", "client": (peer, 1), "headers": [(b"x-request-id", given.encode())]}
    coroutine = Peers(app, ("10.0.0.7/32",))(scope, None, None)
    with pytest.raises(StopIteration):
        coroutine.send(None)
    return taken[0]


ID = "0123456789abcdef"


@pytest.mark.parametrize(
    ("peer", "given", "kept"),
    [
        ("10.0.0.7", ID, True),
        ("10.0.0.7", "my-password-is-hunter2", False),
        ("10.0.0.7", "ab", False),
        ("10.0.0.8", ID, False),
    ],
)
def test_a_requests_id_is_taken_over_from_a_proxy_where_a_program_made_it(peer, given, kept):
    assert (_id_of(peer, given) == given) is kept
