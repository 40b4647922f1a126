"""An application in, the same out with everything shut that is not said to be open."""

from __future__ import annotations

import secrets

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from kb.serve.access import Access
from kb.serve.limits import BodyLimit, RateLimit
from kb.serve.metrics import Meter, RequestMeter
from kb.serve.origins import OriginRules, SecurityHeaders
from kb.serve.paths import RootPath, route_path
from kb.serve.problems import internal_error, problem

__all__ = ["ApiToken", "protect"]


def protect(app: FastAPI, access: Access, meter: Meter) -> None:
    """Put the application behind its guards; the first added is the last to see a request."""
    # Inside the others, so that a reply to a failure has their headers too.
    app.add_middleware(ServerErrorMiddleware, handler=internal_error)
    app.add_middleware(BodyLimit, access=access, meter=meter)
    app.add_middleware(ApiToken, access=access, meter=meter)
    app.add_middleware(RateLimit, access=access, meter=meter)  # guesses of the token count too
    app.add_middleware(OriginRules, access=access)
    app.add_middleware(RequestMeter, meter=meter)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(RootPath, root_path=access.root_path)


class ApiToken:
    """ASGI middleware: where the server has a token, the API answers only those who send it."""

    def __init__(self, app: ASGIApp, access: Access, meter: Meter) -> None:
        """Take the application, the token, and where refusals are counted."""
        self._app = app
        self._token = access.api_token.encode("ascii") if access.api_token else None
        self._meter = meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on requests with the token and those that need none."""
        guarded = scope["type"] == "http" and route_path(scope).startswith("/api/")
        if not guarded or self._token is None or self._has_token(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        self._meter.refuse("token")
        message = "the API needs the header `Authorization: Bearer TOKEN` with this server's token"
        await problem(401, message)(scope, receive, send)

    def _has_token(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        assert self._token is not None
        # In constant time: the time of a comparison would tell how much of a guess is right.
        return scheme.lower() == "bearer" and secrets.compare_digest(
            given.strip().encode("latin-1"), self._token
        )
