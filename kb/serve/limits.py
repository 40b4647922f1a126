"""Requests in, only those out that are small, complete, in time, and not too many of one client."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb.serve.access import Access
from kb.serve.metrics import Meter
from kb.serve.paths import route_path
from kb.serve.peers import client_of
from kb.serve.problems import problem
from kb.serve.reader_language import language_of
from kb.strings import text

__all__ = ["BodyLimit", "RateLimit", "TokenBuckets", "replay"]

# What makes the server work; the page's own files, its heartbeat and health checks are free.
_COUNTED = (
    "/api/",
    "/mcp",
    "/sign-in",
    "/chat-section",
    "/chat-feedback",
    "/gradio_api/queue/join",
    "/maintainers",
)
_MOST_CLIENTS = 20_000  # remembered at a time, about 4 MB
# A client that is refused while it sends would see a broken connection and no reason, so that
# the rest is read and thrown away, up to a bound.
_MOST_DISCARDED_BYTES = 64_000_000


class TokenBuckets:
    """A bucket of tokens for each client: full at first, refilled evenly over a minute."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the size of a bucket, which also is its refill, and a clock in seconds."""
        self._size = float(per_minute)
        self._per_second = per_minute / 60
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens, when

    def __len__(self) -> int:
        """Return how many clients are remembered."""
        return len(self._buckets)

    def take(self, client: str) -> float:
        """Take a token and return 0, or the seconds until there is one."""
        now = self._clock()
        tokens, when = self._buckets.pop(client, (self._size, now))
        tokens = min(self._size, tokens + (now - when) * self._per_second)
        wait_s = 0.0 if tokens >= 1 else (1 - tokens) / self._per_second
        self._buckets[client] = (tokens if wait_s else tokens - 1, now)
        if len(self._buckets) > _MOST_CLIENTS:  # the one not seen for the longest time is forgotten
            self._buckets.popitem(last=False)
        return wait_s


class RateLimit:
    """ASGI middleware: so many requests of one client a minute, then 429 until a token is back."""

    def __init__(self, app: ASGIApp, access: Access, meter: Meter) -> None:
        """Take the application, what is allowed, and where refusals are counted."""
        self._app = app
        self._meter = meter
        per_minute = access.requests_per_minute
        self._per_minute = per_minute
        self._buckets = TokenBuckets(per_minute) if per_minute else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is within the limit, refuse the rest."""
        counted = scope["type"] == "http" and route_path(scope).startswith(_COUNTED)
        wait_s = 0.0
        if counted and self._buckets is not None:
            wait_s = self._buckets.take(client_of(scope))
        if not wait_s:
            await self._app(scope, receive, send)
            return
        self._meter.refuse("rate_limit")
        seconds = math.ceil(wait_s)
        language = language_of(scope)
        said = text("error.rate_limit", language, limit=self._per_minute, seconds=seconds)
        reply = problem(429, said, language=language, retry_after_s=seconds)
        await reply(scope, receive, send)


class BodyLimit:
    """ASGI middleware: takes a request's body in, up to a size and within a time, then passes on.

    So a slow sender holds no place in the queue, and all bodies together stay within a bound.
    """

    def __init__(self, app: ASGIApp, access: Access, meter: Meter) -> None:
        """Take the application, what is allowed, and where refusals are counted."""
        self._app = app
        self._access = access
        self._meter = meter
        self._held_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is within the limits, refuse the rest."""
        # Routes read no body of the other methods, and the server reads none ahead.
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        body = bytearray()
        try:
            refused = await self._read(scope, receive, body)
            if refused is None:
                await self._app(scope, replay(bytes(body), receive), send)
            elif refused:
                await self._refuse(refused, scope, receive, send)
        finally:
            self._held_bytes -= len(body)

    async def _read(self, scope: Scope, receive: Receive, body: bytearray) -> str | None:
        """Fill `body`; return None, why it is refused, or "" where the client has gone."""
        headers = Headers(scope=scope)
        announced = headers.get("content-length", "")
        if announced.isdigit() and int(announced) > self._access.max_body_bytes:
            if "expect" not in headers:  # else the client waits to be told, and has sent nothing
                await self._discard(receive)
            return "body"
        deadline = time.monotonic() + self._access.body_timeout_s
        more = True
        while more:
            try:
                message = await asyncio.wait_for(receive(), deadline - time.monotonic())
            except asyncio.TimeoutError:
                return "slow_body"
            if message["type"] == "http.disconnect":
                return ""
            chunk = message.get("body", b"")
            more = message.get("more_body", False)
            body += chunk
            self._held_bytes += len(chunk)
            if len(body) > self._access.max_body_bytes:
                if more:
                    await self._discard(receive)
                return "body"
            if self._held_bytes > self._access.max_held_bytes:
                return "memory"
        return None

    async def _discard(self, receive: Receive) -> None:
        async def read_on() -> None:
            discarded = 0
            while discarded < _MOST_DISCARDED_BYTES:
                message = await receive()
                discarded += len(message.get("body", b""))
                if not message.get("more_body"):
                    return

        try:
            await asyncio.wait_for(read_on(), self._access.body_timeout_s)
        except asyncio.TimeoutError:
            return

    async def _refuse(self, reason: str, scope: Scope, receive: Receive, send: Send) -> None:
        self._meter.refuse(reason)
        language = language_of(scope)
        if reason == "body":
            limit = f"{self._access.max_body_bytes:,}"
            said = text("error.body_too_large", language, limit=limit)
            reply = problem(413, said, language=language)
        elif reason == "slow_body":
            seconds = f"{self._access.body_timeout_s:g}"
            said = text("error.body_too_slow", language, seconds=seconds)
            reply = problem(408, said, language=language)
        else:
            said = text("error.reading_too_much", language)
            reply = problem(503, said, language=language, retry_after_s=5)
        reply.headers["connection"] = "close"
        await reply(scope, receive, send)


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body once, then what the server says."""
    given = False

    async def replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
