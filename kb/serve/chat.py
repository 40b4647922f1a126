"""The web chat and the HTTP API: an application to mount or run, and the server that runs it."""

from __future__ import annotations

import hashlib
import logging
import socket
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import gradio as gr
import uvicorn
from fastapi import APIRouter, FastAPI, Query
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles

from kb.errors import InputError, KBError
from kb.feedback.store import FeedbackStore, open_store
from kb.knowledge_base import KnowledgeBase
from kb.serve.access import Access
from kb.serve.api import add_problems, create_api, health_routes
from kb.serve.feedback import Feedback, chat_feedback
from kb.serve.metrics import Meter, metrics_routes
from kb.serve.page import build_page, page_theme
from kb.serve.page_guard import PageGuard
from kb.serve.problems import LogWithoutText
from kb.serve.replies import Replies
from kb.serve.security import protect
from kb.serve.widget import widget_routes
from kb.settings import Settings
from kb.types import Language

__all__ = ["create_app", "serve"]

ASSETS = Path(__file__).resolve().parent / "assets"
# Later ones win.
STYLES = ("page.css", "form.css", "answer.css", "feedback.css", "beside.css", "narrow.css")
_log = logging.getLogger("uvicorn.error")


def create_app(
    base: KnowledgeBase | None = None,
    *,
    access: Access | None = None,
    routers: Sequence[APIRouter] = (),
    feedback: FeedbackStore | None = None,
) -> FastAPI:
    """Return web chat and API over `base`, by default the shipped one, as an ASGI application.

    `access` says who may use it and how much; by default no page of another origin may. The chat
    takes every path that is left over, so further routes come in as `routers`. Votes and unanswered
    questions are kept in `feedback`, which the application closes at its end; without it, nowhere.
    Raises IndexFolderError where the shipped index cannot be loaded.
    """
    base = base or KnowledgeBase.load()
    access = access or Access()
    meter = Meter()
    encoder_loaded = threading.Event()
    kept = Feedback(base, feedback) if feedback else None
    replies = Replies(base, kept)
    page = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    # With a policy of ours, one that lets no other origin in, Gradio adds none of its own.
    page.add_middleware(CORSMiddleware)
    gr.mount_gradio_app(
        page,
        build_page(replies, base.settings.max_paste_chars),
        path="/",
        theme=page_theme(),
        footer_links=[],
        run_history=False,  # it would keep what was pasted in the browser's database
        show_error=False,
        ssr_mode=False,
        pwa=False,
        mcp_server=False,
        enable_monitoring=False,
    )

    @asynccontextmanager
    async def run_page(_: FastAPI) -> AsyncIterator[None]:
        async with page.router.lifespan_context(page):
            yield
        if kept:
            kept.close()

    app = FastAPI(
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=run_page,
    )
    app.state.encoder_loaded = encoder_loaded
    add_problems(app, meter)
    for router in (*routers, health_routes(base, encoder_loaded), metrics_routes(meter)):
        app.include_router(router)
    app.mount("/api/v1", create_api(base, access, meter, encoder_loaded, kept))
    if kept:
        app.include_router(chat_feedback(kept))
    app.include_router(_section_routes(replies))
    app.include_router(widget_routes())
    assets = _assets_path()
    app.mount(assets, StaticFiles(directory=ASSETS))
    guarded = PageGuard(page, _first_in_head(assets), _last_in_head(assets), access.allowed_origins)
    app.mount("/", guarded)
    protect(app, access, meter)
    return app


def serve(settings: Settings | None = None, *, index: Path | str | None = None) -> None:
    """Load the index, shipped or at `index`, and serve chat and API until it is stopped.

    Feedback is kept where the settings say. The encoder loads while the page is already there.
    Raises IndexFolderError, FeedbackError, InputError where the address cannot be listened on.
    """
    settings = settings or Settings()
    host, root_path = settings.host, settings.root_path
    listening = _listen(host, settings.port)
    base = KnowledgeBase.load(index, settings=settings)
    store = open_store(settings.feedback) if settings.feedback else None
    app = create_app(base, access=Access.of(settings), feedback=store)
    loaded = app.state.encoder_loaded
    threading.Thread(target=_warm_up, args=(base, loaded), daemon=True).start()
    config = uvicorn.Config(app, access_log=False, timeout_graceful_shutdown=3)
    _log.addFilter(LogWithoutText())  # after uvicorn has set up its logs
    shown = f"[{host}]" if ":" in host else host
    _log.info("the chat is at http://%s:%s%s", shown, listening.getsockname()[1], root_path)
    uvicorn.Server(config).run(sockets=[listening])


def _section_routes(replies: Replies) -> APIRouter:
    routes = APIRouter()

    @routes.get("/chat-section", response_class=HTMLResponse, include_in_schema=False)
    def section(
        identifier: str = Query(alias="id", max_length=1000), language: Language = "en"
    ) -> HTMLResponse:
        """Return a section as HTML for the page to show."""
        html = replies.section(identifier, language)
        return HTMLResponse(html or "", 200 if html else 404)

    return routes


def _assets_path() -> str:
    """Return where style and script are served: another path for another content."""
    digest = hashlib.sha256()
    for path in sorted(ASSETS.iterdir()):
        digest.update(path.read_bytes())
    return f"/chat-assets/{digest.hexdigest()[:12]}"


def _first_in_head(assets: str) -> str:
    """Return what comes before Gradio's own scripts, which call ours."""
    return (
        '<meta name="color-scheme" content="light dark">'
        f'<link rel="icon" type="image/svg+xml" href=".{assets}/icon.svg">'
        f'<script src=".{assets}/theme.js"></script>'
        f'<script type="module" src=".{assets}/chat.js"></script>'
    )


def _last_in_head(assets: str) -> str:
    """Return what comes after Gradio's own style."""
    return "".join(f'<link rel="stylesheet" href=".{assets}/{name}">' for name in STYLES)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(cast("tuple[str, int]", address))
    except (OSError, OverflowError) as error:
        raise InputError(
            f"{host}:{port} cannot be listened on ({error}); give another --host or --port"
        ) from error
    return listening


def _warm_up(base: KnowledgeBase, loaded: threading.Event) -> None:
    try:
        base.warm_up()
        loaded.set()
    except KBError as error:  # the first question will say so too
        _log.error("the encoder cannot be loaded: %s", error)
