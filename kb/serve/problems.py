"""What went wrong in, a reply as JSON out: `{"error": code, "message": what to do}`.

No reply and no log entry repeats what the user sent.
"""

from __future__ import annotations

import json
import logging
import traceback

from starlette.requests import Request
from starlette.responses import Response

from kb.serve.reader_language import language_of
from kb.strings import text
from kb.types import Language

__all__ = ["LogWithoutText", "internal_error", "problem"]

CODES = {
    400: "bad_request",
    401: "unauthorized",
    403: "origin_not_allowed",
    404: "not_found",
    405: "method_not_allowed",
    408: "request_too_slow",
    413: "too_large",
    422: "invalid",
    429: "too_many_requests",
    500: "internal_error",
    503: "busy",
}


def problem(
    status: int,
    message: str,
    *,
    language: Language = "en",
    error: str | None = None,
    retry_after_s: int | None = None,
) -> Response:
    """Return the reply; `error` is a code for programs, by default that of the status.

    `language` is that of the `message`; the code is the same in all of them.
    """
    body = {"error": error or CODES.get(status, "error"), "message": message}
    headers = {"cache-control": "no-store", "content-language": language}
    if retry_after_s is not None:
        headers["retry-after"] = str(retry_after_s)
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    # A name that the client made up may hold half a surrogate pair, which is no UTF-8.
    content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    return Response(content, status, headers, media_type="application/json")


async def internal_error(request: Request, _: Exception) -> Response:
    """Return the reply to a request on which the program failed."""
    language = language_of(request.scope)
    return problem(500, text("error.failed", language), language=language)


class LogWithoutText(logging.Filter):
    """Keeps the place and the kind of an error in the log, and drops its words.

    An error's message often quotes the value it is about, which may be a part of the paste.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record's traceback; every record passes."""
        if record.exc_info and record.exc_info[1]:
            raised: BaseException | None = record.exc_info[1]
            lines = []
            while raised is not None:
                lines += [*traceback.format_tb(raised.__traceback__), f"{type(raised).__name__}\n"]
                raised = raised.__cause__ or raised.__context__
            record.exc_info = None
            record.exc_text = "".join(lines).rstrip()
        return True
