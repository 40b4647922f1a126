"""The bodies of the HTTP API; an answer, a section and their parts are the types of `kb.types`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from kb.types import Language

__all__ = ["AskRequest", "Problem", "Readiness", "SearchRequest"]

MAX_TOP_K = 50
_LOG = (
    "[2026-10-05 10:21:03 TP0] Scheduler hit an exception: Traceback (most recent call last):\n"
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"
)


def _whole_characters(text: str) -> str:
    """Return the text with `\ufffd` for halves of surrogate pairs, which JSON can hold alone."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


Text = Annotated[str, AfterValidator(_whole_characters)]


Corpora = Annotated[
    list[Annotated[Text, Field(max_length=200)]] | None,
    Field(
        min_length=1,
        max_length=100,
        description="Some of the corpora that `/readyz` names, where the index is in a database;"
        " without it all of them.",
    ),
]


class AskRequest(BaseModel):
    """A pasted log, a question, or both."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"paste": _LOG, "question": "왜 죽었나요?", "version": "0.5.9"},
                {"paste": "CUDA out of memory", "language": "en"},
            ]
        },
    )

    paste: Annotated[Text, Field(description="The log as it was printed, or the question.")]
    question: Annotated[
        Text | None, Field(description="What you want to know about the paste.")
    ] = None
    language: Annotated[
        Language | None, Field(description="Of the answer; without it, that of the question.")
    ] = None
    version: Annotated[
        Text | None,
        Field(max_length=64, description="The release of SGLang, where it is known: 0.5.9."),
    ] = None
    page: Annotated[
        Text | None,
        Field(
            max_length=2000,
            description="The address of the page that is asked from, or the id of its section,"
            " which wins among sections that fit about as well.",
        ),
    ] = None
    corpora: Corpora = None


class SearchRequest(BaseModel):
    """What to look for."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"text": "서버가 멈춰요", "top_k": 3, "language": "ko"}]},
    )

    text: Annotated[Text, Field(description="Words, or a log.")]
    top_k: Annotated[
        int, Field(ge=1, le=MAX_TOP_K, strict=True, description="How many sections.")
    ] = 5
    language: Annotated[
        Language | None, Field(description="Of the sections; without it, that of the text.")
    ] = None
    corpora: Corpora = None


class Problem(BaseModel):
    """Why there is no answer, and what to do."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "error": "bad_request",
                    "message": "nothing was pasted; paste the log, or write a question",
                }
            ]
        }
    )

    error: Annotated[str, Field(description="A code for programs; it does not change.")]
    message: Annotated[str, Field(description="A sentence for people, in English or Korean.")]


class Readiness(BaseModel):
    """What the server has loaded."""

    ready: Annotated[bool, Field(description="Whether questions are answered.")]
    sections: Annotated[int, Field(description="Sections in the index, languages counted apart.")]
    encoder: Annotated[str, Field(description="Name of the index's encoder.")]
    encoder_loaded: Annotated[
        bool, Field(description="Whether it is loaded; else the next question loads it.")
    ]
    loaded_at: Annotated[datetime, Field(description="When the index that answers was loaded.")]
    reload_failed: Annotated[
        bool,
        Field(
            description="Whether a newer index cannot be loaded; the log says why, and the one"
            " before it answers."
        ),
    ]
    degraded: Annotated[
        bool,
        Field(
            description="Whether the index's database is away or what was published last cannot be"
            " used; what is in memory answers, or what was published before."
        ),
    ]
    problem: Annotated[str | None, Field(description="Why it is degraded.")]
    generations: Annotated[
        dict[str, int] | None,
        Field(description="What is answered from, by corpus, where the index is in a database."),
    ]
