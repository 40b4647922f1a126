"""Whom a request comes from: the address the server saw, and the client a proxy vouches for."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Any, cast

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

__all__ = ["Peers", "client_of", "is_trusted"]

_PEER = "kb.peer"


class Peers:
    """ASGI middleware: remembers who really connected, then believes what trusted proxies say.

    Has to see the request before anything else changes its client: run it with uvicorn's own
    `proxy_headers=False`.
    """

    def __init__(self, app: ASGIApp, trusted: Sequence[str]) -> None:
        """Take the application and the proxies' addresses or networks, "*" for everybody."""
        # Reads X-Forwarded-For from the right up to the first address that is not trusted.
        self._app: Any = ProxyHeadersMiddleware(cast("Any", app), trusted_hosts=list(trusted))
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its client as far as it is known."""
        if scope["type"] in ("http", "websocket"):
            host, port = scope.get("client") or ("", 0)
            host = host.removeprefix("::ffff:")  # an IPv4 client of a socket for both
            scope = {**scope, "client": (host, port), _PEER: _is_in(host, self._trusted)}
        await self._app(scope, receive, send)


def is_trusted(scope: Scope) -> bool:
    """Whether the one who connected, not who it says it forwards for, is a trusted proxy."""
    return bool(scope.get(_PEER, False))


def client_of(scope: Scope) -> str:
    """Return whom a request counts for: an IPv4 address, or an IPv6 network of one customer."""
    host: str = scope["client"][0] if scope.get("client") else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((int(address), 64), strict=False))
    return str(address)


def _is_in(host: str, networks: Sequence[str]) -> bool:
    if "*" in networks:
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return any(address in ipaddress.ip_network(network) for network in networks)
