"""Who is let in: by the portal's header, by a token, by a cookie; nobody else, and no trace."""

from __future__ import annotations

import logging
import re

import pytest
from fastapi import APIRouter
from fastapi.testclient import TestClient
from starlette.requests import Request

from kb import InputError, Settings
from kb.serve.access import Access
from kb.serve.chat import create_app
from kb.serve.sign_in import SESSION_S, Sessions
from kb.settings.sources import read_settings

OOM = {"paste": "sglang: torch.OutOfMemoryError: CUDA out of memory."}
USER = {"X-Forwarded-User": "kim.minji"}
PROXY, STRANGER = ("10.0.0.7", 1), ("10.0.0.8", 1)
GUARDED = ["/", "/config", "/widget.js", "/chat-section?id=server-hangs", "/api/v1/openapi.json"]


def _app(base, **access):
    routes = APIRouter()

    @routes.get("/api/seen")
    def seen(request: Request) -> dict[str, str]:
        return dict(request.headers)

    return create_app(base, access=Access(requests_per_minute=0, **access), routers=[routes])


@pytest.fixture(scope="module")
def behind_proxy(base):
    app = _app(base, trusted_header="X-Forwarded-User", trusted_proxies=("10.0.0.7",))

    def client(peer):
        return TestClient(app, client=peer)

    return client


@pytest.fixture
def locked(base):
    app = _app(base, chat_token="s3cret", api_token="pr0gram", root_path="/kb")
    return TestClient(app, base_url="https://kb.example.com", follow_redirects=False)


# --- the portal's header ---


@pytest.mark.parametrize("path", GUARDED)
def test_the_named_proxy_vouches_for_its_users(behind_proxy, path):
    assert behind_proxy(PROXY).get(path, headers=USER).status_code == 200


@pytest.mark.parametrize("path", [*GUARDED, "/gradio_api/queue/data", "/nothing"])
@pytest.mark.parametrize(
    ("peer", "headers"),
    [
        (PROXY, {}),
        (PROXY, {"X-Forwarded-User": " "}),
        (STRANGER, USER),
        # The address that counts is the one that connected, not the one it says it forwards for.
        (STRANGER, {**USER, "X-Forwarded-For": "10.0.0.7"}),
        (("127.0.0.1", 1), USER),
    ],
)
def test_everybody_else_is_refused(behind_proxy, path, peer, headers):
    reply = behind_proxy(peer).get(path, headers={**headers, "accept": "text/html"})
    assert reply.status_code == 401
    assert "kim" not in reply.text


def test_a_client_that_sends_the_header_beside_the_proxys_own_is_refused(behind_proxy):
    both = [("X-Forwarded-User", "admin"), ("X-Forwarded-User", "kim.minji")]
    assert behind_proxy(PROXY).get("/", headers=both).status_code == 401


def test_the_users_name_reaches_neither_the_application_nor_log_nor_metrics(behind_proxy, caplog):
    caplog.set_level(logging.DEBUG)
    client = behind_proxy(PROXY)
    assert "x-forwarded-user" not in client.get("/api/seen", headers=USER).json()
    assert client.post("/api/v1/ask", json=OOM, headers=USER).status_code == 200
    assert "kim" not in client.get("/metrics", headers=USER).text
    assert "kim" not in caplog.text


def test_probes_need_no_sign_in(behind_proxy):
    for path in ("/healthz", "/readyz", "/metrics"):
        assert behind_proxy(STRANGER).get(path).status_code == 200


def test_loopback_is_believed_where_no_proxy_is_named(base):
    app = _app(base, trusted_header="X-Forwarded-User")
    assert TestClient(app, client=("127.0.0.1", 1)).get("/", headers=USER).status_code == 200
    assert TestClient(app, client=("::ffff:127.0.0.1", 1)).get("/", headers=USER).status_code == 200
    assert TestClient(app, client=PROXY).get("/", headers=USER).status_code == 401


def test_a_header_that_anybody_may_send_is_refused_at_the_start():
    with pytest.raises(InputError, match="anybody could say who they are"):
        Settings(trusted_header="X-User", trusted_proxies=("*",))
    environment = {"FORWARDED_ALLOW_IPS": "*", "KB_TRUSTED_HEADER": "X-User"}
    with pytest.raises(InputError, match="anybody could say who they are"):
        read_settings({}, environment)


def test_the_limit_counts_the_client_that_a_trusted_proxy_names(base):
    app = create_app(base, access=Access(requests_per_minute=1, trusted_proxies=("10.0.0.7",)))

    def ask(peer, client):
        path, headers = "/api/v1/sections/server-hangs", {"X-Forwarded-For": client}
        return TestClient(app, client=peer).get(path, headers=headers).status_code

    assert [ask(PROXY, "192.0.2.1"), ask(PROXY, "192.0.2.2"), ask(PROXY, "192.0.2.1")] == [
        200,
        200,
        429,
    ]
    assert [ask(STRANGER, "192.0.2.3"), ask(STRANGER, "192.0.2.4")] == [200, 429]


# --- the token of people ---


def test_a_browser_is_led_to_the_page_that_takes_the_token(locked):
    reply = locked.get("/kb/", headers={"accept": "text/html"})
    assert (reply.status_code, reply.headers["location"]) == (303, "/kb/sign-in")
    page = locked.get("/kb/sign-in", headers={"accept-language": "ko-KR,ko"})
    assert page.status_code == 200 and '<html lang="ko">' in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_the_token_opens_chat_and_api_by_a_cookie_that_scripts_cannot_read(locked):
    for path in ("/kb/config", "/kb/api/v1/openapi.json"):
        assert locked.get(path).status_code == 401
    reply = locked.post("/kb/sign-in", data={"token": "s3cret"})
    assert (reply.status_code, reply.headers["location"]) == (303, "/kb/")
    cookie = reply.headers["set-cookie"]
    for said in ("HttpOnly", "Secure", "SameSite=lax", "Path=/kb/", f"Max-Age={SESSION_S}"):
        assert said in cookie
    assert "s3cret" not in cookie
    for path in ("/kb/", "/kb/config", "/kb/api/v1/openapi.json"):
        assert locked.get(path).status_code == 200
    assert "kb_session" not in str(locked.get("/kb/api/seen").json())
    assert locked.post("/kb/sign-in", data={"leave": "1"}).status_code == 303
    assert locked.get("/kb/config").status_code == 401


@pytest.mark.parametrize("token", ["", "s3cre", "s3cret2", "pr0gram", "비밀"])
def test_another_token_opens_nothing(locked, token):
    reply = locked.post("/kb/sign-in", data={"token": token})
    assert reply.status_code == 401 and 'role="alert"' in reply.text
    assert "set-cookie" not in reply.headers
    assert not token or token not in re.sub(r"<[^>]*>", "", reply.text)


@pytest.mark.parametrize("token", ["s3cret", "pr0gram"])
def test_programs_send_either_token_to_the_api_and_neither_opens_the_chat(locked, token):
    headers = {"authorization": f"Bearer {token}"}
    assert locked.post("/kb/api/v1/ask", json=OOM, headers=headers).status_code == 200
    assert "authorization" not in locked.get("/kb/api/seen", headers=headers).json()
    assert locked.get("/kb/config", headers=headers).status_code == 401


def test_guesses_are_limited(base):
    app = create_app(base, access=Access(chat_token="s3cret", requests_per_minute=3))
    client = TestClient(app)
    replies = [client.post("/sign-in", data={"token": "x"}).status_code for _ in range(4)]
    assert replies == [401, 401, 401, 429]


def test_a_session_ends_with_its_time_and_with_its_token():
    now = 1000.0
    sessions = Sessions("s3cret", lambda: now)
    cookie = sessions.open()
    assert sessions.is_open(cookie)
    assert Sessions("s3cret", lambda: now).is_open(cookie)
    assert not Sessions("another", lambda: now).is_open(cookie)
    now += SESSION_S + 1
    assert not sessions.is_open(cookie)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: "9" + c,
        lambda c: c[:-1],
        lambda c: "",
        lambda c: "a.b.c",
        lambda c: c.replace(".", "..", 1),
    ],
)
def test_a_cookie_that_was_changed_opens_nothing(change):
    sessions = Sessions("s3cret")
    assert not sessions.is_open(change(sessions.open()))
