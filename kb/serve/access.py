"""Who may use the server and how much of it: one frozen object, from flags and environment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kb.errors import InputError

__all__ = ["Access", "parse_origin"]

_ORIGIN = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])"
    r"(?::(?P<port>[0-9]{1,5}))?"
)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_ROOT_PATH = re.compile(r"(?:/[A-Za-z0-9._~-]+)*")
# A proxy may strip the sub-path or leave it; under these names the two cannot be told apart.
_OUR_PATHS = frozenset(("api", "assets", "static", "gradio_api"))


@dataclass(frozen=True, slots=True)
class Access:
    """What the server lets in; the defaults let in the server's own pages and nobody else's."""

    allowed_origins: tuple[str, ...] = ()  # as browsers send them; empty: the same origin only
    api_token: str | None = field(default=None, repr=False)  # None: the API asks for none
    root_path: str = ""  # where a proxy shows the server: "" or "/kb", no `/` at the end
    requests_per_minute: int = 240  # of one client, all at once or spread; 0: no limit
    max_body_bytes: int = 12_000_000  # the longest paste, 10 MB, and room for JSON's escapes
    max_held_bytes: int = 256_000_000  # bodies of all requests that are in the server at a time
    body_timeout_s: float = 30.0  # until a request has arrived whole
    ask_timeout_s: float = 60.0  # of the API, from a request's arrival to its answer
    asks_at_a_time: int = 2  # of the API; one holds about a processor
    asks_waiting: int = 256  # behind them, first come first served; more are refused

    def __post_init__(self) -> None:
        """Raise InputError for what cannot be meant; write the origins as browsers do."""
        origins = tuple(dict.fromkeys(parse_origin(origin) for origin in self.allowed_origins))
        object.__setattr__(self, "allowed_origins", origins)
        root_path = self.root_path.rstrip("/")
        object.__setattr__(self, "root_path", root_path)
        if not _ROOT_PATH.fullmatch(root_path) or root_path[1:].split("/")[0] in _OUR_PATHS:
            raise InputError(
                f"the root path is {self.root_path!r}; expected a path like /kb, which is none of"
                " the server's own"
            )
        if self.api_token is not None and (
            not self.api_token.isascii() or not self.api_token.isprintable() or not self.api_token
        ):
            raise InputError("KB_API_TOKEN is empty or has other characters than printable ASCII")
        if self.requests_per_minute < 0:
            raise InputError(
                f"requests per minute are {self.requests_per_minute}; expected 0 (no limit) or more"
            )
        if self.asks_at_a_time < 1 or self.asks_waiting < 0:
            raise InputError("at least one ask at a time, and none or more waiting, are expected")
        if not self.ask_timeout_s > 0:
            raise InputError(f"the time-out is {self.ask_timeout_s} s; expected more than 0")

    @classmethod
    def from_environment(
        cls,
        environment: Mapping[str, str],
        *,
        allowed_origins: Iterable[str] = (),
        root_path: str | None = None,
        requests_per_minute: int | None = None,
    ) -> Access:
        """Return what the flags say and, where they say nothing, `KB_*` variables.

        The token comes from `KB_API_TOKEN` alone: other users of a machine can read flags.
        """
        origins = tuple(allowed_origins) or tuple(
            re.findall(r"[^\s,]+", environment.get("KB_ALLOWED_ORIGINS", ""))
        )
        if root_path is None:
            root_path = environment.get("KB_ROOT_PATH", "")
        if requests_per_minute is None:
            requests_per_minute = _whole_number(environment, "KB_RATE_LIMIT", 240)
        return cls(
            allowed_origins=origins,
            api_token=environment.get("KB_API_TOKEN"),
            root_path=root_path,
            requests_per_minute=requests_per_minute,
        )


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


def _whole_number(environment: Mapping[str, str], name: str, default: int) -> int:
    value = environment.get(name, "").strip()
    if not value:
        return default
    if not (value.isascii() and value.isdigit()):
        raise InputError(f"{name} is {value!r}; expected a whole number like {default}")
    return int(value)
