"""The page for maintainers: what the documents don't answer, kept feedback in, HTML out.

It is there only where the server has a token for it, and answers everybody else as if it were not.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable
from typing import cast
from urllib.parse import parse_qs

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from kb.feedback.gaps import stored_gaps
from kb.feedback.records import MARK_STATES, MarkState
from kb.feedback.report import gaps_report
from kb.feedback.store import FeedbackError, FeedbackStore
from kb.serve.maintainers_html import Place, gaps_page, message_page, sign_in_page
from kb.serve.maintainers_sign_in import COOKIE, STAYS_S, MaintainerSignIn
from kb.serve.origins import is_own_origin
from kb.serve.reader_language import accepted_language
from kb.types import Language

__all__ = ["MaintainersPage"]

_log = logging.getLogger("uvicorn.error")
_MAX_FORM_BYTES = 4_000
_GAP = re.compile(r"[0-9a-f]{32}")
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self';"
    " frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "cache-control": "no-store",
    "x-frame-options": "DENY",
    # With the usual `no-referrer` browsers send `Origin: null`, whatever page the form is on.
    "referrer-policy": "same-origin",
    "x-robots-tag": "noindex",
}


class MaintainersPage:
    """The routes of the page over one store."""

    def __init__(
        self, store: FeedbackStore, sign_in: MaintainerSignIn, root_path: str, assets: str
    ) -> None:
        """Take the store, who is let in, the proxy's sub-path, and where style sheets are."""
        self._store = store
        self._sign_in = sign_in
        self._root_path = root_path
        self._assets = assets
        # Grouping a full store takes a processor some seconds: one at a time.
        self._reading = threading.Lock()

    def routes(self) -> APIRouter:
        """Return the routes, none of which is in the API's description."""
        routes = APIRouter(include_in_schema=False)
        routes.add_api_route("/maintainers", self.page, methods=["GET"])
        routes.add_api_route("/maintainers/gaps.md", self.report, methods=["GET"])
        routes.add_api_route("/maintainers/mark", self.mark, methods=["POST"])
        routes.add_api_route("/maintainers/sign-in", self.ask_token, methods=["GET"])
        routes.add_api_route("/maintainers/sign-in", self.sign_in, methods=["POST"])
        routes.add_api_route("/maintainers/sign-out", self.sign_out, methods=["POST"])
        return routes

    async def page(self, request: Request) -> Response:
        """Return the page, or 404 to those who have not signed in."""
        if not self._sign_in.knows(request):
            return _not_there()
        place = self._place(request)

        def made() -> Response:
            with self._reading:
                return _html(gaps_page(stored_gaps(self._store), place))

        return await self._or_failure(made, place)

    async def report(self, request: Request) -> Response:
        """Return what `kb gaps` writes."""
        if not self._sign_in.knows(request):
            return _not_there()

        def made() -> Response:
            with self._reading:
                report = gaps_report(stored_gaps(self._store))
            headers = {**_HEADERS, "content-disposition": 'attachment; filename="gaps.md"'}
            return Response(report.encode(), 200, headers, media_type="text/markdown")

        return await self._or_failure(made, self._place(request))

    async def mark(self, request: Request) -> Response:
        """Mark a gap, and show the page again."""
        if not self._sign_in.knows(request):
            return _not_there()
        place = self._place(request)
        if not (_is_from_here(request) or self._sign_in.has_token(request)):
            return _html(message_page("maintainers.other_page", place), 403)
        form = await _form(request)
        gaps, (state, *_) = form.get("gap", []), form.get("state", [""])
        if not gaps or not all(map(_GAP.fullmatch, gaps)) or state not in (*MARK_STATES, "open"):
            return _html(message_page("maintainers.no_mark", place), 422)
        marked = None if state == "open" else cast(MarkState, state)

        def made() -> Response:
            for gap in gaps:
                self._store.set_mark(gap, marked)
            return self._to_page(place)

        return await self._or_failure(made, place)

    async def ask_token(self, request: Request) -> Response:
        """Return the form for the token."""
        return _html(sign_in_page(self._place(request)))

    async def sign_in(self, request: Request) -> Response:
        """Give a cookie for the token."""
        place = self._place(request)
        if not _is_from_here(request):
            return _html(message_page("maintainers.other_page", place), 403)
        form = await _form(request)
        if not self._sign_in.is_token("".join(form.get("token", []))):
            return _html(sign_in_page(place, "maintainers.wrong_token"), 403)
        reply = self._to_page(place)
        reply.set_cookie(
            COOKIE,
            self._sign_in.cookie(),
            max_age=STAYS_S,
            path=f"{self._root_path}/maintainers",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return reply

    async def sign_out(self, request: Request) -> Response:
        """Take the cookie back."""
        place = self._place(request)
        if not _is_from_here(request):
            return _html(message_page("maintainers.other_page", place), 403)
        reply = RedirectResponse(place.address("/sign-in"), 303, _HEADERS)
        reply.delete_cookie(COOKIE, path=f"{self._root_path}/maintainers")
        return reply

    def _place(self, request: Request) -> Place:
        return Place(_language(request), self._root_path, self._assets)

    def _to_page(self, place: Place) -> Response:
        return RedirectResponse(place.address(""), 303, _HEADERS)

    async def _or_failure(self, make: Callable[[], Response], place: Place) -> Response:
        """Return what is made, or a page that says that the store cannot be used."""
        try:
            return await run_in_threadpool(make)
        except FeedbackError as error:
            _log.error("the page for maintainers could not be made: %s", error)
            return _html(message_page("maintainers.failed", place), 503)


def _html(page: str, status: int = 200) -> Response:
    return HTMLResponse(page.encode(), status, _HEADERS)


def _not_there() -> Response:
    """Return the reply to a path that the server does not have."""
    return PlainTextResponse("not found", 404)


def _is_from_here(request: Request) -> bool:
    """Whether a form was sent by a page of this server: cookies alone do not say so."""
    origin = request.headers.get("origin")
    return origin is not None and is_own_origin(request, origin)


def _language(request: Request) -> Language:
    chosen = request.query_params.get("language")
    if chosen not in ("ko", "en"):
        return accepted_language(request.headers.get("accept-language", ""))
    return cast(Language, chosen)


async def _form(request: Request) -> dict[str, list[str]]:
    """Return the fields of a form as browsers send it by default; nothing for anything else."""
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    body = await request.body()
    if kind != "application/x-www-form-urlencoded" or len(body) > _MAX_FORM_BYTES:
        return {}
    return parse_qs(body.decode("utf-8", "replace"))
