"""The command line over an index in a database, as a reader of the README uses it."""

from __future__ import annotations

import json

import pytest
from fastapi.testclient import TestClient
from postgres_pages import page

from kb import KnowledgeBase
from kb.cli import main
from kb.feedback.store import open_store
from kb.serve.chat import create_app


@pytest.fixture
def built(url, folder_of, capsys):
    """Return the URL of an index that `kb build` has published with the embedded encoder."""
    folder = folder_of(page("router"))
    assert main(["build", "--content", str(folder), "--index", url, "--corpus", "docs"]) == 0
    assert "2 sections in docs, generation" in capsys.readouterr().out
    return url


def test_what_is_built_is_asked_by_the_same_url(built, capsys):
    paste = "RuntimeError: router broke at 0x7f"
    main(["ask", paste, "--index", built, "--corpus", "docs", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert (answer["sections"] or answer["nearest"])[0]["id"] == "router"
    assert main(["search", "router", "--index", built]) == 0
    assert "router" in capsys.readouterr().out
    assert main(["embed", "--index", built, "--corpus", "docs"]) == 0
    assert capsys.readouterr().out == "0 texts embedded here\n"


def test_an_error_of_the_database_is_a_sentence_and_exit_code_2(capsys, database, built):
    assert main(["ask", "x", "--index", database(template=None)]) == 2
    assert "holds no index" in capsys.readouterr().err
    assert main(["search", "x", "--index", built, "--corpus", "none"]) == 2
    assert "no corpus 'none'" in capsys.readouterr().err


def test_corpora_are_for_a_database_and_a_build_publishes_one(capsys, tmp_path, url, folder_of):
    folder = folder_of(page("router"))
    with_content = ["build", "--content", str(folder), "--index"]
    assert main([*with_content, str(tmp_path / "index"), "--corpus", "docs"]) == 2
    assert "for an index in a database" in capsys.readouterr().err
    assert main([*with_content, url, "--corpus", "a", "--corpus", "b"]) == 2
    assert "give --corpus once" in capsys.readouterr().err


def test_index_and_feedback_share_a_database(built):
    base = KnowledgeBase.load(built, corpora=["docs"])
    store = open_store(built)
    with TestClient(create_app(base, feedback=store)) as client:
        ready = client.get("/readyz").json()
        assert ready["generations"].keys() == {"docs"} and not ready["degraded"]
        asked = client.post("/api/v1/ask", json={"paste": "ValueError: a cake burnt in my oven"})
        assert asked.status_code == 200
    kept = list(open_store(built).unanswered())
    assert [one.signatures for one in kept] == [("ValueError: a cake burnt in my oven",)]
    base.index.close()
