"""Errors are told in the language that a request states or accepts; the code never changes."""

from __future__ import annotations

import json
import re

import pytest
from fastapi.testclient import TestClient

from kb.errors import InputError
from kb.serve.access import Access
from kb.serve.chat import create_app
from kb.serve.reader_language import accepted_language
from kb.strings import text, texts

KOREAN = {"accept-language": "ko-KR,ko;q=0.9,en;q=0.8"}
HANGUL = re.compile("[\uac00-\ud7a3]")


@pytest.fixture(scope="module")
def client(base):
    with TestClient(create_app(base, access=Access(requests_per_minute=0))) as client:
        yield client


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("ko", "ko"),
        ("ko-KR,en;q=0.5", "ko"),
        ("en-US,ko", "en"),
        ("en;q=0.5,ko;q=0.9", "ko"),
        ("ko;q=0,en", "en"),
        ("kok,ko;q=0.1", "ko"),
        ("fr, de", "en"),
        ("ko;q=x", "en"),
        (",;=,", "en"),
    ],
)
def test_the_first_language_accepted_that_there_is(header, language):
    assert accepted_language(header) == language


@pytest.mark.parametrize(
    ("method", "path", "content", "status", "code"),
    [
        ("POST", "ask", {"paste": " "}, 400, "bad_request"),
        ("POST", "ask", {"paste": "x", "version": "latest"}, 400, "bad_request"),
        ("POST", "ask", {"paste": "x", "version": "0.1"}, 400, "bad_request"),
        ("POST", "ask", {"paste": "\x00\x01\x02" * 9}, 400, "bad_request"),
        ("POST", "ask", {"paste": "x" * 10_000_001}, 413, "too_large"),
        ("POST", "ask", {"paste": 5}, 422, "invalid"),
        ("POST", "ask", {"paste": "x", "language": "fr"}, 422, "invalid"),
        ("POST", "ask", {"paste": "x", "pasted": "x"}, 422, "invalid"),
        ("POST", "ask", [], 422, "invalid"),
        ("POST", "ask", b"{", 400, "bad_request"),
        ("POST", "search", {"text": "x", "top_k": 51}, 422, "invalid"),
        ("POST", "search", {"text": "x", "top_k": 0}, 422, "invalid"),
        ("POST", "search", {"text": "x", "top_k": "3"}, 422, "invalid"),
        ("GET", "sections/nowhere", None, 404, "not_found"),
        ("GET", "nothing", None, 404, "not_found"),
        ("GET", "ask", None, 405, "method_not_allowed"),
    ],
)
def test_what_a_user_can_cause_is_told_in_korean_with_the_same_code(
    client, method, path, content, status, code
):
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    for accepts, language in ((KOREAN, "ko"), ({}, "en")):
        headers = {"content-type": "application/json", **accepts}
        reply = client.request(method, f"/api/v1/{path}", headers=headers, content=body)
        assert (reply.status_code, reply.json()["error"]) == (status, code)
        assert bool(HANGUL.search(reply.json()["message"])) == (language == "ko")
        assert reply.headers["content-language"] == language


@pytest.mark.parametrize(
    "body", [{"paste": " "}, {"paste": 5}, {"paste": "x", "version": "latest"}]
)
def test_the_language_that_the_body_states_wins(client, body):
    said = client.post(
        "/api/v1/ask", json={**body, "language": "ko"}, headers={"accept-language": "en"}
    )
    assert HANGUL.search(said.json()["message"])
    said = client.post("/api/v1/ask", json={**body, "language": "en"}, headers=KOREAN)
    assert not HANGUL.search(said.json()["message"])


def test_a_section_that_is_not_there_is_told_in_the_language_it_was_asked_in(client):
    said = client.get("/api/v1/sections/nowhere", params={"language": "ko"}).json()
    assert said["message"] == text("error.no_section", "ko")


def test_the_field_that_is_wrong_is_named_in_both_languages(client):
    for headers in ({}, KOREAN):
        reply = client.post("/api/v1/search", json={"text": "x", "top_k": 51}, headers=headers)
        assert "body.top_k" in reply.json()["message"]
        assert "50" in reply.json()["message"]


def test_the_guards_speak_korean_too(base):
    access = Access(api_token="secret-of-programs", requests_per_minute=2, max_body_bytes=1000)
    with TestClient(create_app(base, access=access)) as client:
        origin = {**KOREAN, "origin": "https://elsewhere.example"}
        replies = [
            client.post("/api/v1/ask", json={"paste": "x"}, headers=KOREAN),
            client.post("/api/v1/ask", json={"paste": "x"}, headers=origin),
            client.post(
                "/api/v1/ask",
                json={"paste": "x" * 2000},
                headers={**KOREAN, "authorization": "Bearer secret-of-programs"},
            ),
            client.post("/api/v1/ask", json={"paste": "x"}, headers=KOREAN),
        ]
    assert [reply.status_code for reply in replies] == [401, 403, 413, 429]
    assert all(HANGUL.search(reply.json()["message"]) for reply in replies)


def test_an_error_without_a_translation_says_what_it_says():
    assert InputError("only this").in_language("ko") == "only this"
    both = texts("error.nothing_pasted")
    assert InputError.of(both).in_language("ko") == both["ko"]
    assert str(InputError.of(both)) == both["en"]
