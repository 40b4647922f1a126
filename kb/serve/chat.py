"""The web chat: an application to mount or run, and the server that runs it."""

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
from kb.knowledge_base import KnowledgeBase
from kb.serve.page import build_page, page_theme
from kb.serve.page_guard import PageGuard
from kb.serve.replies import Replies
from kb.types import Language

__all__ = ["create_app", "serve"]

ASSETS = Path(__file__).resolve().parent / "assets"
STYLES = ("page.css", "form.css", "answer.css", "beside.css", "narrow.css")  # later ones win
_log = logging.getLogger("uvicorn.error")


def create_app(base: KnowledgeBase | None = None, *, routers: Sequence[APIRouter] = ()) -> FastAPI:
    """Return the web chat over `base`, by default the shipped one, as an ASGI application.

    The page takes every path that is left over, so further routes come in as `routers`.
    Raises IndexFolderError where the shipped index cannot be loaded.
    """
    base = base or KnowledgeBase.load()
    replies = Replies(base)
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

    app = FastAPI(
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=run_page,
    )
    for router in routers:
        app.include_router(router)
    app.include_router(_section_routes(replies))
    assets = _assets_path()
    app.mount(assets, StaticFiles(directory=ASSETS))
    app.mount("/", PageGuard(page, _first_in_head(assets), _last_in_head(assets)))
    return app


def serve(host: str = "127.0.0.1", port: int = 7860, index: Path | str | None = None) -> None:
    """Load the index, shipped or at `index`, and serve the chat until it is stopped.

    The encoder loads while the page is already there. Raises IndexFolderError, InputError where
    the address cannot be listened on.
    """
    listening = _listen(host, port)
    base = KnowledgeBase.load(index)
    app = create_app(base)
    threading.Thread(target=_warm_up, args=(base,), daemon=True).start()
    config = uvicorn.Config(app, access_log=False, timeout_graceful_shutdown=3)
    shown = f"[{host}]" if ":" in host else host
    _log.info("the chat is at http://%s:%s", shown, listening.getsockname()[1])
    uvicorn.Server(config).run(sockets=[listening])


def _section_routes(replies: Replies) -> APIRouter:
    routes = APIRouter()

    @routes.get("/chat-section", response_class=HTMLResponse)
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


def _warm_up(base: KnowledgeBase) -> None:
    try:
        base.warm_up()
    except KBError as error:  # the first question will say so too
        _log.error("the encoder cannot be loaded: %s", error)
