"""Who a request is from: a program by its token, a person by a cookie or by the portal's proxy.

The three ways are apart: `api_token` is for programs, `chat_token` for people, who get a cookie for
it on the page `/sign-in`, `trusted_header` is for portals whose proxy signs people in itself.
Nothing of it is logged or stored, and the application behind sees none of it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from fastapi import APIRouter
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from kb.serve.access import Access
from kb.serve.escaping import escape
from kb.serve.metrics import Meter
from kb.serve.paths import route_path
from kb.serve.peers import is_trusted
from kb.serve.problems import problem
from kb.serve.reader_language import accepted_language, language_of
from kb.strings import text
from kb.types import Language

__all__ = ["SESSION_S", "Sessions", "SignIn", "sign_in_routes"]

COOKIE = "kb_session"
SESSION_S = 12 * 3600  # a working day; then the token is asked for again
SIGN_IN = "/sign-in"
# Probes and Prometheus come from the machine's own network and see no content.
_OPEN = ("/healthz", "/readyz", "/metrics")
_PROGRAMS = ("/api/", "/mcp")
_OWN_SIGN_IN = "/maintainers"  # has a token beside those here


class Sessions:
    """The values of cookies: signed and dated; any worker knows them, and none is stored."""

    def __init__(self, token: str, clock: Callable[[], float] = time.time) -> None:
        """Take the secret that people sign in with; another one ends all sessions."""
        self._token = token.encode("ascii")
        self._key = hmac.digest(self._token, b"kb session", "sha256")
        self._clock = clock

    def is_token(self, given: str) -> bool:
        """Compare in constant time: the time would tell how much of a guess is right."""
        return hmac.compare_digest(given.strip().encode("utf-8", "replace"), self._token)

    def open(self) -> str:
        """Return the value of a cookie for somebody who knew the token."""
        body = f"{int(self._clock()) + SESSION_S}.{secrets.token_urlsafe(12)}"
        return f"{body}.{self._signature(body)}"

    def is_open(self, value: str) -> bool:
        """Whether a cookie is one of ours and not too old."""
        body, _, signature = value.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._signature(body).encode()):
            return False
        return int(body.partition(".")[0]) > self._clock()  # ours, so it is a number

    def _signature(self, body: str) -> str:
        digest = hmac.digest(self._key, body.encode("utf-8", "replace"), "sha256")
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


class SignIn:
    """ASGI middleware: passes on who may come in, without what they came in by."""

    def __init__(self, app: ASGIApp, access: Access, meter: Meter) -> None:
        """Take the application, who may come in, and where refusals are counted."""
        self._app = app
        self._meter = meter
        self._root_path = access.root_path
        self._header = access.trusted_header.lower() if access.trusted_header else None
        self._sessions = Sessions(access.chat_token) if access.chat_token else None
        given = (access.api_token, access.chat_token)
        self._tokens = [token.encode("ascii") for token in given if token]
        self._all_guarded = bool(self._header or self._sessions)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request, show the way to sign in, or refuse."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        path = route_path(scope)
        is_program = path.startswith(_PROGRAMS)
        if self._is_open(path, is_program) or self._is_known(scope, headers, is_program):
            if path != SIGN_IN:
                scope = self._without_credentials(scope, path)
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif self._sessions and scope["method"] == "GET" and _is_page(headers):
            await RedirectResponse(self._root_path + SIGN_IN, 303)(scope, receive, send)
        else:
            self._meter.refuse("sign_in")
            language = language_of(scope)
            reply = problem(401, self._message(is_program, language), language=language)
            await reply(scope, receive, send)

    def _is_open(self, path: str, is_program: bool) -> bool:
        if path in _OPEN or (self._sessions and path == SIGN_IN):
            return True
        # Who has the maintainers' token needs no other one. Behind a portal's own sign-in they
        # come signed in like everybody.
        if not self._header and (
            f"{path}/".startswith(f"{_OWN_SIGN_IN}/") or path.endswith("/maintainers.css")
        ):
            return True
        return not (self._all_guarded or (is_program and self._tokens))

    def _is_known(self, scope: Scope, headers: Headers, is_program: bool) -> bool:
        if self._header and is_trusted(scope):
            names = headers.getlist(self._header)
            # Two would mean that the proxy added its own beside the client's.
            if len(names) == 1 and names[0].strip():
                return True
        if self._sessions and self._sessions.is_open(_cookie(headers)):
            return True
        return is_program and self._has_token(headers)

    def _has_token(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        sent = given.strip().encode("latin-1")
        found = [hmac.compare_digest(sent, token) for token in self._tokens]  # all of them
        return scheme.lower() == "bearer" and any(found)

    def _without_credentials(self, scope: Scope, path: str) -> Scope:
        """Return the request as if whoever may come in had sent nothing for it."""
        dropped = {self._header.encode("ascii")} if self._header else set()
        if not path.startswith(_OWN_SIGN_IN):
            dropped.add(b"authorization")
        kept = [pair for pair in scope["headers"] if pair[0].lower() not in dropped]
        if self._sessions:
            kept = [(name, _other_cookies(name, value)) for name, value in kept]
        return {**scope, "headers": kept}

    def _message(self, is_program: bool, language: Language) -> str:
        if is_program and self._tokens:
            return text("error.needs_token", language)
        if self._header:
            return text("error.needs_portal", language)
        return text("error.needs_sign_in", language, path=f"{self._root_path}{SIGN_IN}")


def sign_in_routes(access: Access) -> APIRouter:
    """Return the page that takes the token and gives the cookie; none without a `chat_token`."""
    routes = APIRouter()
    if not access.chat_token:
        return routes
    sessions = Sessions(access.chat_token)
    home = access.root_path + "/"

    ancestors = " ".join(("'self'", *access.allowed_origins))

    @routes.get(SIGN_IN, include_in_schema=False)
    async def show(request: Request) -> Response:
        inside = sessions.is_open(_cookie(request.headers))
        return _page(request, ancestors, inside=inside)

    @routes.post(SIGN_IN, include_in_schema=False)
    async def sign_in(request: Request) -> Response:
        form = parse_qs((await request.body())[:10_000].decode("utf-8", "replace"))
        if "leave" in form:
            reply: Response = RedirectResponse(home + SIGN_IN[1:], 303)
            reply.delete_cookie(COOKIE, path=home)
            return reply
        if not sessions.is_token(form.get("token", [""])[0]):
            return _page(request, ancestors, wrong=True)
        reply = RedirectResponse(home, 303)
        reply.set_cookie(
            COOKIE,
            sessions.open(),
            max_age=SESSION_S,
            path=home,
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="lax",  # with "strict" a link from the portal would ask for the token again
        )
        return reply

    return routes


_STYLE = (
    "body{font:1rem/1.6 system-ui,sans-serif;max-width:26rem;margin:15vh auto;padding:0 1rem;"
    "color-scheme:light dark}input,button{font:inherit;display:block;width:100%;padding:.5rem;"
    "box-sizing:border-box;margin:.5rem 0}[role=alert]{color:#c00;background:#fff;padding:.5rem}"
)
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'self'; base-uri 'none';"
    " frame-ancestors {ancestors}"
)


def _page(
    request: Request, ancestors: str, *, wrong: bool = False, inside: bool = False
) -> Response:
    language = accepted_language(request.headers.get("accept-language", ""))

    def words(key: str) -> str:
        return escape(text(f"sign_in.{key}", language))

    alert = f'<p role="alert">{words("wrong")}</p>' if wrong else ""
    leave = ""
    if inside:
        button = f'<button name="leave" value="1">{words("leave")}</button>'
        leave = f'<form method="post">{button}</form>'
    html = (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{words('title')}</title><style>{_STYLE}</style></head><body><main>"
        f"<h1>{words('title')}</h1>{alert}"
        f'<form method="post"><label for="token">{words("token")}</label>'
        '<input id="token" name="token" type="password" required autofocus'
        f' autocomplete="current-password"><button>{words("enter")}</button></form>'
        f"{leave}</main></body></html>"
    )
    headers = {
        "cache-control": "no-store",
        "content-security-policy": _POLICY.format(ancestors=ancestors),
    }
    return HTMLResponse(html, 401 if wrong else 200, headers)


def _is_page(headers: Headers) -> bool:
    return "text/html" in headers.get("accept", "")


def _other_cookies(name: bytes, value: bytes) -> bytes:
    if name != b"cookie":
        return value
    cookies = (part.strip() for part in value.split(b";"))
    return b"; ".join(part for part in cookies if not part.startswith(COOKIE.encode() + b"="))


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""
