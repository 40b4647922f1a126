"""Feedback over the real application and a real file: what is kept, and what is not."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from page_html import PageHTML
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from kb.feedback.records import REASONS
from kb.feedback.store import open_store
from kb.serve.access import Access
from kb.serve.chat import create_app
from kb.serve.feedback import Feedback
from kb.serve.replies import Replies
from kb.strings import text
from kb.version import __version__

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"
SECRET = "hunter2-production"
UNKNOWN = (
    f"export API_KEY={SECRET}\n"
    "ZoologyError: purple llamas jane@acme.example escaped 10.1.2.3 into /home/jane/barn"
    f" with {SECRET}\n"
)
AGAINST = {
    "section": "cuda-out-of-memory",
    "helpful": False,
    "reason": "did_not_help",
    "language": "ko",
    "paste": f"{OOM}\nValueError: refused by {SECRET} api_key={SECRET}",
}
FOR = {"section": "cuda-out-of-memory", "helpful": True, "language": "en", "paste": OOM}
ROUTES = ("/api/v1/feedback", "/chat-feedback")


@pytest.fixture
def place(tmp_path):
    return tmp_path / "feedback.db"


@pytest.fixture
def client(base, place):
    app = create_app(base, access=Access(requests_per_minute=0), feedback=open_store(place))
    with TestClient(app) as client:
        yield client


def kept(place: Path):
    """Return votes, unanswered questions, and all bytes on the disk; another store reads them."""
    store = open_store(place, create=False)
    found = list(store.votes()), list(store.unanswered())
    raw = b"".join(path.read_bytes() for path in sorted(place.parent.iterdir()))
    store.close()
    return *found, raw


# --- votes ---


@pytest.mark.parametrize("route", ROUTES)
def test_a_vote_is_on_the_disk_when_it_is_answered(client, place, route):
    assert client.post(route, json=AGAINST).json() == {"kept": True}
    assert client.post(route, json=FOR).status_code == 200
    (against, helpful), _, raw = kept(place)
    assert (against.section, against.helpful, against.reason, against.language) == (
        "cuda-out-of-memory",
        False,
        "did_not_help",
        "ko",
    )
    assert against.kb_version == __version__
    assert against.signatures[0].startswith("torch.OutOfMemoryError: CUDA out of memory")
    assert (helpful.helpful, helpful.reason, helpful.signatures) == (True, None, ())
    assert SECRET.encode() not in raw


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"section": "no-such-section"}, 404),
        ({"section": "x" * 1001}, 422),
        ({"reason": "because of Jane"}, 422),
        ({"helpful": True}, 422),  # with a reason
        ({"helpful": "no"}, 422),
        ({"language": "fr"}, 422),
        ({"user": "jane"}, 422),
    ],
)
def test_what_is_no_vote_is_refused_and_not_kept(client, place, route, change, status):
    body = json.dumps({**AGAINST, **change})
    reply = client.post(route, content=body, headers={"content-type": "application/json"})
    assert reply.status_code == status, reply.text
    assert set(reply.json()) == {"error", "message"}
    assert SECRET not in reply.text
    assert "Jane" not in reply.text
    assert kept(place)[0] == []


def test_the_pages_route_takes_json_only_so_that_no_other_origin_can_send(client, place):
    body = json.dumps(FOR)
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        headers = {"content-type": kind, "origin": "https://evil.example"}
        assert client.post("/chat-feedback", content=body, headers=headers).status_code == 400
    asked = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    preflight = client.options("/chat-feedback", headers=asked)
    assert "access-control-allow-origin" not in preflight.headers
    assert kept(place)[0] == []


def test_the_api_wants_its_token_and_the_page_needs_none(base, place):
    app = create_app(base, access=Access(api_token="t"), feedback=open_store(place))
    with TestClient(app) as client:
        assert client.post("/api/v1/feedback", json=FOR).status_code == 401
        assert client.post("/chat-feedback", json=FOR).status_code == 200


def test_votes_on_the_page_count_for_the_rate_limit(base, place):
    app = create_app(base, access=Access(requests_per_minute=3), feedback=open_store(place))
    with TestClient(app) as client:
        statuses = [client.post("/chat-feedback", json=FOR).status_code for _ in range(5)]
    assert statuses[0] == 200
    assert statuses[-1] == 429
    assert len(kept(place)[0]) == statuses.count(200)


def test_many_votes_at_once_are_all_kept(client, place):
    with ThreadPoolExecutor(8) as threads:
        replies = list(threads.map(lambda _: client.post(ROUTES[0], json=FOR), range(40)))
    assert {reply.status_code for reply in replies} == {200}
    assert len(kept(place)[0]) == 40


@pytest.mark.parametrize("route", ROUTES)
def test_a_store_that_fails_is_a_503_without_its_place(base, place, route):
    store = open_store(place)
    app = create_app(base, feedback=store)
    with TestClient(app) as client:
        store.close()
        reply = client.post(route, json=FOR)
    assert reply.status_code == 503
    assert reply.headers["retry-after"]
    assert str(place) not in reply.text


# --- answers that found nothing ---


def test_an_unanswered_paste_is_kept_as_masked_lines(base, place):
    app = create_app(base, feedback=open_store(place))
    with TestClient(app) as client:
        reply = client.post("/api/v1/ask", json={"paste": UNKNOWN, "language": "ko"})
        assert reply.json()["found"] is False
        near = tuple(section["id"] for section in reply.json()["nearest"])
    _, (asked,), raw = kept(place)
    assert asked.signatures == ("ZoologyError: purple llamas … escaped … into … with …",)
    assert asked.nearest == near
    assert (asked.language, asked.kb_version) == ("ko", __version__)
    for secret in (SECRET, "jane", "acme", "10.1.2.3"):
        assert secret.encode() not in raw


def test_words_are_counted_and_not_kept(base, place):
    with TestClient(create_app(base, feedback=open_store(place))) as client:
        asked = {"paste": "how do I bake bread in nginx", "question": "for Jane?"}
        assert client.post("/api/v1/ask", json=asked).json()["found"] is False
    _, (unanswered,), raw = kept(place)
    assert unanswered.signatures == ()
    assert b"bread" not in raw
    assert b"Jane" not in raw


def test_a_greeting_is_no_gap(base, place):
    with TestClient(create_app(base, feedback=open_store(place))) as client:
        assert client.post("/api/v1/ask", json={"paste": "안녕하세요"}).json()["found"] is False
    assert kept(place)[:2] == ([], [])


def test_what_was_answered_is_not_kept(base, place):
    with TestClient(create_app(base, feedback=open_store(place))) as client:
        assert client.post("/api/v1/ask", json={"paste": OOM}).json()["found"] is True
    assert kept(place)[:2] == ([], [])


def test_the_chat_counts_a_question_once_though_it_is_shown_in_two_languages(base, place):
    feedback = Feedback(base, open_store(place))
    replies = Replies(base, feedback)
    replies.ask(UNKNOWN, "", None, "en", "")
    replies.ask(UNKNOWN, "", "ko", "ko", "", again=True)
    feedback.flush()
    assert len(kept(place)[1]) == 1
    feedback.close()


def test_an_answer_comes_though_nothing_can_be_kept(base, place, caplog):
    store = open_store(place)
    feedback = Feedback(base, store)
    store.close()
    reply = Replies(base, feedback).ask(UNKNOWN, "", None, "en", "")
    feedback.flush()
    assert 'data-state="not-found"' in reply.html
    assert "was not kept" in caplog.text
    assert "llamas" not in caplog.text


# --- the page ---


def test_without_a_store_nothing_asks_for_feedback(base):
    with TestClient(create_app(base)) as client:
        assert client.post("/api/v1/feedback", json=FOR).status_code == 404
        assert client.post("/chat-feedback", json=FOR).status_code in (404, 405)
        assert "/feedback" not in client.get("/api/v1/openapi.json").json()["paths"]
    for paste in (OOM, UNKNOWN):
        assert "kb-feedback" not in Replies(base).ask(paste, "", None, "en", "").html


@pytest.mark.parametrize("language", ["ko", "en"])
def test_each_answered_section_asks_whether_it_helped(base, place, language):
    html = Replies(base, Feedback(base, open_store(place))).ask(OOM, "", language, "en", "").html
    page = PageHTML(html)
    assert text("feedback.question", language) in page.text
    for reason in REASONS:
        assert text(f"feedback.{reason}", language) in page.text
        assert f'data-reason="{reason}"' in html
    assert html.count('class="kb-feedback"') == html.count('class="kb-body"')


def test_the_page_sends_along_masked_lines_alone(base, place, client):
    paste = f"{OOM}\nValueError: refused {SECRET} at /home/jane api_key={SECRET}"
    html = Replies(base, Feedback(base, open_store(place))).ask(paste, "", None, "en", "").html
    box = next(
        attributes for _, attributes in PageHTML(html).elements if "data-paste" in attributes
    )
    assert SECRET not in box["data-paste"]
    assert "jane" not in box["data-paste"]
    vote = {**AGAINST, "section": box["data-section"], "paste": box["data-paste"]}
    assert client.post("/chat-feedback", json=vote).status_code == 200
    (given,), _, _ = kept(place)
    assert given.signatures == (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate … GiB",
        "ValueError: refused … at … api_key=…",
    )


@pytest.mark.parametrize("language", ["ko", "en"])
def test_where_nothing_was_found_the_page_says_what_is_kept(base, place, language):
    html = (
        Replies(base, Feedback(base, open_store(place))).ask(UNKNOWN, "", language, "en", "").html
    )
    assert text("feedback.kept_unanswered", language) in PageHTML(html).text


def test_half_of_a_character_is_refused_and_breaks_nothing(client, place):
    body = json.dumps({**FOR, "section": "half \ud83d"})
    for route in ROUTES:
        reply = client.post(route, content=body, headers={"content-type": "application/json"})
        assert reply.status_code in (404, 422)
    assert kept(place)[0] == []


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_the_route_does_what_its_description_says(base, place, mode):
    app = create_app(base, access=Access(requests_per_minute=0), feedback=open_store(place))
    description = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    operation = description["/feedback"]["POST"]

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=20,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def run(case):
        case.call_and_validate(
            checks=[
                not_a_server_error,
                content_type_conformance,
                negative_data_rejection,
                response_schema_conformance,
                status_code_conformance,
            ]
        )

    run()
