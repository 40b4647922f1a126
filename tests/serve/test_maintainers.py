"""The page for maintainers over the real application and both real databases."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from kb import InputError
from kb.cli import main
from kb.feedback.clusters import gap_key
from kb.feedback.records import Unanswered, Vote
from kb.feedback.store import open_store
from kb.serve.access import Access
from kb.serve.chat import create_app
from kb.serve.maintainers_sign_in import COOKIE, STAYS_S, MaintainerSignIn
from kb.serve.server import serve
from kb.settings import Settings

TOKEN = "correct-horse-battery"
LORA = "ValueError: LoRA adapter … has rank … but max_lora_rank is …"
HOSTILE = "ValueError: <img src=x onerror=alert(1)> & </pre><script>x</script> `{#id}`"
ROUTES = ("/maintainers", "/maintainers/gaps.md")
HERE = {"origin": "http://testserver"}
BEARER = {"authorization": f"Bearer {TOKEN}"}
KEY = gap_key((LORA,), "")


def filled(place):
    store = open_store(place)
    for lines, language in [((LORA,), "ko"), ((LORA,), "en"), ((HOSTILE,), "en"), ((), "ko")]:
        store.add_unanswered(Unanswered(lines, ("cuda-out-of-memory",), language, "0.1.0"))
    store.add_vote(Vote("cuda-out-of-memory", False, "ko", "0.1.0", "unclear", (HOSTILE,)))
    store.add_vote(Vote("cuda-out-of-memory", True, "en", "0.1.0"))
    return store


def client_of(base, store, **access):
    access = {"maintainer_token": TOKEN, "requests_per_minute": 0, **access}
    return TestClient(create_app(base, access=Access(**access), feedback=store))


@pytest.fixture
def client(base, place):
    with client_of(base, filled(place)) as client:
        yield client


@pytest.fixture
def signed_in(base, tmp_path):
    with client_of(base, filled(tmp_path / "f.db")) as client:
        client.cookies.set(COOKIE, MaintainerSignIn(TOKEN).cookie())
        yield client


def marked(client, state, gap=KEY, **headers):
    form = {"gap": gap, "state": state}
    headers = {**HERE, **headers}
    return client.post("/maintainers/mark", data=form, headers=headers, follow_redirects=False)


# --- who gets in ---


@pytest.mark.parametrize("route", (*ROUTES, "/maintainers/sign-in"))
def test_without_a_token_on_the_server_there_is_no_page(base, tmp_path, route):
    with client_of(base, filled(tmp_path / "f.db"), maintainer_token=None) as client:
        assert client.get(route, headers=BEARER).status_code == 404


def test_the_maintainers_token_is_enough_where_the_chat_has_one_of_its_own(base, tmp_path):
    with client_of(base, filled(tmp_path / "f.db"), chat_token="another-one-for-readers") as client:
        assert client.get("/maintainers/sign-in").status_code == 200
        assert client.get("/maintainers", headers=BEARER).status_code == 200
        (style,) = re.findall(
            r'href="([^"]+maintainers\.css)"', client.get("/maintainers/sign-in").text
        )
        assert client.get(style).status_code == 200
        assert client.get("/maintainers", follow_redirects=False).status_code == 404
        assert client.get("/", follow_redirects=False).status_code in (303, 401)


@pytest.mark.parametrize("route", ROUTES)
def test_without_feedback_there_is_no_page(base, route):
    with client_of(base, None) as client:
        assert client.get(route, headers=BEARER).status_code == 404


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer wrong"},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": b"Bearer \xff"},
        {"cookie": f"{COOKIE}={TOKEN}"},
        {"cookie": f"{COOKIE}=99999999999.{'0' * 64}"},
        {"cookie": f"{COOKIE}=."},
        {"x-forwarded-user": "admin"},
    ],
)
def test_everybody_else_sees_what_a_server_without_the_page_says(signed_in, route, headers):
    signed_in.cookies.clear()
    nowhere = signed_in.get("/no-such-page")
    reply = signed_in.get(route + "?language=xx", headers=headers)
    assert (reply.status_code, reply.content) == (404, nowhere.content)
    assert reply.headers.keys() == nowhere.headers.keys()


def test_the_token_of_the_api_opens_nothing_here(base, tmp_path):
    with client_of(base, filled(tmp_path / "f.db"), api_token="of-the-api") as client:
        headers = {"authorization": "Bearer of-the-api"}
        assert client.get("/maintainers", headers=headers).status_code == 404


@pytest.mark.parametrize("route", ROUTES)
def test_a_program_sends_the_token_as_bearer(signed_in, route):
    signed_in.cookies.clear()
    assert signed_in.get(route, headers=BEARER).status_code == 200


def test_a_cookie_ends_and_is_of_its_token():
    class Asked:
        def __init__(self, cookie):
            self.headers, self.cookies = {}, {COOKIE: cookie}

    cookie = MaintainerSignIn(TOKEN, clock=lambda: 1_000).cookie()
    assert MaintainerSignIn(TOKEN, clock=lambda: 1_000 + STAYS_S - 1).knows(Asked(cookie))
    assert not MaintainerSignIn(TOKEN, clock=lambda: 1_000 + STAYS_S).knows(Asked(cookie))
    assert not MaintainerSignIn(TOKEN + "2", clock=lambda: 1_000).knows(Asked(cookie))
    assert TOKEN not in cookie


def test_signing_in_gives_a_cookie_that_scripts_and_other_sites_cannot_use(signed_in):
    signed_in.cookies.clear()
    form = {"token": TOKEN}
    reply = signed_in.post(
        "/maintainers/sign-in?language=ko", data=form, headers=HERE, follow_redirects=False
    )
    assert (reply.status_code, reply.headers["location"]) == (303, "/maintainers?language=ko")
    set_cookie = reply.headers["set-cookie"]
    assert re.search(r"HttpOnly; Max-Age=\d+; Path=/maintainers; SameSite=strict", set_cookie)
    assert TOKEN not in set_cookie
    assert signed_in.get("/maintainers").status_code == 200
    signed_in.post("/maintainers/sign-out", headers=HERE)
    assert signed_in.get("/maintainers").status_code == 404


def test_a_wrong_token_is_refused_and_not_repeated(signed_in):
    signed_in.cookies.clear()
    reply = signed_in.post("/maintainers/sign-in", data={"token": "hunter2"}, headers=HERE)
    assert reply.status_code == 403
    assert "set-cookie" not in reply.headers
    assert "hunter2" not in reply.text


def test_guesses_are_limited(base, tmp_path):
    with client_of(base, filled(tmp_path / "f.db"), requests_per_minute=3) as client:
        for _ in range(3):
            client.post("/maintainers/sign-in", data={"token": "guess"}, headers=HERE)
        reply = client.post("/maintainers/sign-in", data={"token": TOKEN}, headers=HERE)
        assert reply.status_code == 429


@pytest.mark.parametrize("token", ["", "short", "x" * 15, "비밀번호비밀번호비밀번호비밀번호"])
def test_a_token_that_can_be_guessed_or_not_sent_is_refused(token):
    with pytest.raises(InputError, match="maintainer_token is hidden") as caught:
        Settings(maintainer_token=token)
    assert not token or token not in str(caught.value)


def test_the_token_without_feedback_is_an_error_at_the_start():
    with pytest.raises(InputError, match="set feedback too"):
        serve(Settings(port=0, maintainer_token=TOKEN))


# --- what it shows ---


def test_it_shows_gaps_and_votes_of_either_store(client):
    page = client.get("/maintainers", headers=BEARER).text
    assert "<dt>Asked</dt><dd>2</dd>" in page
    assert "<dt>Language</dt><dd>en 1, ko 1</dd>" in page
    assert "```log\nValueError: LoRA adapter … has rank" in page
    assert re.search(r"<td>1</td><td>1</td><td>Hard to follow 1</td><td>ko 1</td>", page)
    assert "Near cuda-out-of-memory" in page


def test_what_was_pasted_is_text(signed_in):
    page = signed_in.get("/maintainers").text
    assert "<img src=x" not in page
    assert "<script" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_the_policy_allows_no_script_and_no_frame(signed_in):
    headers = signed_in.get("/maintainers").headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self';")
    assert "frame-ancestors 'none'" in policy
    assert "script" not in policy and "unsafe" not in policy
    assert headers["cache-control"] == "no-store"


def test_the_page_needs_nothing_that_its_policy_forbids(signed_in):
    page = signed_in.get("/maintainers").text
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page.replace(" onerror=", ""))
    for address in re.findall(r'<link [^>]*href="([^"]+)"', page):
        assert signed_in.get(address).status_code == 200


@pytest.mark.parametrize(
    ("query", "accepted", "language"),
    [
        ("?language=ko", "en", "ko"),
        ("", "ko-KR,ko;q=0.9,en;q=0.8", "ko"),
        ("", "fr", "en"),
        ("?language=<b>", "", "en"),
    ],
)
def test_it_speaks_the_language_chosen_or_accepted(signed_in, query, accepted, language):
    headers = {"accept-language": accepted}
    page = signed_in.get("/maintainers" + query, headers=headers).text
    assert f'<html lang="{language}">' in page
    assert ("맞는 항목이 없는 장애" in page) == (language == "ko")


def test_the_export_is_what_kb_gaps_writes(client, place, capsys):
    reply = client.get("/maintainers/gaps.md", headers=BEARER)
    assert reply.headers["content-type"] == "text/markdown; charset=utf-8"
    assert 'filename="gaps.md"' in reply.headers["content-disposition"]
    assert main(["gaps", "--feedback", place]) == 0
    assert reply.text == capsys.readouterr().out


def test_behind_a_proxy_under_a_path_its_addresses_have_it(base, tmp_path):
    with client_of(base, filled(tmp_path / "f.db"), root_path="/kb") as client:
        page = client.get("/maintainers", headers=BEARER).text
        addresses = re.findall(r'(?:href|action)="([^"]+)"', page)
        assert addresses and all(address.startswith("/kb/") for address in addresses)
        assert client.get("/kb/maintainers", headers=BEARER).status_code == 200


def test_a_store_that_fails_is_said_without_its_place(base, tmp_path):
    store = filled(tmp_path / "f.db")
    with client_of(base, store) as client:
        store._connection.execute("ALTER TABLE kb_mark RENAME TO away")
        reply = client.get("/maintainers", headers=BEARER)
        assert reply.status_code == 503
        assert "f.db" not in reply.text


# --- marks ---


@pytest.mark.parametrize("state", ["done", "ignored"])
def test_a_mark_is_kept_in_either_store_and_taken_back(client, place, state):
    reply = marked(client, state, **BEARER)
    assert (reply.status_code, reply.headers["location"]) == (303, "/maintainers?language=en")
    store = open_store(place, create=False)
    assert [(mark.gap, mark.state) for mark in store.marks()] == [(KEY, state)]
    report = client.get("/maintainers/gaps.md", headers=BEARER).text
    assert LORA not in report
    closed = client.get("/maintainers", headers=BEARER).text.split('id="closed"')[1]
    assert "LoRA adapter" in closed and "Open again" in closed
    marked(client, "open", **BEARER)
    assert list(store.marks()) == []
    store.close()


@pytest.mark.parametrize(
    ("gap", "state"), [("x", "done"), (KEY + "0", "done"), (KEY, "deleted"), (KEY, "")]
)
def test_what_is_no_mark_is_refused(signed_in, gap, state):
    assert marked(signed_in, state, gap).status_code == 422
    assert "Open again" not in signed_in.get("/maintainers").text


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://testserver.evil", ""])
@pytest.mark.parametrize("route", ["mark", "sign-in", "sign-out"])
def test_a_form_of_another_page_changes_nothing(signed_in, origin, route):
    form = {"gap": KEY, "state": "done", "token": TOKEN}
    reply = signed_in.post(f"/maintainers/{route}", data=form, headers={"origin": origin})
    assert reply.status_code == 403
    assert "set-cookie" not in reply.headers
    assert "Open again" not in signed_in.get("/maintainers").text


def test_a_mark_needs_the_token_too(signed_in):
    signed_in.cookies.clear()
    assert marked(signed_in, "done").status_code == 404


def test_a_body_that_is_no_form_is_refused(signed_in):
    headers = {**HERE, "content-type": "application/json"}
    body = b'{"gap": "' + KEY.encode() + b'", "state": "done"}'
    assert signed_in.post("/maintainers/mark", content=body, headers=headers).status_code == 422
    odd = b"gap=%ff\xff&state=&&=;" * 10
    headers["content-type"] = "application/x-www-form-urlencoded"
    assert signed_in.post("/maintainers/mark", content=odd, headers=headers).status_code == 422
