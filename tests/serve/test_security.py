"""Deny by default: who may read, frame and call, over the real application."""

from __future__ import annotations

import logging

import pytest
from fastapi import APIRouter
from fastapi.testclient import TestClient

from kb import InputError
from kb.serve.access import Access, parse_origin
from kb.serve.chat import create_app
from kb.serve.problems import LogWithoutText
from kb.settings import Settings
from kb.settings.sources import read_settings

PORTAL = "https://docs.example.com"
OOM = {"paste": "sglang: torch.OutOfMemoryError: CUDA out of memory."}
FOREIGN = [
    "null",
    "https://evil.example",
    "http://docs.example.com",
    "https://docs.example.com:8443",
    "https://docs.example.com.evil.example",
    "https://evil-docs.example.com",
    "https://a.docs.example.com",
    "https://example.com",
    "https://docs.example.com@evil.example",
    "https://docs.example.com/",
    "HTTPS://DOCS.EXAMPLE.COM",
    "http://testserver:81",
    "http://testserver.evil.example",
    "file://",
    "",
]


@pytest.fixture(scope="module")
def portal(base):
    access = Access(allowed_origins=(PORTAL, "http://localhost:8000"), requests_per_minute=0)
    with TestClient(create_app(base, access=access)) as client:
        yield client


@pytest.fixture(scope="module")
def alone(base):
    routes = APIRouter()

    @routes.get("/fails")
    def fails() -> None:
        raise ValueError("hunter2")

    app = create_app(base, access=Access(requests_per_minute=0), routers=[routes])
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def _preflight(client, origin, path="/api/v1/ask"):
    headers = {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
    }
    return client.options(path, headers=headers)


def _cors(reply):
    return [name for name in reply.headers if name.startswith("access-control")]


# --- origins ---


def test_a_page_of_an_allowed_origin_may_ask_and_read(portal):
    reply = portal.post("/api/v1/ask", json=OOM, headers={"origin": PORTAL})
    assert reply.status_code == 200
    assert reply.headers["access-control-allow-origin"] == PORTAL
    assert "Origin" in reply.headers["vary"]
    assert "access-control-allow-credentials" not in reply.headers


def test_the_preflight_of_an_allowed_origin_passes(portal):
    reply = _preflight(portal, PORTAL)
    assert reply.status_code == 204
    assert reply.headers["access-control-allow-origin"] == PORTAL
    assert "content-type" in reply.headers["access-control-allow-headers"]
    assert "authorization" in reply.headers["access-control-allow-headers"]


@pytest.mark.parametrize("origin", FOREIGN)
def test_another_origin_neither_asks_nor_reads(portal, origin):
    for reply in (
        portal.post("/api/v1/ask", json=OOM, headers={"origin": origin}),
        portal.get("/api/v1/sections/server-hangs", headers={"origin": origin}),
        _preflight(portal, origin),
    ):
        assert reply.status_code == 403
        assert reply.json()["error"] == "origin_not_allowed"
        assert _cors(reply) == []
        assert "Origin" in reply.headers["vary"]


def test_without_a_list_no_other_origin_is_let_in(alone):
    for origin in (PORTAL, *FOREIGN):
        assert _preflight(alone, origin).status_code == 403


def test_the_servers_own_pages_may_ask(alone):
    reply = alone.post("/api/v1/ask", json=OOM, headers={"origin": "http://testserver"})
    assert reply.status_code == 200
    assert _cors(reply) == []


def test_an_own_page_is_known_behind_a_proxy_that_changes_the_host(alone):
    headers = {"origin": "https://kb.example.com", "sec-fetch-site": "same-origin"}
    assert alone.post("/api/v1/ask", json=OOM, headers=headers).status_code == 200
    headers["sec-fetch-site"] = "same-site"
    assert alone.post("/api/v1/ask", json=OOM, headers=headers).status_code == 403


def test_programs_send_no_origin_and_caches_are_told_that_replies_differ_by_it(portal):
    reply = portal.post("/api/v1/ask", json=OOM)
    assert reply.status_code == 200
    assert "Origin" in reply.headers["vary"]
    assert _cors(reply) == []


def test_the_routes_of_the_page_are_for_no_other_origin(portal):
    for path in ("/", "/config", "/chat-section?id=server-hangs", "/metrics", "/readyz"):
        assert _cors(portal.get(path, headers={"origin": PORTAL})) == [], path
    assert (
        "access-control-allow-origin"
        not in _preflight(portal, PORTAL, "/gradio_api/queue/join").headers
    )


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        ("https://docs.example.com", "https://docs.example.com"),
        (" HTTPS://Docs.Example.com:443/ ", "https://docs.example.com"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_an_origin_is_written_as_browsers_do(given, origin):
    assert parse_origin(given) == origin


@pytest.mark.parametrize(
    "given",
    [
        "*",
        "null",
        "",
        "docs.example.com",
        "https://*.example.com",
        "https://docs.example.com/path",
        "https://user@docs.example.com",
        "https://docs.example.com:99999",
        "https://docs.example.com:0",
        "https://a.example https://b.example",
        "https://a.example; script-src *",
        "https://문서.example",
        "file:///etc",
    ],
)
def test_what_is_no_origin_is_refused_at_the_start(given):
    with pytest.raises(InputError, match="no origin"):
        Access(allowed_origins=(given,))


# --- frames and headers ---


def _frame_ancestors(client):
    policy = client.get("/").headers["content-security-policy"]
    return next(
        part.split()[1:] for part in policy.split(";") if part.split()[0] == "frame-ancestors"
    )


def test_the_chat_is_framed_by_the_same_origin_alone(alone):
    assert _frame_ancestors(alone) == ["'self'"]
    assert alone.get("/").headers["x-frame-options"] == "SAMEORIGIN"


def test_the_origins_on_the_list_may_frame_the_chat(portal):
    assert _frame_ancestors(portal) == ["'self'", PORTAL, "http://localhost:8000"]
    assert "x-frame-options" not in portal.get("/").headers


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/config", 200),
        ("/gradio_api/info", 404),
        ("/chat-section?id=server-hangs", 200),
        ("/api/v1/sections/server-hangs", 200),
        ("/api/v1/sections/nowhere", 404),
        ("/api/v1/ask", 405),
        ("/healthz", 200),
        ("/metrics", 200),
        ("/fails", 500),
    ],
)
def test_no_reply_is_without_the_security_headers(alone, path, status):
    reply = alone.get(path)
    assert reply.status_code == status
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert "microphone=()" in reply.headers["permissions-policy"]
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert reply.headers["cross-origin-resource-policy"] == "same-origin"


def test_the_log_names_the_place_of_an_error_and_not_its_words(alone):
    words = "hunt" + "er2"  # not whole in a line of source, which the log does show
    try:
        try:
            raise KeyError(words)
        except KeyError as error:
            raise ValueError(words) from error
    except ValueError as error:
        problem = error
    record = logging.LogRecord(
        "uvicorn.error", logging.ERROR, "", 0, "failed", (), (ValueError, problem, None)
    )
    assert LogWithoutText().filter(record)
    text = logging.Formatter().format(record)
    assert "ValueError" in text and "KeyError" in text and "test_security.py" in text
    assert "hunter2" not in text
    assert "hunter2" not in alone.get("/fails").text


# --- the token ---


@pytest.fixture(scope="module")
def locked(base):
    access = Access(api_token="s3cret", allowed_origins=(PORTAL,), requests_per_minute=0)
    with TestClient(create_app(base, access=access)) as client:
        yield client


@pytest.mark.parametrize(
    "header", [None, "s3cret", "Bearer", "Bearer s3cre", "Bearer s3cret2", "Basic s3cret"]
)
def test_the_api_answers_nobody_without_the_token(locked, header):
    headers = {"authorization": header} if header else {}
    for reply in (
        locked.post("/api/v1/ask", json=OOM, headers=headers),
        locked.get("/api/v1/openapi.json", headers=headers),
    ):
        assert reply.status_code == 401
        assert reply.json()["error"] == "unauthorized"
        assert reply.headers["www-authenticate"] == "Bearer"


def test_the_api_answers_who_sends_the_token(locked):
    headers = {"authorization": "Bearer s3cret"}
    assert locked.post("/api/v1/ask", json=OOM, headers=headers).status_code == 200


def test_a_preflight_carries_no_token_and_passes(locked):
    assert _preflight(locked, PORTAL).status_code == 204


def test_the_token_is_not_shown():
    assert "s3cret" not in repr(Access(api_token="s3cret"))


# --- the one setting ---


def test_the_guards_go_by_the_settings():
    environment = {
        "KB_ALLOWED_ORIGINS": "https://a.example, https://b.example:8443",
        "KB_API_TOKEN": "s3cret",
        "KB_ROOT_PATH": "/kb/",
        "KB_RATE_LIMIT": "10",
    }
    access = Access.of(read_settings({}, environment).settings)
    assert access.allowed_origins == ("https://a.example", "https://b.example:8443")
    assert (access.api_token, access.root_path) == ("s3cret", "/kb")
    assert access.requests_per_minute == 10


def test_nothing_said_lets_in_nobody():
    assert Access.of(Settings()) == Access()
    assert Access().allowed_origins == ()


@pytest.mark.parametrize(
    "environment",
    [
        {"KB_ALLOWED_ORIGINS": "*"},
        {"KB_API_TOKEN": ""},
        {"KB_API_TOKEN": "a\nb"},
        {"KB_ROOT_PATH": "kb"},
        {"KB_ROOT_PATH": "/api"},
        {"KB_ROOT_PATH": "//evil.example"},
        {"KB_RATE_LIMIT": "-1"},
        {"KB_RATE_LIMIT": "many"},
    ],
)
def test_a_setting_that_cannot_be_meant_stops_the_start(environment):
    with pytest.raises(InputError):
        read_settings({}, environment)
