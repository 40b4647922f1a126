"""Many corpora in one database: named in a query, and apart for roles that may not read them."""

from __future__ import annotations

import psycopg
import pytest
from fastapi.testclient import TestClient
from postgres_pages import page, put

from kb.errors import IndexDatabaseError, InputError
from kb.postgres.connections import connect
from kb.postgres.corpora import drop_corpus
from kb.serve.chat import create_app


@pytest.fixture
def two(url, folder_of):
    put(url, folder_of(page("router", "cache"), "a"), "team-a")
    put(url, folder_of(page("cache", "graph"), "b"), "team-b")
    return url


def test_a_query_over_several_corpora_names_the_corpus_of_each_section(two, opened):
    base = opened(two, ("team-a", "team-b"))
    assert base.search("graph fails")[0].id == "team-b:graph"
    assert base.search("router fails")[0].id == "team-a:router"
    assert {s.id for s in base.search("cache fails", 2)} == {"team-a:cache", "team-b:cache"}


def test_a_query_can_name_some_of_the_corpora(two, opened):
    base = opened(two, ("team-a", "team-b"))
    found = base.search("cache fails", 10, corpora=["team-b"])
    assert {section.id.split(":")[0] for section in found} == {"team-b"}
    assert base.ask("RuntimeError: cache broke at 1", corpora=["team-a"]).sections[0].id == (
        "team-a:cache"
    )


def test_a_request_can_name_some_of_the_corpora(two, opened):
    client = TestClient(create_app(opened(two, ("team-a", "team-b"))))
    found = client.post("/api/v1/search", json={"text": "cache fails", "corpora": ["team-b"]})
    assert {section["id"].split(":")[0] for section in found.json()} == {"team-b"}
    asked = {"paste": "RuntimeError: cache broke at 1", "corpora": ["team-a"]}
    assert client.post("/api/v1/ask", json=asked).json()["sections"][0]["id"] == "team-a:cache"
    asked["corpora"] = ["none"]
    assert client.post("/api/v1/ask", json=asked).status_code == 400


def test_a_corpus_that_is_not_open_is_named_in_the_error(two, opened):
    with pytest.raises(InputError, match="no corpus 'team-c'; expected some of: team-a"):
        opened(two, ("team-a", "team-b")).search("x", corpora=["team-c"])
    with pytest.raises(IndexDatabaseError, match="no corpus 'team-c' that this role may read"):
        opened(two, ("team-c",))


def test_the_links_of_a_section_stay_within_its_corpus(url, folder_of, opened):
    linked = {"en/a.md": "# A\n\n## One {#one}\n\n[two](#two)\n\n## Two {#two}\n\nwords\n"}
    put(url, folder_of(linked, "a"), "a")
    put(url, folder_of(linked, "b"), "b")
    from kb.query.paste import read_query

    seen = opened(url, ("a", "b")).index.compared(read_query("one two", None, None), None)
    assert seen.links["a:one"] == ("a:two",)
    assert seen.links["b:one"] == ("b:two",)


# --- roles ---


@pytest.fixture
def portal(two, server):
    """Return the URL of a role that may read team-a alone."""
    with connect(two) as connection:
        connection.execute("DROP ROLE IF EXISTS portal")
        connection.execute("CREATE ROLE portal LOGIN")
    yield two.replace("postgres:@", "portal:@")
    with connect(two) as connection:
        connection.execute("DROP OWNED BY portal")
        connection.execute("DROP ROLE portal")


def test_a_role_that_is_named_for_no_corpus_reads_nothing(portal, opened):
    with pytest.raises(IndexDatabaseError, match="--reader ROLE"):
        opened(portal, None)


def test_a_role_sees_its_own_corpora_alone(two, portal, folder_of, opened):
    put(two, folder_of(page("router"), "a2"), "team-a", readers=["portal"])
    assert opened(portal, None).index.status.generations.keys() == {"team-a"}
    with pytest.raises(IndexDatabaseError, match="no corpus 'team-b' that this role may read"):
        opened(portal, ("team-b",))
    tables = [
        "kb_corpus",
        "kb_generation",
        "kb_section",
        "kb_text",
        "kb_chunk",
        "kb_vector",
        "kb_term",
        "kb_frequency",
        "kb_posting",
        "kb_signature",
    ]
    with psycopg.connect(portal, autocommit=True) as connection:
        seen = {
            table: connection.execute(f"SELECT count(DISTINCT corpus) FROM {table}").fetchone()[0]
            for table in tables
        }
    assert seen == dict.fromkeys(tables, 1)


def test_a_role_reads_no_partition_behind_the_policy(two, portal, folder_of):
    put(two, folder_of(page("router"), "a2"), "team-a", readers=["portal"])
    with (
        psycopg.connect(portal, autocommit=True) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("SELECT * FROM kb_text_0")


def test_a_role_that_may_only_read_cannot_publish(two, portal, folder_of):
    folder = folder_of(page("router"), "a2")
    put(two, folder, "team-a", readers=["portal"])
    with pytest.raises(IndexDatabaseError, match="refuses this role"):
        put(portal, folder, "team-a")


def test_a_role_answers_from_its_corpus(two, portal, folder_of, opened):
    put(two, folder_of(page("router", "cache"), "a2"), "team-a", readers=["portal"])
    assert opened(portal, None).ask("RuntimeError: cache broke at 1").sections[0].id == "cache"


def test_a_corpus_that_is_dropped_is_gone(two, opened):
    drop_corpus(two, "team-a")
    with connect(two) as connection:
        left = connection.execute("SELECT count(*) FROM kb_vector").fetchone()[0]
        kept = connection.execute("SELECT count(DISTINCT corpus) FROM kb_vector").fetchone()[0]
    assert left and kept == 1
    with pytest.raises(IndexDatabaseError, match="no corpus 'team-a'"):
        drop_corpus(two, "team-a")
