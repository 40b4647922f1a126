"""The web chat and the HTTP API: a knowledge base in, an application to mount or run out."""

from __future__ import annotations

import hashlib
import threading
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import gradio as gr
from fastapi import APIRouter, FastAPI, Query
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles

from kb.feedback.store import FeedbackStore
from kb.knowledge_base import KnowledgeBase
from kb.serve.access import Access
from kb.serve.api import add_problems, create_api, health_routes
from kb.serve.ask_queue import AskQueue
from kb.serve.asking import Asking
from kb.serve.current_base import CurrentBase
from kb.serve.feedback import Feedback, chat_feedback
from kb.serve.maintainers import MaintainersPage
from kb.serve.maintainers_sign_in import MaintainerSignIn
from kb.serve.mcp import mcp_beside
from kb.serve.metrics import Meter, metrics_routes
from kb.serve.page import build_page, page_theme
from kb.serve.page_guard import PageGuard
from kb.serve.page_words import PageLimits
from kb.serve.replies import Replies
from kb.serve.security import protect
from kb.serve.session_owner import OwnerSockets, SessionOwner
from kb.serve.sign_in import sign_in_routes
from kb.serve.widget_script import widget_routes
from kb.types import Language
from kb.version import __version__

__all__ = ["create_app"]

ASSETS = Path(__file__).resolve().parent / "assets"
# Later ones win.
STYLES = ("page.css", "form.css", "answer.css", "feedback.css", "beside.css", "narrow.css")


def create_app(
    base: KnowledgeBase | CurrentBase | None = None,
    *,
    access: Access | None = None,
    routers: Sequence[APIRouter] = (),
    feedback: FeedbackStore | None = None,
    mcp: bool = False,
    owners: OwnerSockets | None = None,
) -> FastAPI:
    """Return web chat and API over `base`, by default the shipped one, as an ASGI application.

    `access` says who may use it and how much; by default no page of another origin may. The chat
    takes every path that is left over, so further routes come in as `routers`. Votes and unanswered
    questions are kept in `feedback`, which the application closes at its end; without it, nowhere.
    With `mcp`, coding agents are served at `/mcp` by the same rules. Where several processes
    answer, `owners` says how they reach each other.
    Raises IndexFolderError where the shipped index cannot be loaded.
    """
    current = CurrentBase.of(base or KnowledgeBase.load())
    access = access or Access()
    meter = Meter()
    encoder_loaded = threading.Event()
    queue = AskQueue(access.asks_at_a_time, access.asks_waiting, access.ask_timeout_s)
    _watch(meter, current, queue)
    kept = Feedback(current, feedback, meter) if feedback else None
    replies = Replies(current, kept)
    page = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    # With a policy of ours, one that lets no other origin in, Gradio adds none of its own.
    page.add_middleware(CORSMiddleware)
    limits = PageLimits(current.base.settings.max_paste_chars, access.max_body_bytes)
    blocks = build_page(replies, Asking(queue, meter), limits)
    # In each worker the same, and another one where the page is.
    blocks.app_id = zlib.crc32(f"{__version__} {_assets_path()}".encode())
    gr.mount_gradio_app(
        page,
        blocks,
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

    assets = _assets_path()
    guarded = PageGuard(page, _first_in_head(assets), _last_in_head(assets), access.allowed_origins)
    owner = SessionOwner(guarded, owners) if owners else None
    agents = mcp_beside(current, queue) if mcp else None

    @asynccontextmanager
    async def run_page(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as running:
            for part in (page, agents) if agents else (page,):
                await running.enter_async_context(part.router.lifespan_context(part))
            if owner:
                await running.enter_async_context(owner.listen())
            yield
        queue.close()
        if kept:
            kept.close()

    app = FastAPI(
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=run_page,
    )
    app.state.encoder_loaded = encoder_loaded
    app.state.end_heartbeats = partial(_end_heartbeats, page)
    add_problems(app, meter)
    for router in (*routers, health_routes(current, encoder_loaded), metrics_routes(meter)):
        app.include_router(router)
    app.mount("/api/v1", create_api(current, queue, meter, encoder_loaded, kept))
    if kept:
        app.include_router(chat_feedback(kept))
    if agents:
        app.router.routes.extend(agents.routes)
    app.include_router(_section_routes(replies))
    app.include_router(widget_routes())
    app.include_router(sign_in_routes(access))
    assets = _assets_path()
    if feedback and access.maintainer_token:
        sign_in = MaintainerSignIn(access.maintainer_token)
        maintainers = MaintainersPage(feedback, sign_in, access.root_path, assets)
        app.include_router(maintainers.routes())
    app.mount(assets, StaticFiles(directory=ASSETS))
    app.mount("/", owner or guarded)
    protect(app, access, meter)
    return app


def _end_heartbeats(page: FastAPI) -> None:
    """End the connection that each open page keeps, which a server that stops would wait for."""
    for route in page.routes:
        inside = getattr(route, "app", None)
        if isinstance(inside, gr.routes.App) and inside.stop_event is not None:
            inside.stop_event.set()


def _watch(meter: Meter, current: CurrentBase, queue: AskQueue) -> None:
    """Let the metrics show the index and the queue."""
    meter.watch("kb_asks_running", "Questions being answered.", lambda: queue.running, summed=True)
    meter.watch("kb_asks_waiting", "Questions in the queue.", lambda: queue.waiting, summed=True)
    for name, meaning, value in (
        ("sections", "Sections in the index.", lambda: current.base.index.n_sections),
        ("loaded_timestamp_seconds", "When it was loaded.", lambda: current.state.loaded_at),
        ("reloads", "Newer indexes that took its place.", lambda: current.state.reloads),
        ("failures", "Newer indexes that could not be used.", lambda: current.state.failures),
        ("reload_failed", "1 where the newest can't be used.", lambda: current.state.is_failing),
    ):
        meter.watch(f"kb_index_{name}", meaning, value)


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
