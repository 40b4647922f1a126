"""The widget's source in, the script and the patterns that browsers load out.

The source stands in the folder `widget` beside this module, with its comments and indentation;
what is served is without them, so that every page of a portal loads less.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from kb.serve.masking_patterns import PATTERNS, PLAIN

__all__ = ["masking_routes", "widget_routes", "widget_script"]

_SOURCE = Path(__file__).resolve().parent / "widget" / "widget.js"
_CACHED_S = 300  # pages have a new widget five minutes after the server has
_STYLE = re.compile(r"(?<=replaceSync\(`)[^`]*(?=`\))")


def widget_script() -> bytes:
    """Return the script as it is served."""
    import rjsmin

    source = _SOURCE.read_text(encoding="utf-8")
    script: str = rjsmin.jsmin(_STYLE.sub(lambda style: _small(style[0]), source))
    return script.encode("utf-8")


def _small(style: str) -> str:
    """Return a style sheet without the blanks that mean nothing in it."""
    return re.sub(r"(?<=[{};:,])\s+|\s+(?=[{};])", "", " ".join(style.split()))


def widget_routes() -> APIRouter:
    """Return the route `/widget.js`, to be included before the chat, which takes all paths."""
    routes = APIRouter()
    body = widget_script()
    headers = {
        "cache-control": f"public, max-age={_CACHED_S}",
        "etag": f'"{hashlib.sha256(body).hexdigest()[:16]}"',
        # A page that isolates itself (COEP) may load it too.
        "cross-origin-resource-policy": "cross-origin",
    }

    @routes.api_route("/widget.js", methods=["GET", "HEAD"], include_in_schema=False)
    async def script(request: Request) -> Response:
        known = request.headers.get("if-none-match", "")
        if headers["etag"] in known:
            return Response(status_code=304, headers=headers)
        return Response(body, media_type="text/javascript", headers=headers)

    return routes


def masking_routes() -> APIRouter:
    """Return the route `/masking` of the API: what the widget masks by, before it asks."""
    routes = APIRouter()
    content: dict[str, Any] = {"plain": PLAIN, "forms": PATTERNS}

    @routes.get("/masking", include_in_schema=False)
    async def patterns() -> Response:
        headers = {"cache-control": f"public, max-age={_CACHED_S}"}
        return JSONResponse(content, headers=headers)

    return routes
