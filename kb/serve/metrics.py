"""What happens on the server in, numbers for Prometheus out; no label holds what a user sent."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import APIRouter
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb.serve.owned_folder import owned_folder
from kb.serve.paths import route_path
from kb.serve.request_log import REQUEST_ID, begin_request, end_request
from kb.types import Answer

__all__ = ["Meter", "RequestMeter", "metrics_routes"]

_METHODS = frozenset(("GET", "HEAD", "POST", "OPTIONS"))
# The first that a path starts with; a path itself would be a label that clients can choose.
_ROUTES = (
    ("/api/v1/ask", "ask"),
    ("/api/v1/search", "search"),
    ("/api/v1/sections/", "section"),
    ("/api/", "api, other"),
    ("/healthz", "health"),
    ("/readyz", "readiness"),
    ("/metrics", "metrics"),
    ("/mcp", "mcp"),
    ("/widget", "widget"),
    ("/sign-in", "sign-in"),
    ("/maintainers", "maintainers"),
    ("/", "chat"),
)
_SHARED = "PROMETHEUS_MULTIPROC_DIR"  # the client library's own name
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


@contextmanager
def shared_counters() -> Iterator[Callable[[int], None]]:
    """Let counters made from now on be shared by the processes forked from this one.

    Gives what is to be called with the id of a process that has ended.
    """
    with owned_folder("kb-metrics-") as folder:
        os.environ[_SHARED] = str(folder)
        values.ValueClass = values.MultiProcessValue()  # type: ignore[no-untyped-call]
        yield mark_process_dead
        del os.environ[_SHARED]


class Meter:
    """The counters of one application."""

    def __init__(self) -> None:
        """Start at zero, apart from the counters of other applications in the process."""
        self.registry = CollectorRegistry()
        self._watched: list[tuple[Gauge, Callable[[], float]]] = []
        self._requests = Counter(
            "kb_requests",
            "Requests answered.",
            ("route", "method", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "kb_request_seconds",
            "From a request's arrival to the end of its reply.",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._answers = Counter(
            "kb_answers", "Answers of API and chat.", ("found", "language"), registry=self.registry
        )
        self._feedback = Counter(
            "kb_feedback",
            "Votes and unanswered questions.",
            ("kind", "kept"),
            registry=self.registry,
        )
        self._refused = Counter(
            "kb_refused", "Requests refused by a limit.", ("reason",), registry=self.registry
        )

    def watch(
        self, name: str, meaning: str, value: Callable[[], float], *, summed: bool = False
    ) -> None:
        """Add a number; of several workers' ones the largest is shown, or their sum."""
        mode: Any = "livesum" if summed else "livemax"
        gauge = Gauge(name, meaning, registry=self.registry, multiprocess_mode=mode)
        self._watched.append((gauge, value))

    def text(self) -> bytes:
        """Return the numbers in Prometheus' text format, those of all workers together."""
        self._refresh()
        if not os.environ.get(_SHARED):
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)

    def _refresh(self) -> None:
        for gauge, value in self._watched:
            gauge.set(value())

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request that has been answered."""
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)
        if os.environ.get(_SHARED):  # another worker may be asked for the numbers
            self._refresh()

    def answer(self, answer: Answer) -> None:
        """Count an answer of the API or the chat."""
        self._answers.labels("yes" if answer.found else "no", answer.language).inc()

    def feedback(self, kind: str, kept: bool) -> None:
        """Count a vote, `helpful` or `not_helpful`, or an `unanswered` question."""
        self._feedback.labels(kind, "yes" if kept else "no").inc()

    def refuse(self, reason: str) -> None:
        """Count a refusal; `reason` is one of the program's own words."""
        self._refused.labels(reason).inc()


class RequestMeter:
    """ASGI middleware that counts, times and logs requests, each under an id of its own."""

    def __init__(self, app: ASGIApp, meter: Meter) -> None:
        """Take the application and where to count."""
        self._app = app
        self._meter = meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and count it when it has been answered."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0

        async def send_out(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(raw=list(message["headers"]))
                headers[REQUEST_ID] = request_id
                message = {**message, "headers": headers.raw}
            await send(message)

        request_id = begin_request(scope)
        path = route_path(scope)  # now, since mounted applications change it
        start = time.perf_counter()
        try:
            await self._app(scope, receive, send_out)
        finally:
            route = next((name for prefix, name in _ROUTES if path.startswith(prefix)), "other")
            method = scope["method"] if scope["method"] in _METHODS else "other"
            seconds = time.perf_counter() - start
            self._meter.request(route, method, status, seconds)
            end_request(route, method, status, seconds)


def metrics_routes(meter: Meter) -> APIRouter:
    """Return `/metrics`, in Prometheus' text format."""
    routes = APIRouter()

    @routes.get("/metrics", include_in_schema=False)
    def metrics() -> Response:
        return Response(meter.text(), media_type=CONTENT_TYPE_LATEST)

    return routes
