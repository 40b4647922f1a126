"""A request's origin in, what a page there may do with the reply out.

One list decides who may read replies of the API; who may frame the chat is decided by the same
list in `page_guard`. An origin is compared whole: no patterns, no sub-domains, no other ports.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb.serve.access import Access
from kb.serve.paths import route_path
from kb.serve.problems import problem
from kb.serve.reader_language import language_of
from kb.strings import text

__all__ = ["OriginRules", "SecurityHeaders", "is_own_origin"]

# Pages of other origins have no business with the routes of the chat page itself.
_SHARED = ("/api/", "/widget", "/mcp")
_PREFLIGHT_AGE_S = 600
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


class OriginRules:
    """ASGI middleware: CORS for the origins on the list, a refusal for all others.

    A request without `Origin` does not come from another page; one with `Origin` is the server's
    own where that names the host that was asked, or the browser itself says so.
    """

    def __init__(self, app: ASGIApp, access: Access) -> None:
        """Take the application and the list."""
        self._app = app
        self._allowed = frozenset(access.allowed_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a preflight or a refused request; pass on the others."""
        if scope["type"] != "http" or not route_path(scope).startswith(_SHARED):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        send_out = _varied(send, origin if origin in self._allowed else None)
        # No page of ours calls agents' tools: one that says so came by a name rebound to this host.
        own = not route_path(scope).startswith("/mcp") and is_own_origin(
            Request(scope), origin or ""
        )
        if origin is None or origin in self._allowed or own:
            if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
                await _preflight()(scope, receive, send_out)
            else:
                await self._app(scope, receive, send_out)
            return
        language = language_of(scope)
        reply = problem(403, text("error.origin", language), language=language)
        await reply(scope, receive, send_out)


def is_own_origin(request: Request, origin: str) -> bool:
    """Whether a page of this server sent the request: it names the host that was asked."""
    if request.headers.get("sec-fetch-site") == "same-origin":
        return True
    scheme, _, host = origin.partition("://")
    return scheme in ("http", "https") and bool(host) and host == request.headers.get("host")


def _preflight() -> Response:
    return Response(
        status_code=204,
        headers={
            "access-control-allow-methods": "GET, POST",
            "access-control-allow-headers": "authorization, content-type",
            "access-control-max-age": str(_PREFLIGHT_AGE_S),
        },
    )


def _varied(send: Send, allowed: str | None) -> Send:
    """Return `send` that names the allowed origin, and tells caches that replies differ by it."""

    async def send_out(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message["headers"]))
            headers.add_vary_header("Origin")
            if allowed:
                headers["access-control-allow-origin"] = allowed
                headers["access-control-expose-headers"] = "Retry-After"
            else:  # of the preflight; an own page needs none
                for name in ("methods", "headers"):
                    del headers[f"access-control-allow-{name}"]
            message = {**message, "headers": headers.raw}
        await send(message)

    return send_out


class SecurityHeaders:
    """ASGI middleware: what no reply may be without; a route's own policy stays."""

    def __init__(self, app: ASGIApp) -> None:
        """Take the application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and add the headers to its reply."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = route_path(scope)

        async def send_out(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=list(message["headers"]))
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("content-security-policy", _POLICY)
                if not path.startswith("/widget"):  # which other pages load as a script
                    headers.setdefault("cross-origin-resource-policy", "same-origin")
                message = {**message, "headers": headers.raw}
            await send(message)

        await self._app(scope, receive, send_out)
