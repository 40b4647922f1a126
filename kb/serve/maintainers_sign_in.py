"""A request in, "is it a maintainer's" out: by the token, or by a cookie that was given for it."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable

from starlette.requests import Request

__all__ = ["COOKIE", "STAYS_S", "SignIn"]

COOKIE = "kb-maintainer"
STAYS_S = 12 * 3600  # signed in, a long working day


class SignIn:
    """Knows the token, and keeps nothing: servers agree, and a restart signs nobody out.

    A cookie is a time at which it ends and that time's signature under the token.
    """

    def __init__(self, token: str, clock: Callable[[], float] = time.time) -> None:
        """Take the token, printable ASCII, and a clock in seconds since 1970."""
        self._token = token.encode("ascii")
        self._clock = clock

    def knows(self, request: Request) -> bool:
        """Whether the request has the token as `Authorization: Bearer`, or a cookie that holds."""
        return self.has_token(request) or self._holds(request.cookies.get(COOKIE, ""))

    def has_token(self, request: Request) -> bool:
        """Whether the request has the token itself, which no browser sends unasked."""
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self.is_token(given.strip())

    def is_token(self, given: str) -> bool:
        """Whether `given` is the token, in a time that does not tell how much of it is right."""
        return secrets.compare_digest(given.encode("utf-8", "replace"), self._token)

    def cookie(self) -> str:
        """Return the value of a cookie that holds for `STAYS_S` seconds."""
        end = str(int(self._clock()) + STAYS_S)
        return f"{end}.{self._signature(end)}"

    def _holds(self, cookie: str) -> bool:
        end, _, signature = cookie.partition(".")
        if not (end.isascii() and end.isdigit() and len(end) <= 12):
            return False
        is_ours = secrets.compare_digest(
            signature.encode("utf-8", "replace"), self._signature(end).encode("ascii")
        )
        return is_ours and self._clock() < int(end)

    def _signature(self, end: str) -> str:
        said = f"{COOKIE}:{end}".encode("ascii")
        return hmac.new(self._token, said, hashlib.sha256).hexdigest()
