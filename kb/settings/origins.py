"""An origin as a person writes it in, as browsers write it out."""

from __future__ import annotations

import re

from kb.errors import InputError

__all__ = ["parse_origin"]

_ORIGIN = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])"
    r"(?::(?P<port>[0-9]{1,5}))?"
)
_DEFAULT_PORTS = {"http": 80, "https": 443}


def parse_origin(text: str) -> str:
    """Return an origin as browsers write it: lower case, without the scheme's own port.

    Raises InputError for what is no origin: `*`, `null`, patterns, paths, user names.
    """
    match = _ORIGIN.fullmatch(text.strip().lower().removesuffix("/"))
    port = int(match["port"]) if match and match["port"] else None
    if not match or (port is not None and not 0 < port < 65536):
        raise InputError(
            f"{text!r} is no origin; expected scheme, host and port alone, like"
            " https://docs.example.com or http://localhost:8000, each origin by itself"
        )
    origin = f"{match['scheme']}://{match['host']}"
    return origin if port in (None, _DEFAULT_PORTS[match["scheme"]]) else f"{origin}:{port}"
