"""The HTTP API: a knowledge base in, an application for `/api/v1` and the routes of health out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime, timezone
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, FastAPI, Path, Query
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from kb.errors import CatalogError, InputError, KBError
from kb.knowledge_base import KnowledgeBase
from kb.serve.api_models import AskRequest, Problem, Readiness, SearchRequest
from kb.serve.ask_queue import AskQueue, QueueFullError, TooSlowError
from kb.serve.current_base import CurrentBase
from kb.serve.feedback import Feedback, api_feedback
from kb.serve.metrics import Meter
from kb.serve.peers import client_of
from kb.serve.problems import internal_error, problem
from kb.serve.reader_language import LANGUAGES, language_of, state_language
from kb.serve.request_log import note_answer
from kb.serve.widget_script import masking_routes
from kb.strings import STRINGS, text, texts
from kb.types import Answer, AnswerSection, Language, Section
from kb.version import __version__

__all__ = ["add_problems", "create_api", "health_routes"]

T = TypeVar("T")

_RETRY_AFTER_S = 5
_WHY = {
    400: "What was sent is no JSON, empty, or names no version of SGLang.",
    401: "The server asks for a sign-in or a token, and the request has neither.",
    403: "The page's origin is not on the list of allowed origins.",
    404: "There is no such section.",
    405: "The route has another method.",
    408: "The request did not arrive in time.",
    413: "The paste is too long.",
    422: "A field is missing, unknown, or of a wrong type.",
    429: "Too many requests of one address; `Retry-After` says when to come back.",
    500: "The program failed; the server's log says where.",
    503: "Too many questions at the moment, none answered in time, or no encoder.",
}
_DESCRIPTION = (
    "Paste the log of a failing SGLang server, get the section that fits, word for word. Nothing"
    " found is an answer too, with `found: false`. The message of an error is Korean where the"
    " request's `language` or `Accept-Language` says so; its code is the same in every language."
)
_NOTHING_KEPT = " Nothing sent is stored or logged."
_FEEDBACK_KEPT = (
    " Of what is sent, the masked error lines of questions without an answer are stored, and votes."
)


def create_api(
    base: KnowledgeBase | CurrentBase,
    queue: AskQueue,
    meter: Meter,
    encoder_loaded: threading.Event,
    feedback: Feedback | None = None,
) -> FastAPI:
    """Return the application, to be mounted at `/api/v1`; its questions wait in `queue`.

    `encoder_loaded` is set after the first answer, since that has needed the encoder. Without
    `feedback` there is no route for it.
    """
    current = CurrentBase.of(base)
    api = FastAPI(
        title="Troubleshooting knowledge base for SGLang servers",
        description=_DESCRIPTION + (_FEEDBACK_KEPT if feedback else _NOTHING_KEPT),
        version=__version__,
        openapi_url="/openapi.json",
        docs_url=None,  # both load scripts from other hosts
        redoc_url=None,
        responses=_documented(401, 403, 405, 429, 500),
        redirect_slashes=False,
    )
    add_problems(api, meter)

    async def answered(call: Callable[[], T], request: Request) -> T:
        result = await queue.run(call, client_of(request.scope))
        encoder_loaded.set()
        return result

    @api.post("/ask", response_model=Answer, responses=_documented(400, 408, 413, 422, 503))
    async def ask(asked: AskRequest, request: Request) -> Response:
        """Answer a pasted log, a question, or both, as `kb ask --json` does."""
        state_language(request.scope, asked.language)
        base = current.base
        _check_size(base, len(asked.paste) + len(asked.question or ""))
        start = time.perf_counter()
        answer = await answered(lambda: _ask(base, asked, feedback), request)
        meter.answer(answer)
        note_answer(answer, time.perf_counter() - start)
        return _json(answer.to_dict())

    @api.post(
        "/search",
        response_model=list[AnswerSection],
        responses=_documented(400, 408, 413, 422, 503),
    )
    async def search(wanted: SearchRequest, request: Request) -> Response:
        """List the sections nearest to a text, the best first, as `kb search --json` does."""
        state_language(request.scope, wanted.language)
        base = current.base
        _check_size(base, len(wanted.text))
        call = partial(
            base.search, wanted.text, wanted.top_k, wanted.language, corpora=wanted.corpora
        )
        found = await answered(call, request)
        return _json([asdict(section) for section in found])

    @api.get("/sections/{id:path}", response_model=Section, responses=_documented(404, 422))
    async def section(
        request: Request,
        identifier: Annotated[
            str, Path(alias="id", max_length=1000, description="As answers name it.")
        ],
        language: Annotated[
            Language, Query(description="Where the section exists in it, else the other.")
        ] = "en",
    ) -> Response:
        """Return a section by its id."""
        found = current.base.section(identifier, language)
        if found is None:
            reader = language_of(request.scope)
            return problem(404, text("error.no_section", reader), language=reader)
        return _json(asdict(found))

    api.include_router(masking_routes())
    if feedback:
        api.include_router(api_feedback(feedback, _documented))
    return api


def health_routes(base: KnowledgeBase | CurrentBase, encoder_loaded: threading.Event) -> APIRouter:
    """Return `/healthz`, which answers while the process lives, and `/readyz`."""
    routes = APIRouter()
    current = CurrentBase.of(base)

    @routes.api_route("/healthz", methods=["GET", "HEAD"], include_in_schema=False)
    async def alive() -> Response:
        return _json({"alive": True})

    @routes.api_route("/readyz", methods=["GET", "HEAD"], include_in_schema=False)
    async def ready() -> Response:
        # There is no application without an index; the encoder loads while the page is there.
        index, state = current.base.index, current.state
        status = index.status
        readiness = Readiness(
            ready=status.can_answer,
            sections=index.n_sections,
            encoder=index.encoder.name,
            encoder_loaded=encoder_loaded.is_set(),
            loaded_at=datetime.fromtimestamp(state.loaded_at, timezone.utc),
            reload_failed=state.is_failing,
            degraded=status.problem is not None,
            problem=status.problem,
            generations=None if status.generations is None else dict(status.generations),
        )
        return JSONResponse(
            readiness.model_dump(mode="json"),
            200 if readiness.ready else 503,
            {"cache-control": "no-store"},
        )

    return routes


class _TooLongError(InputError):
    """The paste is longer than the knowledge base reads."""


def _ask(base: KnowledgeBase, asked: AskRequest, feedback: Feedback | None) -> Answer:
    question = (asked.question or "").strip() or None
    version = (asked.version or "").strip() or None
    try:
        answer = base.ask(
            asked.paste,
            question,
            asked.language,
            version=version,
            page=asked.page,
            corpora=asked.corpora,
        )
    except CatalogError as error:
        if version is None:  # the catalogue itself is broken
            raise
        raise InputError.of({each: error.in_language(each) for each in LANGUAGES}) from error
    if feedback:
        feedback.answered(answer, asked.paste)
    return answer


def _check_size(base: KnowledgeBase, size: int) -> None:
    limit = base.settings.max_paste_chars
    if size > limit:
        said = texts("error.paste_too_long", size=f"{size:,}", limit=f"{limit:,}")
        raise _TooLongError.of(said)


def _json(content: Any) -> Response:
    return JSONResponse(content, headers={"cache-control": "no-store"})


def _documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": Problem, "description": _WHY[status]} for status in statuses}


def add_problems(api: FastAPI, meter: Meter) -> None:
    """Make replies of what its routes raise, all of one shape."""

    @api.exception_handler(KBError)
    async def cannot_answer(request: Request, error: KBError) -> Response:
        language = language_of(request.scope)
        said = error.in_language(language)
        reply = partial(problem, language=language)
        if isinstance(error, _TooLongError):
            return reply(413, said)
        if isinstance(error, InputError):
            return reply(400, said)
        if isinstance(error, TooSlowError):
            meter.refuse("time_out")
            return reply(503, said, error="time_out", retry_after_s=_RETRY_AFTER_S)
        if isinstance(error, QueueFullError):
            meter.refuse("queue_full")
            return reply(503, said, retry_after_s=_RETRY_AFTER_S)
        return reply(503, said, error="unavailable")

    @api.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        if isinstance(error.body, dict):
            state_language(request.scope, error.body.get("language"))
        language = language_of(request.scope)
        found = error.errors()
        if any(item["type"] == "json_invalid" for item in found):
            return problem(400, text("error.no_json", language), language=language)
        return problem(422, "; ".join(_sentences(found, language)), language=language)

    @api.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        language = language_of(request.scope)
        key = _HTTP.get(error.status_code)
        said = text(key, language) if key else str(error.detail)
        reply = problem(error.status_code, said, language=language)
        reply.headers.update(error.headers or {})
        return reply

    api.add_exception_handler(Exception, internal_error)


_HTTP = {400: "error.unreadable", 404: "error.no_route", 405: "error.no_method"}


def _sentences(errors: Sequence[Any], language: Language) -> list[str]:
    """Return what is wrong with which field; the value that was sent is not repeated."""
    said = []
    for item in errors[:5]:
        field = ".".join(str(part) for part in item["loc"])[:100]
        key = f"invalid.{item['type']}"
        if key not in STRINGS:
            key = "invalid.other"
        slots = {
            name: str(value).replace(" or ", ", ") for name, value in item.get("ctx", {}).items()
        }
        said.append(f"{field}: {text(key, language, **slots)}")
    return said
