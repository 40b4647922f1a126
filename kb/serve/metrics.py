"""What happens on the server in, numbers for Prometheus out; no label holds what a user sent."""

from __future__ import annotations

import time
from collections.abc import Callable

from fastapi import APIRouter
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb.serve.paths import route_path
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
    ("/widget", "widget"),
    ("/maintainers", "maintainers"),
    ("/", "chat"),
)
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Meter:
    """The counters of one application."""

    def __init__(self) -> None:
        """Start at zero, apart from the counters of other applications in the process."""
        self.registry = CollectorRegistry()
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
            "kb_answers", "Answers of the API.", ("found", "language"), registry=self.registry
        )
        self._refused = Counter(
            "kb_refused", "Requests refused by a limit.", ("reason",), registry=self.registry
        )

    def watch(self, name: str, meaning: str, value: Callable[[], float]) -> None:
        """Add a number that is read whenever the metrics are."""
        Gauge(name, meaning, registry=self.registry).set_function(value)

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request that has been answered."""
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def answer(self, answer: Answer) -> None:
        """Count an answer of the API."""
        self._answers.labels("yes" if answer.found else "no", answer.language).inc()

    def refuse(self, reason: str) -> None:
        """Count a refusal; `reason` is one of the program's own words."""
        self._refused.labels(reason).inc()


class RequestMeter:
    """ASGI middleware that counts and times requests."""

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
            await send(message)

        path = route_path(scope)  # now, since mounted applications change it
        start = time.perf_counter()
        try:
            await self._app(scope, receive, send_out)
        finally:
            route = next((name for prefix, name in _ROUTES if path.startswith(prefix)), "other")
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._meter.request(route, method, status, time.perf_counter() - start)


def metrics_routes(meter: Meter) -> APIRouter:
    """Return `/metrics`, in Prometheus' text format."""
    routes = APIRouter()

    @routes.get("/metrics", include_in_schema=False)
    def metrics() -> Response:
        return Response(generate_latest(meter.registry), media_type=CONTENT_TYPE_LATEST)

    return routes
