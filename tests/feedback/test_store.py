"""Both stores keep what they acknowledge."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from kb.feedback.postgres_store import PostgresStore
from kb.feedback.records import Mark, Unanswered, Vote
from kb.feedback.sqlite_store import SqliteStore
from kb.feedback.store import FeedbackError, FeedbackStore, open_store

VOTE = Vote("oom", False, "ko", "0.1.0", "unclear", ("RuntimeError: … failed", "b"))
ASKED = Unanswered(("ValueError: … is not supported",), ("oom", "멈춤"), "en", "0.1.0")


def store_at(place: str, **settings) -> FeedbackStore:
    if "://" in place:
        return PostgresStore(place, **settings)
    return SqliteStore(Path(place), **settings)


def test_what_was_kept_comes_back_after_reopening(place):
    store = open_store(place)
    store.add_vote(VOTE)
    store.add_unanswered(ASKED)
    store.close()
    store = open_store(place, create=False)
    (vote,) = store.votes()
    (asked,) = store.unanswered()
    assert replace(vote, at=0) == VOTE
    assert replace(asked, at=0) == ASKED
    assert vote.at > 1_700_000_000
    store.close()


def test_text_that_a_database_might_refuse_is_kept(place):
    store = open_store(place)
    odd = replace(ASKED, signatures=("a\0b", "half \ud83d of a pair", "'; DROP TABLE kb_vote; --"))
    store.add_unanswered(odd)
    assert next(store.unanswered()).signatures == odd.signatures
    store.close()


def test_a_clock_that_goes_back_changes_neither_order_nor_number(place):
    times = iter([3_000, 2_000, -5, 4_000])
    store = store_at(place, clock=lambda: next(times))
    for reason in ("unclear", "other", "wrong_cause", "wrong_version"):
        store.add_vote(replace(VOTE, reason=reason))
    votes = list(store.votes())
    assert [vote.reason for vote in votes] == ["unclear", "other", "wrong_cause", "wrong_version"]
    assert [vote.at for vote in votes] == [3_000, 2_000, -5, 4_000]
    store.close()


def test_past_the_bound_the_oldest_are_dropped(place):
    store = store_at(place, max_rows=3)
    for number in range(5):
        store.add_vote(replace(VOTE, section=f"s{number}"))
        store.add_unanswered(replace(ASKED, nearest=(f"s{number}",)))
    assert [vote.section for vote in store.votes()] == ["s2", "s3", "s4"]
    assert [asked.nearest for asked in store.unanswered()] == [("s2",), ("s3",), ("s4",)]
    store.close()


def test_threads_and_a_second_store_on_the_same_place_lose_nothing(place):
    one, other = open_store(place), open_store(place)

    def write(store):
        for _ in range(10):
            store.add_vote(VOTE)

    threads = [threading.Thread(target=write, args=(store,)) for store in (one, one, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(one.votes())) == 30
    one.close()
    other.close()


def test_a_mark_is_kept_replaced_and_taken_away(place):
    store = store_at(place, clock=iter(range(1, 9)).__next__)
    store.set_mark("a" * 32, "done")
    store.set_mark("b" * 32, "ignored")
    store.set_mark("a" * 32, "ignored")
    store.close()
    store = open_store(place, create=False)
    assert list(store.marks()) == [Mark("a" * 32, "ignored", 3), Mark("b" * 32, "ignored", 2)]
    store.set_mark("a" * 32, None)
    store.set_mark("c" * 32, None)
    assert [mark.gap for mark in store.marks()] == ["b" * 32]
    store.close()


def test_a_file_of_the_version_without_marks_is_read_and_marked(tmp_path):
    path = tmp_path / "f.db"
    store = SqliteStore(path)
    store.add_vote(VOTE)
    store._connection.execute("DROP TABLE kb_mark")
    store.close()
    store = SqliteStore(path, create=False)
    store.set_mark("a" * 32, "done")
    assert (len(list(store.votes())), len(list(store.marks()))) == (1, 1)
    store.close()


WRITER = """
import sys
from kb.feedback.records import Vote
from kb.feedback.store import open_store
store = open_store(sys.argv[1])
number = 0
while True:
    store.add_vote(Vote(f"s{number}", True, "en", "0.1.0"))
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
    number += 1
"""


@pytest.mark.parametrize("acknowledged", [1, 60])
def test_a_writer_killed_loses_no_acknowledged_row(place, acknowledged):
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, place], stdout=subprocess.PIPE, text=True
    ) as writer:
        for _ in range(acknowledged):
            assert writer.stdout.readline()
        os.kill(writer.pid, signal.SIGKILL)  # in the middle of a later write
        said = acknowledged + len(writer.stdout.read().splitlines())
    assert writer.returncode == -signal.SIGKILL
    store = open_store(place, create=False)
    kept = [vote.section for vote in store.votes()]
    # The last commit may have been on the disk before its acknowledgement was printed.
    assert said <= len(kept) <= said + 1
    assert kept == [f"s{number}" for number in range(len(kept))]
    store.add_vote(VOTE)  # and what was left behind does not stop the next server
    store.close()


# --- SQLite ---


def test_sqlite_is_set_to_lose_nothing(tmp_path):
    path = tmp_path / "f.db"
    store = SqliteStore(path)
    assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    store.close()


def test_the_file_is_for_its_owner_alone(tmp_path):
    path = tmp_path / "f.db"
    store = SqliteStore(path)
    store.add_vote(VOTE)
    modes = {stat.S_IMODE(found.stat().st_mode) for found in tmp_path.iterdir()}
    assert modes == {0o600}
    store.close()


def test_reading_makes_no_file(tmp_path):
    with pytest.raises(FeedbackError, match="does not exist"):
        open_store(tmp_path / "f.db", create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_database_is_an_error_and_stays_as_it_is(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n" * 100)
    with pytest.raises(FeedbackError, match=r"notes\.txt cannot be opened"):
        open_store(path)
    assert path.read_text() == "my notes\n" * 100


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FeedbackError, match="cannot be opened"):
        open_store(tmp_path / "none" / "f.db")


def test_a_file_of_a_later_format_is_an_error(tmp_path):
    path = tmp_path / "f.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 9")
    with pytest.raises(FeedbackError, match="format 9"):
        open_store(path)


def test_a_write_that_fails_is_an_error_and_the_next_one_works(tmp_path):
    path = tmp_path / "f.db"
    store = SqliteStore(path)
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE kb_vote RENAME TO away")
    connection.close()
    with pytest.raises(FeedbackError, match="cannot be written"):
        store.add_vote(VOTE)
    store.add_unanswered(ASKED)
    assert len(list(store.unanswered())) == 1
    store.close()


# --- PostgreSQL ---


def test_another_kind_of_url_is_an_error_without_its_password():
    with pytest.raises(FeedbackError, match=r"mysql://…") as caught:
        open_store("mysql://kb:hunter2@db/kb")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://kb:hunter2@127.0.0.1:1/kb",
        "postgresql://kb:hunter2@127.0.0.1:port/kb",
        "postgresql://kb:hun@ter2:hunter2@[::1/kb",
        "postgresql://127.0.0.1:1/kb?password=hunter2&nonsense=hunter2",
    ],
)
def test_a_database_that_cannot_be_reached_is_an_error_without_its_password(url):
    pytest.importorskip("psycopg")
    with pytest.raises(FeedbackError, match="PostgreSQL") as caught:
        open_store(url)
    assert "hunter2" not in str(caught.value)


def test_without_the_driver_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from kb.feedback.store import FeedbackError, open_store\n"
        "try: open_store('postgresql://db/kb')\n"
        "except FeedbackError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install '.[postgres]'" in done.stdout


def test_a_lost_connection_is_made_anew(postgres):
    import psycopg

    store = PostgresStore(postgres)
    store.add_vote(VOTE)
    with psycopg.connect(postgres, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
    store.add_vote(VOTE)
    assert len(list(store.votes())) == 2
    store.close()


def test_postgres_acknowledges_only_what_is_on_the_disk(postgres):
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as other:
        other.execute("ALTER ROLE CURRENT_USER SET synchronous_commit = off")
    try:
        store = PostgresStore(postgres)
        assert store._connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
        store.close()
    finally:
        with psycopg.connect(postgres, autocommit=True) as other:
            other.execute("ALTER ROLE CURRENT_USER RESET synchronous_commit")
