"""What is logged of a request: where, how long and how it ended; nothing that somebody wrote.

A line of JSON has `time`, `level`, `event` and, of a request, `request_id`, `route`, `method`,
`status`, `ms`, and of an answer `found`, `confidence`, `section` and `language`.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
from contextvars import ContextVar
from datetime import datetime, timezone
from typing import Any

from starlette.datastructures import Headers
from starlette.types import Scope

from kb.serve.peers import is_trusted
from kb.serve.problems import LogWithoutText
from kb.types import Answer

__all__ = ["REQUEST_ID", "JsonLines", "begin_request", "end_request", "log_as_json", "note_answer"]

REQUEST_ID = "x-request-id"
# An id as programs make them; words that somebody wrote are not taken over.
_ID = re.compile(r"[0-9a-fA-F-]{16,64}")
_log = logging.getLogger("kb.requests")
_request: ContextVar[dict[str, Any] | None] = ContextVar("kb_request", default=None)


def begin_request(scope: Scope) -> str:
    """Return the id of a request: a trusted proxy's or a new one; answers are noted under it."""
    given = Headers(scope=scope).get(REQUEST_ID, "") if is_trusted(scope) else ""
    request_id = given if _ID.fullmatch(given) else secrets.token_hex(8)
    _request.set({"request_id": request_id})
    return request_id


def end_request(route: str, method: str, status: int, seconds: float) -> None:
    """Write the line of the request that has begun in this context."""
    facts = _request.get() or {}
    _request.set(None)
    facts |= {"route": route, "method": method, "status": status, "ms": round(seconds * 1000)}
    _log.info("request", extra={"facts": facts})


def note_answer(answer: Answer, seconds: float) -> None:
    """Add an answer to the line of its request or, where that is unknown, write one of its own."""
    facts = {
        "found": answer.found,
        "confidence": round(answer.confidence, 3),
        "section": answer.sections[0].id if answer.found and answer.sections else None,
        "language": answer.language,
    }
    request = _request.get()
    if request is not None:
        request |= facts
    else:
        _log.info("answer", extra={"facts": facts | {"ms": round(seconds * 1000)}})


def log_as_json() -> None:
    """Make every line of the process's log JSON, and write one for each request."""
    lines = logging.StreamHandler()
    lines.setFormatter(JsonLines())
    lines.addFilter(LogWithoutText())
    logging.basicConfig(level=logging.WARNING, handlers=[lines], force=True)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    for name in ("uvicorn", _log.name):
        logging.getLogger(name).setLevel(logging.INFO)


class JsonLines(logging.Formatter):
    """One JSON object a record; of other programs' records only where they come from."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; a traceback holds the types of errors and no messages."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(),
            "level": record.levelname.lower(),
        }
        if record.name.startswith(("kb", "uvicorn")):
            line["event"] = record.getMessage()
        else:  # a library's message may quote what it was given
            line["event"] = f"message of {record.name} at {record.module}:{record.lineno}"
        line |= getattr(record, "facts", {})
        if record.exc_text:
            line["traceback"] = record.exc_text
        return json.dumps(line, ensure_ascii=False, default=str)
