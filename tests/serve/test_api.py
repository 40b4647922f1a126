"""The HTTP API over the real application: what it answers, and what it says when it cannot."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime

import pytest
from fastapi.testclient import TestClient
from pydantic import TypeAdapter

from kb.serve.access import Access
from kb.serve.chat import create_app
from kb.types import Answer

OOM = "sglang: torch.OutOfMemoryError: CUDA out of memory."


@pytest.fixture(scope="module")
def app(base):
    return create_app(base, access=Access(requests_per_minute=0))


@pytest.fixture(scope="module")
def client(app):
    with TestClient(app) as client:
        yield client


def _is_problem(reply, status, error):
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/json"
    assert set(reply.json()) == {"error", "message"}
    assert reply.json()["error"] == error
    return reply.json()["message"]


def test_ask_gives_the_answer_that_python_gives(base, client):
    asked = {"paste": OOM, "question": "왜 죽었나요?", "language": "ko", "version": "0.5.9"}
    reply = client.post("/api/v1/ask", json=asked)
    assert reply.status_code == 200
    answer = base.ask(OOM, "왜 죽었나요?", "ko", version="0.5.9")
    assert answer.sections[0].id == "cuda-out-of-memory"
    assert reply.json() == json.loads(json.dumps(answer.to_dict()))
    assert list(reply.json()) == list(answer.to_dict())


def test_an_answer_fits_the_schema_that_is_published_for_it(base, client):
    answer = base.ask(OOM, None, "en", version="0.5.9")
    reply = client.post(
        "/api/v1/ask", json={"paste": OOM, "language": "en", "version": "0.5.9"}
    ).content
    assert TypeAdapter(Answer).validate_json(reply) == answer


def test_nothing_found_is_an_answer(client):
    reply = client.post("/api/v1/ask", json={"paste": "how do I bake bread in nginx"})
    assert reply.status_code == 200
    assert reply.json()["found"] is False


def test_search_lists_the_nearest_sections_in_the_language_asked_for(base, client):
    asked = {"text": "the server hangs", "top_k": 2, "language": "ko"}
    reply = client.post("/api/v1/search", json=asked)
    assert reply.status_code == 200
    found = base.search("the server hangs", 2, "ko")
    assert reply.json() == json.loads(json.dumps([asdict(section) for section in found]))
    assert reply.json()[0]["id"] == "server-hangs"
    assert reply.json()[0]["language"] == "ko"


def test_a_section_comes_by_its_id_word_for_word(base, client):
    reply = client.get("/api/v1/sections/server-hangs", params={"language": "ko"})
    assert reply.json()["markdown"] == base.section("server-hangs", "ko").markdown
    assert client.get("/api/v1/sections/server-hangs").json()["language"] == "en"


def test_a_section_without_an_id_of_its_own_is_found_by_path_and_words(tmp_path):
    from kb import KnowledgeBase

    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.md").write_text("## The deploy hangs\n\nWait for it.\n")
    small = KnowledgeBase.build(tmp_path)
    identifier = small.index.sections[0].id
    assert "/" in identifier and "#" in identifier
    with TestClient(create_app(small)) as client:
        path = identifier.replace("#", "%23")
        assert client.get(f"/api/v1/sections/{path}").json()["id"] == identifier


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({"paste": " "}, 400, "bad_request"),
        ({"paste": OOM, "version": "latest"}, 400, "bad_request"),
        ({"paste": "x" * 10_000_001}, 413, "too_large"),
        ({"question": "why?"}, 422, "invalid"),
        ({"paste": 5}, 422, "invalid"),
        ({"paste": OOM, "language": "fr"}, 422, "invalid"),
        ({"paste": OOM, "pasted": OOM}, 422, "invalid"),
        ([], 422, "invalid"),
    ],
)
def test_what_cannot_be_asked_is_a_problem(client, body, status, error):
    message = _is_problem(client.post("/api/v1/ask", json=body), status, error)
    assert message


@pytest.mark.parametrize("top_k", [0, 51, 1.5, "3", True])
def test_top_k_is_a_whole_number_within_bounds(client, top_k):
    reply = client.post("/api/v1/search", json={"text": OOM, "top_k": top_k})
    assert "top_k" in _is_problem(reply, 422, "invalid")


def test_what_is_no_json_is_a_bad_request(client):
    headers = {"content-type": "application/json"}
    for body in (b"{", b"", b'{"paste": "\xff"}'):
        reply = client.post("/api/v1/ask", content=body, headers=headers)
        assert reply.status_code in (400, 422)
        _is_problem(reply, reply.status_code, reply.json()["error"])


def test_half_a_surrogate_pair_does_not_make_the_server_fail(client):
    headers = {"content-type": "application/json"}
    body = json.dumps({"paste": OOM + " \ud800", "version": "0.5.9"})
    reply = client.post("/api/v1/ask", content=body, headers=headers)
    assert reply.json()["sections"][0]["matched_lines"][0]["text"] == OOM + " \ufffd"
    body = json.dumps({"paste": OOM, "\ud800": 1})
    _is_problem(client.post("/api/v1/ask", content=body, headers=headers), 422, "invalid")


def test_a_refusal_does_not_repeat_what_was_sent(client):
    for body in ({"paste": ["hunter2"]}, {"paste": "x", "language": "hunter2"}):
        assert "hunter2" not in client.post("/api/v1/ask", json=body).text


@pytest.mark.parametrize(
    ("method", "path", "status", "error"),
    [
        ("GET", "/api/v1/sections/nowhere", 404, "not_found"),
        ("GET", "/api/v1/nothing", 404, "not_found"),
        ("GET", "/api/v1/sections/two%0Alines", 404, "not_found"),
        ("GET", "/api/v1/ask", 405, "method_not_allowed"),
    ],
)
def test_a_route_that_is_not_there_is_a_problem(client, method, path, status, error):
    reply = client.request(method, path)
    _is_problem(reply, status, error)
    assert status != 405 or reply.headers["allow"] == "POST"


def test_alive_and_ready_say_what_is_loaded(base):
    with TestClient(create_app(base)) as client:
        assert client.get("/healthz").json() == {"alive": True}
        before = client.get("/readyz").json()
        assert datetime.fromisoformat(before.pop("loaded_at").replace("Z", "+00:00"))
        assert before == {
            "ready": True,
            "sections": 6,
            "encoder": base.index.encoder.name,
            "encoder_loaded": False,
            "reload_failed": False,
            "degraded": False,
            "problem": None,
            "generations": None,
        }
        client.post("/api/v1/ask", json={"paste": OOM})
        assert client.get("/readyz").json()["encoder_loaded"] is True


def test_the_metrics_count_answers_and_hold_no_text_of_users(client):
    secret = "hunter2"
    client.post("/api/v1/ask", json={"paste": f"{OOM} {secret}", "language": "en"})
    client.get(f"/api/v1/sections/{secret}")
    client.get(f"/{secret}")
    client.request(secret.upper(), "/api/v1/ask")
    text = client.get("/metrics").text
    assert 'kb_answers_total{found="yes",language="en"}' in text
    assert 'kb_requests_total{method="GET",route="section",status="404"}' in text
    assert "kb_asks_waiting 0.0" in text
    assert secret not in text.lower()


def test_the_description_names_every_route_with_an_example(client):
    document = client.get("/api/v1/openapi.json").json()
    assert set(document["paths"]) == {"/ask", "/search", "/sections/{id}"}
    assert document["servers"] == [{"url": "/api/v1"}]
    schemas = document["components"]["schemas"]
    assert schemas["AskRequest"]["examples"] and schemas["SearchRequest"]["examples"]
    assert set(schemas["Answer"]["properties"]) == set(Answer.__slots__)


def test_the_examples_of_the_description_are_answered(client):
    schemas = client.get("/api/v1/openapi.json").json()["components"]["schemas"]
    for path, name in (("ask", "AskRequest"), ("search", "SearchRequest")):
        for example in schemas[name]["examples"]:
            assert client.post(f"/api/v1/{path}", json=example).status_code == 200
