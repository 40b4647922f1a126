"""Who may use the server and how much of it: the part of the settings that its guards go by."""

from __future__ import annotations

from dataclasses import dataclass, field

from kb.errors import InputError
from kb.settings import Settings, kinds
from kb.settings.origins import parse_origin

__all__ = ["Access", "parse_origin"]


@dataclass(frozen=True, slots=True)
class Access:
    """What the server lets in; the defaults let in the server's own pages and nobody else's."""

    allowed_origins: tuple[str, ...] = ()  # as browsers send them; empty: the same origin only
    api_token: str | None = field(default=None, repr=False)  # None: the API asks for none
    maintainer_token: str | None = field(default=None, repr=False)  # None: they have no page
    chat_token: str | None = field(default=None, repr=False)  # None: people need none
    trusted_header: str | None = None  # a proxy names the signed-in user in it; None: nobody does
    trusted_proxies: tuple[str, ...] = ("127.0.0.0/8", "::1/128")  # whose headers are believed
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
        try:
            object.__setattr__(self, "root_path", kinds.sub_path.check(self.root_path))
        except ValueError as error:
            raise InputError(
                f"the root path is {self.root_path!r}; expected {kinds.sub_path.expected}"
            ) from error
        if self.requests_per_minute < 0:
            raise InputError(
                f"requests per minute are {self.requests_per_minute}; expected 0 (no limit) or more"
            )
        if self.asks_at_a_time < 1 or self.asks_waiting < 0:
            raise InputError("at least one ask at a time, and none or more waiting, are expected")
        if not self.ask_timeout_s > 0:
            raise InputError(f"the time-out is {self.ask_timeout_s} s; expected more than 0")

    @classmethod
    def of(cls, settings: Settings) -> Access:
        """Return the part of the settings that the guards go by."""
        return cls(
            allowed_origins=settings.allowed_origins,
            api_token=settings.api_token,
            maintainer_token=settings.maintainer_token,
            chat_token=settings.chat_token,
            trusted_header=settings.trusted_header,
            trusted_proxies=settings.trusted_proxies,
            root_path=settings.root_path,
            requests_per_minute=settings.rate_limit,
            max_body_bytes=settings.max_body_bytes,
            max_held_bytes=settings.max_held_bytes,
            body_timeout_s=settings.body_timeout_s,
            ask_timeout_s=settings.ask_timeout_s,
            asks_at_a_time=settings.asks_at_a_time,
            asks_waiting=settings.asks_waiting,
        )
