"""Votes of readers and answers that found nothing in, kept without the paste; off by default."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError, model_validator
from pydantic_core import PydanticCustomError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from kb.feedback.masking import signature_lines
from kb.feedback.records import Reason, Unanswered, Vote
from kb.feedback.store import FeedbackError, FeedbackStore
from kb.knowledge_base import KnowledgeBase
from kb.serve.api_models import Text
from kb.serve.current_base import CurrentBase
from kb.serve.metrics import Meter
from kb.serve.problems import problem
from kb.serve.reader_language import language_of, state_language
from kb.strings import text
from kb.types import Answer, Language
from kb.version import __version__

__all__ = ["Feedback", "FeedbackRequest", "Kept", "api_feedback", "chat_feedback"]

_log = logging.getLogger("uvicorn.error")
_MOST_WAITING = 200  # unanswered questions not yet written, about 1 kB each; more are not kept
_RETRY_AFTER_S = 30


class FeedbackRequest(BaseModel):
    """What a reader says of a section."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"section": "oom-prefill", "helpful": True, "language": "en"},
                {
                    "section": "oom-prefill",
                    "helpful": False,
                    "reason": "did_not_help",
                    "language": "ko",
                },
            ]
        },
    )

    section: Annotated[Text, Field(max_length=1000, description="Its id, as answers name it.")]
    helpful: StrictBool
    language: Annotated[Language, Field(description="In which the section was read.")]
    reason: Annotated[Reason | None, Field(description="Only where it was not helpful.")] = None
    paste: Annotated[
        Text | None,
        Field(
            description="What the section was the answer to. Of it only the error lines are kept,"
            " masked, and only where the section was not helpful."
        ),
    ] = None

    @model_validator(mode="after")
    def _reason_is_against(self) -> FeedbackRequest:
        if self.helpful and self.reason is not None:
            said = text("invalid.reason_is_against", "en")
            raise PydanticCustomError("reason_is_against", said)
        return self


class Kept(BaseModel):
    """The vote is on the disk."""

    kept: bool


class Feedback:
    """What the server keeps; safe from several threads."""

    def __init__(
        self,
        base: KnowledgeBase | CurrentBase,
        store: FeedbackStore,
        meter: Meter | None = None,
    ) -> None:
        """Take the knowledge base that votes are about, where they are kept and counted."""
        self._meter = meter or Meter()
        self._current = CurrentBase.of(base)
        self._store = store
        # One thread: an answer does not wait for a disk, let alone for a database that is away.
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="kb-feedback")
        self._waiting = threading.Semaphore(_MOST_WAITING)

    def vote(self, asked: FeedbackRequest) -> bool:
        """Keep a vote; False where there is no such section. Raises FeedbackError."""
        # So that no text of a client's choice is kept as an id.
        if self._current.base.section(asked.section, asked.language) is None:
            return False
        lines = signature_lines(asked.paste) if asked.paste and not asked.helpful else ()
        vote = Vote(asked.section, asked.helpful, asked.language, __version__, asked.reason, lines)
        kind = "helpful" if asked.helpful else "not_helpful"
        try:
            self._store.add_vote(vote)
        except FeedbackError:
            self._meter.feedback(kind, kept=False)
            raise
        self._meter.feedback(kind, kept=True)
        return True

    def answered(self, answer: Answer, paste: str) -> None:
        """Keep what was asked where the answer found nothing; returns before it is written.

        Where nothing is near either, nothing was asked: a greeting is no gap.
        """
        if answer.found or not answer.nearest or not self._waiting.acquire(blocking=False):
            return
        unanswered = Unanswered(
            signature_lines(paste),
            tuple(near.id for near in answer.nearest),
            answer.language,
            __version__,
        )
        future = self._writer.submit(self._store.add_unanswered, unanswered)
        future.add_done_callback(self._written)

    def flush(self) -> None:
        """Wait until everything that was answered so far is written."""
        self._writer.submit(lambda: None).result()

    def close(self) -> None:
        """Write what waits, and let the store go."""
        self._writer.shutdown(wait=True)
        self._store.close()

    def _written(self, future: Future[None]) -> None:
        self._waiting.release()
        error = future.exception()
        self._meter.feedback("unanswered", kept=error is None)
        if isinstance(error, FeedbackError):
            _log.error("an unanswered question was not kept: %s", error)
        elif error is not None:
            _log.error("an unanswered question was not kept", exc_info=error)


def api_feedback(
    feedback: Feedback, documented: Callable[..., dict[int | str, dict[str, Any]]]
) -> APIRouter:
    """Return `POST /feedback` of the API; `documented` describes its errors by status."""
    routes = APIRouter()

    @routes.post(
        "/feedback", response_model=Kept, responses=documented(400, 404, 408, 413, 422, 503)
    )
    def vote(asked: FeedbackRequest, request: Request) -> Response:
        """Say that a section was helpful or not; answered when the vote is on the disk."""
        return _kept(feedback, asked, request)

    return routes


def chat_feedback(feedback: Feedback) -> APIRouter:
    """Return the same for the server's own page, which knows no token of the API."""
    routes = APIRouter()

    @routes.post("/chat-feedback", include_in_schema=False)
    async def vote(request: Request) -> Response:
        # A page of another origin can send JSON under this type only if it asks before.
        if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
            return _problem(request, 400, "error.vote_type")
        try:
            asked = FeedbackRequest.model_validate_json(await request.body())
        except ValidationError:
            return _problem(request, 422, "error.vote_fields")
        return await run_in_threadpool(_kept, feedback, asked, request)

    return routes


def _kept(feedback: Feedback, asked: FeedbackRequest, request: Request) -> Response:
    state_language(request.scope, asked.language)
    try:
        if not feedback.vote(asked):
            return _problem(request, 404, "error.no_section")
    except FeedbackError as error:  # names a file or a host, which is not the client's business
        _log.error("a vote was not kept: %s", error)
        language = language_of(request.scope)
        return problem(
            503,
            text("error.vote_not_kept", language),
            language=language,
            error="unavailable",
            retry_after_s=_RETRY_AFTER_S,
        )
    return JSONResponse({"kept": True}, headers={"cache-control": "no-store"})


def _problem(request: Request, status: int, key: str) -> Response:
    language = language_of(request.scope)
    return problem(status, text(key, language), language=language)
