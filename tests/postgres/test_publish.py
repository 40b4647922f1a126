"""Publishing: whole generations, one at a time, embedding what changed, by any number of hands."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from postgres_pages import WordsEncoder, page, put
from postgres_pages import wait_until as _wait

from kb.errors import EncoderError, IndexDatabaseError, KBError
from kb.postgres.connections import connect
from kb.postgres.embedding import BATCH, embed_share

ROOT = Path(__file__).resolve().parents[2]


def _count(url: str, table: str) -> int:
    with connect(url) as connection:
        return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def test_only_changed_sections_are_embedded_again(url, folder_of):
    first, second, third = WordsEncoder(), WordsEncoder(), WordsEncoder()
    put(url, folder_of(page("router", "cache"), "a"), encoder=first)
    put(url, folder_of(page("router", "cache"), "b"), encoder=second)
    put(url, folder_of(page("router", "cache", "graph"), "c"), encoder=third)
    assert len(first.embedded) == 4  # two languages
    assert second.embedded == []
    assert all("graph" in text for text in third.embedded) and len(third.embedded) == 2


def test_a_reader_follows_the_generations(url, folder_of, opened):
    put(url, folder_of(page("router"), "a"))
    base = opened(url)
    before = base.index.status.generations["docs"]
    put(url, folder_of(page("router", "graph"), "b"))
    _wait(lambda: base.index.status.generations["docs"] > before)
    assert base.ask("RuntimeError: graph broke at 1").sections[0].id == "graph"


def test_a_reader_stays_on_its_generation_where_the_encoder_is_another(url, folder_of, opened):
    class Other(WordsEncoder):
        def encode_document(self, texts):
            return super().encode_document(texts)[:, ::-1]

    put(url, folder_of(page("router"), "a"))
    base = opened(url)
    put(url, folder_of(page("graph"), "b"), encoder=Other())
    _wait(lambda: base.index.status.problem)
    assert "restart it to follow" in base.index.status.problem
    assert base.ask("RuntimeError: router broke at 1").sections[0].id == "router"


def test_a_generation_goes_when_its_last_reader_has_gone(url, folder_of, opened):
    put(url, folder_of(page("router"), "a"))
    base = opened(url, look_every_s=600)
    put(url, folder_of(page("graph"), "b"))
    assert base.ask("RuntimeError: router broke at 1").sections[0].id == "router"
    assert _count(url, "kb_generation") == 2
    base.index.close()
    put(url, folder_of(page("cache"), "c"))
    assert _count(url, "kb_generation") == 1
    assert _count(url, "kb_section") == 1


def test_a_reader_whose_lease_was_lost_asks_the_newer_generation(url, folder_of, opened):
    put(url, folder_of(page("router"), "a"))
    base = opened(url, look_every_s=600)
    with connect(url) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    put(url, folder_of(page("graph"), "b"))
    assert base.ask("RuntimeError: graph broke at 1").sections[0].id == "graph"


def test_two_publishers_at_once_both_succeed_and_one_generation_is_shown(url, folder_of, opened):
    folders = [folder_of(page(*(f"{name}{n}" for n in range(9))), name) for name in ("ax", "by")]
    failed: list[Exception] = []

    def publish_one(folder):
        try:
            put(url, folder)
        except KBError as error:
            failed.append(error)

    threads = [threading.Thread(target=publish_one, args=(folder,)) for folder in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    ids = {section.id[:2] for section in opened(url).search("fails", 9)}
    assert ids in ({"ax"}, {"by"})
    assert _count(url, "kb_generation") == 1


# Its encoder stands still at the call that is named, until the process is killed.
PUBLISHER = """
import itertools, sys, time
from pathlib import Path
from postgres_pages import WordsEncoder, put
calls, last = itertools.count(1), int(sys.argv[3])
encoder = WordsEncoder(lambda: time.sleep(600) if next(calls) == last else None)
put(sys.argv[1], Path(sys.argv[2]), encoder=encoder)
"""


def _start(url: str, folder: Path, stop_at: int) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(Path(__file__).parent))),
    }
    command = [sys.executable, "-c", PUBLISHER, url, str(folder), str(stop_at)]
    return subprocess.Popen(command, env=environment, cwd=ROOT)


def test_a_publisher_killed_while_it_embeds_leaves_what_was_there_and_is_resumed(
    url, folder_of, opened
):
    put(url, folder_of(page("router"), "a"))
    base = opened(url)
    folder = folder_of(page(*(f"part{n}" for n in range(40))), "b")
    publisher = _start(url, folder, 4)  # the probe and two batches
    try:
        _wait(lambda: _count(url, "kb_vector") == 2 + 2 * BATCH)
    finally:
        publisher.send_signal(signal.SIGKILL)
        publisher.wait()
    assert base.ask("RuntimeError: router broke at 1").sections[0].id == "router"
    assert base.section("part7", "en") is None
    again = WordsEncoder()
    put(url, folder, encoder=again)
    # The batch that was lost is embedded once more, what was committed is not.
    assert len(again.embedded) == 80 - 2 * BATCH
    assert _count(url, "kb_waiting") == 0


def test_a_publisher_killed_while_it_writes_leaves_no_half(url, folder_of, opened):
    put(url, folder_of(page("router"), "a"))
    base = opened(url)
    with connect(url) as blocker, blocker.transaction():
        # The switch waits for this row: everything else of the generation is written.
        blocker.execute("SELECT FROM kb_corpus FOR NO KEY UPDATE")
        publisher = _start(url, folder_of(page("graph"), "b"), 0)
        _wait(lambda: _waits_for_lock(url))
        publisher.send_signal(signal.SIGKILL)
        publisher.wait()
        assert _count(url, "kb_section") == 1
    assert base.section("graph", "en") is None
    assert base.ask("RuntimeError: router broke at 1").sections[0].id == "router"
    put(url, folder_of(page("cache"), "c"))
    _wait(lambda: base.section("cache", "en") is not None)


def _waits_for_lock(url: str) -> bool:
    with connect(url) as connection:
        return bool(
            connection.execute(
                "SELECT FROM pg_stat_activity WHERE datname = current_database()"
                " AND wait_event_type = 'Lock'"
            ).fetchall()
        )


class MeetingEncoder(WordsEncoder):
    """An encoder that embeds its first batch when the others have theirs too."""

    def __init__(self, barrier: threading.Barrier) -> None:
        super().__init__()
        self._barrier = barrier

    def encode_document(self, texts):
        if not self.embedded and not texts[0].startswith("passage that an index"):
            self._barrier.wait(30)
        return super().encode_document(texts)


def test_several_machines_share_what_is_to_be_embedded(url, folder_of):
    folder = folder_of(page(*(f"part{n}" for n in range(40))))
    barrier = threading.Barrier(3)
    publisher, *helpers = (MeetingEncoder(barrier) for _ in range(3))
    publishing = threading.Thread(target=put, args=(url, folder), kwargs={"encoder": publisher})
    publishing.start()
    _wait(lambda: _count(url, "kb_waiting") > 0)
    threads = [
        threading.Thread(target=embed_share, args=(url, "docs"), kwargs={"encoder": helper})
        for helper in helpers
    ]
    for thread in threads:
        thread.start()
    for thread in (*threads, publishing):
        thread.join()
    embedded = [text for encoder in (publisher, *helpers) for text in encoder.embedded]
    assert len(embedded) == len(set(embedded)) == _count(url, "kb_vector") == 80
    assert all(helper.embedded for helper in helpers)
    assert _count(url, "kb_generation") == 1


def test_a_helper_whose_encoder_gives_other_vectors_is_refused(url, folder_of):
    class Other(WordsEncoder):
        def encode_document(self, texts):
            return super().encode_document(texts)[:, ::-1]

    put(url, folder_of(page("router")))
    with connect(url) as connection:
        connection.execute("INSERT INTO kb_waiting SELECT 1, 1, 'digest', 'text'")
    with pytest.raises(EncoderError, match="gives other vectors"):
        embed_share(url, "docs", encoder=Other())
    with pytest.raises(IndexDatabaseError, match="no corpus 'none'"):
        embed_share(url, "none", encoder=WordsEncoder())


HOSTILE = """'; DROP TABLE kb_section; -- %s %(x)s {0} $1 \\ " \u2028 ${x} /* */"""


def test_sql_in_any_field_is_text(url, folder_of, opened):
    name = HOSTILE.replace(":", "")
    title = f"Title {HOSTILE}"
    documents = {
        f"en/{HOSTILE.replace('/', '')}.md": f"# P\n\n## {title}\n\n```log\nError x {HOSTILE}\n```\n\n{HOSTILE}\n"
    }
    put(url, folder_of(documents), name)
    base = opened(url, (name,))
    found = base.ask(f"Error x {HOSTILE}", HOSTILE)
    assert base.search(HOSTILE)[0].title.startswith("Title '; DROP TABLE")
    assert base.section(HOSTILE, "en") is None
    assert base.section("\0", "en") is None
    assert found.language == "en"
    assert base.section(base.search(HOSTILE)[0].id, "en").markdown.count(HOSTILE) == 3


def test_a_role_with_sql_in_its_name_is_a_name(url, folder_of):
    role = 'portal"; DROP TABLE kb_section; --'
    with pytest.raises(IndexDatabaseError):
        put(url, folder_of(page("router")), readers=[role])
    assert _count(url, "kb_section") == 1


@pytest.mark.parametrize("name", ["", " ", "a:b", "a\0b", "x" * 201])
def test_a_name_that_no_corpus_can_have_is_refused(url, folder_of, name):
    with pytest.raises(IndexDatabaseError, match="a corpus cannot be called"):
        put(url, folder_of(page("router")), name)


def test_three_replicas_answer_from_whole_generations_while_these_are_switched(
    url, folder_of, opened
):
    topics = [f"part{n}" for n in range(8)]
    put(url, folder_of(page(*topics, mark="generation-0"), "g0"))
    replicas = [opened(url, look_every_s=0.05) for _ in range(3)]
    stop = threading.Event()
    marks: list[set[str]] = []
    failed: list[str] = []

    def ask_on(number: int) -> None:
        while not stop.is_set():
            topic = topics[number % 8]
            try:
                found = replicas[number % 3].ask(f"RuntimeError: {topic} broke at 1", "part fails")
            except KBError as error:
                failed.append(str(error))
                continue
            if [section.id for section in found.sections[:1]] != [topic]:
                failed.append(f"{topic}: {found.sections}")
            marks.append({re.search(r"generation-\d", s.markdown)[0] for s in found.sections})

    threads = [threading.Thread(target=ask_on, args=(number,)) for number in range(9)]
    for thread in threads:
        thread.start()
    for generation in range(1, 4):
        put(url, folder_of(page(*topics, mark=f"generation-{generation}"), f"g{generation}"))
        _wait(lambda g=generation: any(f"generation-{g}" in found for found in marks[-50:]))
    stop.set()
    for thread in threads:
        thread.join()
    assert failed == []
    assert {len(found) for found in marks} == {1}
