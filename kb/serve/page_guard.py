"""Gradio's application in, the same with its doors shut out.

What a page of Gradio could load from elsewhere is taken out of it and forbidden by a policy, and
of its routes only those stay open that the chat needs: no uploads, no files, no proxy, no API.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["PageGuard"]

# Metadata for link previews and app stores, all of it Gradio's own; scripts and links elsewhere.
_ABOUT_GRADIO = re.compile(
    r'<meta\s+(?:property="og:|name="twitter:)[^>]*>'
    r'|<link\b[^>]*(?:rel="manifest"|href="(?:https?:)?//)[^>]*>'
    r'|<script\b[^>]*src="(?:https?:)?//[^>]*>\s*</script>'
)
# Lets a page around this one resize its frame, whatever its origin.
_FRAME_RESIZER = re.compile(
    r"<script(?:(?!</script>).)*?iFrameResizer(?:(?!</script>).)*</script>", re.DOTALL
)
_FRAME_SCRIPT = re.compile(
    r"<script>(?:(?!</script>).)*iframeResizer\.(?:(?!</script>).)*</script>", re.DOTALL
)
_SCRIPT = re.compile(r"<script(?=[\s>])")
_OPEN = re.compile(
    r"/(?:config|theme\.css|favicon\.ico|robots\.txt|(?:assets|static)/.+"
    r"|gradio_api/(?:app_id|startup-events|theme\.css|heartbeat/[^/]+|queue/(?:join|data)))?/?"
)
# Gradio compiles its templates in the page, hence 'unsafe-eval'; it sets styles in elements.
_POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval';"
    " style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:;"
    " connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors {ancestors}"
)
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class PageGuard:
    """ASGI middleware around the Gradio application."""

    def __init__(
        self,
        app: ASGIApp,
        first_in_head: str,
        last_in_head: str,
        frame_origins: Sequence[str] = (),
    ) -> None:
        """Take the application, what is added to the `<head>` of its page, and who may frame it.

        Pages of the same origin may frame it as well as those of `frame_origins`.
        """
        self._app = app
        self._first_in_head = first_in_head
        self._last_in_head = last_in_head
        self._ancestors = " ".join(("'self'", *frame_origins))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or 404 where the chat does not need the route."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", "")) or "/"
        if not _OPEN.fullmatch(path):
            await PlainTextResponse("not found", 404)(scope, receive, send)
        elif path == "/":
            await self._page(scope, receive, send)
        else:
            await self._app(scope, receive, _with_headers(send))

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Collect the page, rewrite it and send it with its policy."""
        # The page has to come uncompressed to be rewritten.
        kept = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
        scope = {**scope, "headers": kept}
        start: Message = {}
        body = bytearray()

        async def collect(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            if message["type"] != "http.response.body":
                await send(message)
                return
            body.extend(message.get("body", b""))
            if message.get("more_body"):
                return
            nonce = secrets.token_urlsafe(16)
            page = self._rewrite(body.decode("utf-8"), nonce).encode("utf-8")
            headers = MutableHeaders(raw=list(start["headers"]))
            headers["content-length"] = str(len(page))
            headers["content-security-policy"] = _POLICY.format(
                nonce=nonce, ancestors=self._ancestors
            )
            if self._ancestors == "'self'":  # the old header knows no list
                headers["x-frame-options"] = "SAMEORIGIN"
            headers["cache-control"] = "no-store"
            send_out = _with_headers(send)
            await send_out({**start, "headers": headers.raw})
            await send_out({"type": "http.response.body", "body": page})

        await self._app(scope, receive, collect)

    def _rewrite(self, page: str, nonce: str) -> str:
        for unwanted in (_ABOUT_GRADIO, _FRAME_RESIZER, _FRAME_SCRIPT):
            page = unwanted.sub("", page)
        page = page.replace("<head>", "<head>" + self._first_in_head, 1)
        page = page.replace("</head>", self._last_in_head + "</head>", 1)
        return _SCRIPT.sub(f'<script nonce="{nonce}"', page)


def _with_headers(send: Send) -> Send:
    async def send_out(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message["headers"]))
            for name, value in _HEADERS.items():
                headers[name] = value
            message = {**message, "headers": headers.raw}
        await send(message)

    return send_out
