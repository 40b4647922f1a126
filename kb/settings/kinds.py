"""The kinds of values a setting can have: text or a typed value in, the value as kept out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb.errors import InputError
from kb.settings.origins import parse_origin

__all__ = [
    "Kind",
    "choice",
    "header_name",
    "long_token",
    "network",
    "optional",
    "origin",
    "path",
    "place",
    "seconds",
    "several",
    "sub_path",
    "switch",
    "token",
    "whole_number",
    "words",
]

# A proxy may strip the sub-path or leave it; under these names the two cannot be told apart.
_OUR_PATHS = ("api", "assets", "chat-assets", "gradio_api", "maintainers", "mcp", "static")
MIN_TYPED_CHARS = 16  # a token that people type into a form could be guessed
_SWITCHES = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value has to be; `read` and `check` raise ValueError where it is not."""

    expected: str  # ends the sentence "port is 'x'; expected …"
    read: Callable[[str], Any]  # from a flag or the environment
    check: Callable[[Any], Any]  # from a TOML file or Python
    is_list: bool = False
    is_switch: bool = False
    is_place: bool = False  # a relative one in a file counts from the file's folder


def _plain(expected: str, check: Callable[[Any], Any], read: Callable[[str], Any] = str) -> Kind:
    return Kind(expected, lambda text: check(read(text.strip())), check)


def whole_number(least: int, most: int | None = None) -> Kind:
    """Return the kind of whole numbers within bounds, both included."""

    def check(value: Any) -> int:
        if type(value) is not int or value < least or (most is not None and value > most):
            raise ValueError(value)
        return value

    bounds = f"of {least:,} or more" if most is None else f"from {least:,} to {most:,}"
    return _plain(f"a whole number {bounds}", check, _int)


def seconds(least: float = 0.0, *, zero: bool = False) -> Kind:
    """Return the kind of times in seconds above `least`; `zero` lets 0 mean never."""

    def check(value: Any) -> float:
        if type(value) not in (int, float) or not (least < value < 1e9 or (zero and value == 0)):
            raise ValueError(value)
        return float(value)

    never = ", or 0 for never" if zero else ""
    return _plain(f"a number of seconds above {least:g}{never}", check, float)


def choice(*names: str) -> Kind:
    """Return the kind of one of the names."""

    def check(value: Any) -> str:
        if value not in names:
            raise ValueError(value)
        return str(value)

    return _plain(f"one of {', '.join(names)}", check)


def words(expected: str, pattern: str) -> Kind:
    """Return the kind of text that is like `pattern` as a whole."""
    shape = re.compile(pattern)

    def check(value: Any) -> str:
        if not isinstance(value, str) or not shape.fullmatch(value):
            raise ValueError(value)
        return value

    return _plain(expected, check)


def several(kind: Kind) -> Kind:
    """Return the kind of lists of `kind`; in the environment blanks or commas stand between."""

    def check(value: Any) -> tuple[Any, ...]:
        given = [value] if isinstance(value, str) else value
        if not isinstance(given, list | tuple):
            raise ValueError(value)
        return tuple(dict.fromkeys(kind.check(item) for item in given))

    def read(text: str) -> tuple[Any, ...]:
        return check([item for item in re.split(r"[\s,]+", text) if item])

    return Kind(f"a list, of each {kind.expected}", read, check, is_list=True)


def optional(kind: Kind) -> Kind:
    """Return the kind of `kind` or nothing."""
    return Kind(
        kind.expected,
        kind.read,
        lambda value: None if value is None else kind.check(value),
        is_place=kind.is_place,
    )


def _int(text: str) -> int:
    if not re.fullmatch(r"-?[0-9][0-9_]{0,18}", text):
        raise ValueError(text)
    return int(text)


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(value)
    return value


def _switch_of(text: str) -> bool:
    found = _SWITCHES.get(text.strip().lower())
    if found is None:
        raise ValueError(text)
    return found


def _path(value: Any) -> Path:
    if not isinstance(value, str | Path) or not str(value) or "\0" in str(value):
        raise ValueError(value)
    return Path(value)


def _place(value: Any) -> Path | str:
    """Return a URL as it is: a path would make one slash of its two."""
    return value if isinstance(value, str) and "://" in value else _path(value)


def _token(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[!-~]+", value):
        raise ValueError("hidden")
    return value


def _long_token(value: Any) -> str:
    if len(_token(value)) < MIN_TYPED_CHARS:
        raise ValueError("hidden")
    return str(value)


def _origin(value: Any) -> str:
    try:
        return parse_origin(value if isinstance(value, str) else "")
    except InputError as error:
        raise ValueError(value) from error


def _network(value: Any) -> str:
    import ipaddress

    return str(value) if value == "*" else str(ipaddress.ip_network(value, strict=False))


def _sub_path(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"(?:/[A-Za-z0-9._~-]+)*/?", value):
        raise ValueError(value)
    if value.split("/")[1:2] in ([name] for name in _OUR_PATHS):
        raise ValueError(value)
    return value.rstrip("/")


switch = Kind("true or false", _switch_of, _switch, is_switch=True)
path = Kind("a path", lambda text: _path(text.strip()), _path, is_place=True)
place = Kind("a path or a URL", lambda text: _place(text.strip()), _place, is_place=True)
token = Kind("printable ASCII without blanks", _token, _token)
long_token = Kind(
    f"{MIN_TYPED_CHARS} or more characters of printable ASCII without blanks, as"
    " `openssl rand -hex 20` gives them",
    _long_token,
    _long_token,
)
origin = _plain("scheme, host and port alone, like https://docs.example.com", _origin)
network = _plain("an address or network, like 10.0.0.7 or 10.0.0.0/8", _network)
sub_path = _plain("a path like /kb, none of the server's own", _sub_path)
header_name = words("the name of a header, like X-Forwarded-User", r"[A-Za-z][A-Za-z0-9-]*")
