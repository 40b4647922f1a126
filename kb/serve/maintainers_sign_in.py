"""A request in, "is it a maintainer's" out: by the token, or by a cookie that was given for it."""

from __future__ import annotations

import time
from collections.abc import Callable

from starlette.requests import Request

from kb.serve.sign_in import SESSION_S, Sessions

__all__ = ["COOKIE", "STAYS_S", "MaintainerSignIn"]

COOKIE = "kb-maintainer"
STAYS_S = SESSION_S


class MaintainerSignIn:
    """Knows the token, and keeps nothing: servers agree, and a restart signs nobody out."""

    def __init__(self, token: str, clock: Callable[[], float] = time.time) -> None:
        """Take the token, printable ASCII, and a clock in seconds since 1970."""
        self._sessions = Sessions(token, clock)

    def knows(self, request: Request) -> bool:
        """Whether the request has the token as `Authorization: Bearer`, or a cookie that holds."""
        return self.has_token(request) or self._sessions.is_open(request.cookies.get(COOKIE, ""))

    def has_token(self, request: Request) -> bool:
        """Whether the request has the token itself, which no browser sends unasked."""
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self.is_token(given)

    def is_token(self, given: str) -> bool:
        """Whether `given` is the token, in a time that does not tell how much of it is right."""
        return self._sessions.is_token(given)

    def cookie(self) -> str:
        """Return the value of a cookie that holds for `STAYS_S` seconds."""
        return self._sessions.open()
