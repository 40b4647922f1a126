"""Several processes read what one reads, in the same order, and fail as it fails."""

from __future__ import annotations

import pytest

from kb import CorpusError, InputError
from kb.corpus import parallel
from kb.corpus.documents import read_corpus
from kb.corpus.parallel import all_processors, parallel_map
from kb.retrieval.index import chunk_sections, group_terms


@pytest.fixture
def many(monkeypatch, folder_of):
    """A folder of 40 pages, which count as many."""
    monkeypatch.setattr(parallel, "MIN_ITEMS", 10)
    return folder_of(
        {f"en/p{n:02}.md": f"## Case {n} {{#case-{n}}}\n\nFailure {n}.\n" for n in range(40)}
    )


def test_a_corpus_is_the_same_whoever_reads_it(many):
    assert read_corpus(many, processes=2) == read_corpus(many)


def test_chunks_and_terms_are_the_same_whoever_cuts(many):
    sections = read_corpus(many).sections
    assert chunk_sections(sections, 2) == chunk_sections(sections)
    assert list(group_terms(sections, 2)) == list(group_terms(sections))


def test_a_bad_page_is_named_by_several_readers_too(many):
    (many / "en" / "bad.md").write_bytes(b"## x\n\n\xff\n")
    with pytest.raises(CorpusError, match=r"en/bad\.md:3: is not UTF-8"):
        read_corpus(many, processes=2)


def test_an_error_in_a_process_is_raised_here(many):
    with pytest.raises(ValueError, match="invalid literal"):
        list(parallel_map(int, ["1"] * 40 + ["x"], 2))


def test_items_are_taken_as_results_are_asked_for():
    taken = []
    results = parallel_map(abs, (taken.append(n) or n for n in range(100_000)), 2)
    assert next(results) == 0 and len(taken) < 2_000
    results.close()


def test_no_worker_is_an_error():
    assert all_processors() >= 1
    with pytest.raises(InputError, match=r"processes is 0; expected 1 or more"):
        list(parallel_map(str, [1], 0))
