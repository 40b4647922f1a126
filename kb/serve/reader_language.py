"""A request in, the language its reader is told in what is wrong with it out."""

from __future__ import annotations

from typing import get_args

from starlette.datastructures import Headers, QueryParams
from starlette.requests import HTTPConnection
from starlette.types import Scope

from kb.types import Language

__all__ = ["LANGUAGES", "accepted_language", "language_of", "state_language"]

LANGUAGES: tuple[Language, ...] = get_args(Language)
_MAX_RANGES = 50  # browsers send a handful


def accepted_language(header: str) -> Language:
    """Return the first of ours in an `Accept-Language`, most wanted first, else English."""
    ranges = []
    for wanted in header.split(",")[:_MAX_RANGES]:
        name, *parameters = (part.strip() for part in wanted.lower().split(";"))
        ranges.append((-_quality(parameters), name.partition("-")[0]))
    for quality, name in sorted(ranges, key=lambda item: item[0]):
        language = _ours(name)
        if language and quality:
            return language
    return "en"


def state_language(scope: Scope, language: object) -> None:
    """Remember the language that the body of a request asks for, where it is one of ours."""
    if _ours(language):
        HTTPConnection(scope).state.language = language


def language_of(scope: Scope) -> Language:
    """Return the language that the request states in its body or query, else one it accepts."""
    stated = getattr(HTTPConnection(scope).state, "language", None)
    asked = QueryParams(scope.get("query_string", b"")).get("language")
    headers = Headers(raw=scope.get("headers", []))
    return _ours(stated) or _ours(asked) or accepted_language(headers.get("accept-language", ""))


def _ours(language: object) -> Language | None:
    return next((each for each in LANGUAGES if each == language), None)


def _quality(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return min(1.0, max(0.0, float(value)))
            except ValueError:
                return 0.0
    return 1.0
