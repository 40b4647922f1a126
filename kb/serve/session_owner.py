"""Pages over several workers: each page belongs to one, and the others pass its requests on.

Gradio keeps the queue and the last question of a page in one process. Whose a page is follows from
the name it has given itself, so that all workers agree without asking. A worker listens for the
others at a socket in a folder that no other user can enter.
"""

from __future__ import annotations

import asyncio
import json
import re
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from kb.serve.limits import replay
from kb.serve.problems import problem
from kb.serve.reader_language import language_of
from kb.strings import text

__all__ = ["OwnerSockets", "SessionOwner"]

_QUEUE = "/gradio_api/queue/"
_HEARTBEAT = re.compile(r"/gradio_api/heartbeat/([^/]+)/?")
# What holds for one connection alone, and what the other worker's server writes anew.
_OF_THE_CONNECTION = frozenset(
    (b"connection", b"keep-alive", b"transfer-encoding", b"content-length", b"date", b"server")
)


@dataclass(frozen=True, slots=True)
class OwnerSockets:
    """Where the workers listen for each other, and which of them this one is."""

    folder: Path
    worker: int
    count: int

    def path(self, worker: int) -> str:
        """Return the socket of a worker."""
        return str(self.folder / f"worker-{worker}.sock")

    def owner(self, session: str) -> int:
        """Return the worker that a page belongs to."""
        return zlib.crc32(session.encode("utf-8", "replace")) % self.count


class SessionOwner:
    """ASGI middleware around the page: answers for the pages of its own, passes on the others'."""

    def __init__(self, app: ASGIApp, sockets: OwnerSockets) -> None:
        """Take the page and where the workers are."""
        self._app = app
        self._sockets = sockets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request here or let its page's worker do it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        body = b""
        session = ""
        if path.startswith(_QUEUE + "join"):
            body = await _body(receive)
            receive = replay(body, receive)
            session = _session_in(body)
        elif path.startswith(_QUEUE):
            query = parse_qs(scope["query_string"].decode("latin-1"))
            session = query.get("session_hash", [""])[0]
        elif beat := _HEARTBEAT.fullmatch(path):
            session = beat[1]
        owner = self._sockets.owner(session)
        if not session or owner == self._sockets.worker:
            await self._app(scope, receive, send)
        else:
            await self._pass_on(owner, body, scope, receive, send)

    @asynccontextmanager
    async def listen(self) -> AsyncIterator[None]:
        """Answer for the pages of this worker what the others pass on, until left."""
        path = Path(self._sockets.path(self._sockets.worker))
        path.unlink(missing_ok=True)  # of a worker of this number that was killed
        config = uvicorn.Config(
            _Inside(self._app),
            uds=str(path),
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            timeout_graceful_shutdown=3,
        )
        server = _QuietServer(config)
        serving = asyncio.ensure_future(server.serve())
        try:
            yield
        finally:
            server.should_exit = True
            await serving

    async def _pass_on(
        self, owner: int, body: bytes, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Let the owner answer; a reader who leaves is gone there too."""
        asking = asyncio.ensure_future(self._ask(owner, body, scope, send))
        leaving = asyncio.ensure_future(_disconnected(receive))
        await asyncio.wait({asking, leaving}, return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if not asking.done():
            asking.cancel()
            return
        if not asking.result():  # it has just ended; its successor is on the way
            language = language_of(scope)
            said = text("error.starting_again", language)
            reply = problem(503, said, language=language, retry_after_s=2)
            await reply(scope, receive, send)

    async def _ask(self, owner: int, body: bytes, scope: Scope, send: Send) -> bool:
        """Send the request on and its reply back; False where nobody is there."""
        known = {
            name: scope[name]
            for name in ("path", "root_path", "scheme", "client", "server")
            if name in scope
        }
        headers = [pair for pair in scope["headers"] if pair[0] not in _OF_THE_CONNECTION]
        headers.append((b"x-kb-scope", json.dumps(known).encode("ascii")))
        url = httpx.URL("http://worker/", path=scope["path"], query=scope["query_string"])
        transport = httpx.AsyncHTTPTransport(uds=self._sockets.path(owner))
        started = False
        try:
            async with (
                httpx.AsyncClient(transport=transport, timeout=None) as client,  # noqa: S113 - streams
                client.stream(scope["method"], url, headers=headers, content=body) as reply,
            ):
                kept = [
                    (k.lower(), v)
                    for k, v in reply.headers.raw
                    if k.lower() not in _OF_THE_CONNECTION
                ]
                await send(
                    {"type": "http.response.start", "status": reply.status_code, "headers": kept}
                )
                started = True
                async for chunk in reply.aiter_raw():
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except httpx.TransportError:
            if started:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            return started
        return True


class _Inside:
    """ASGI middleware: a request that was passed on, as the worker had it that took it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        known: dict[str, Any] = json.loads(headers.get(b"x-kb-scope", b"{}"))
        for name in ("client", "server"):
            if known.get(name):
                known[name] = tuple(known[name])
        kept = [pair for pair in scope["headers"] if pair[0] != b"x-kb-scope"]
        await self._app({**scope, **known, "headers": kept}, receive, send)


class _QuietServer(uvicorn.Server):
    """A server beside another one in the process, which has the signals."""

    def capture_signals(self) -> Any:
        return nullcontext()


async def _body(receive: Receive) -> bytes:
    """Return the body, which the guards before have bounded."""
    parts = []
    more = True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


def _session_in(body: bytes) -> str:
    try:
        session = json.loads(body).get("session_hash")
    except (ValueError, AttributeError):
        return ""
    return session if isinstance(session, str) else ""


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
