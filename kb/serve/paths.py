"""The server under a sub-path of a proxy: a path as it was asked in, the route's path out."""

from __future__ import annotations

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["RootPath", "route_path"]


def route_path(scope: Scope) -> str:
    """Return the path as the routes know it, without the sub-path of the proxy."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    return path[len(root) :] or "/" if root and (path + "/").startswith(root + "/") else path


class RootPath:
    """ASGI middleware: the sub-path may arrive, or be stripped by the proxy on the way."""

    def __init__(self, app: ASGIApp, root_path: str) -> None:
        """Take the application and the sub-path: "" or "/kb", no `/` at the end."""
        self._app = app
        self._root_path = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its path and sub-path as ASGI wants them."""
        root = self._root_path
        if root and scope["type"] in ("http", "websocket"):
            path = scope["path"]
            if path == root:  # relative addresses in the page count from the `/` at the end
                await RedirectResponse(root + "/", 308)(scope, receive, send)
                return
            if not path.startswith(root + "/"):
                path = root + path
            scope = {**scope, "path": path, "root_path": root}
        await self._app(scope, receive, send)
