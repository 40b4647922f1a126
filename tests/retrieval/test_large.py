"""A large index: its candidates against the whole, its lists against every vector."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from kb import IndexFolderError, KnowledgeBase
from kb.retrieval import candidates, dense
from kb.retrieval.candidates import compare_candidates
from kb.retrieval.dense import DenseIndex, read_vectors, write_vectors
from kb.retrieval.evidence import FEATURES, collect_evidence, lexical_terms
from kb.retrieval.fusion import rank
from kb.retrieval.index_folder import FORMAT, checksum, known_vectors, load_index
from kb.retrieval.index_writer import save_index
from kb.retrieval.lexical import LexicalIndex, largest
from kb.retrieval.vocabulary import StoredVocabulary, write_vocabulary

PASTES = (
    "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. Current value: 1",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\nwhile decoding",
    "Watchdog timeout (self.watchdog_timeout=300)\nReceived sigquit from a child process.",
    "서버가 시작하다가 멈춰요",
    "hello",
)


@pytest.fixture(scope="module")
def vectors(shipped):
    """3,200 unit vectors: those of the shipped chunks, mixed with noise; seeded."""
    real = shipped.index.dense.index.reconstruct_n(0, shipped.index.dense.index.ntotal)
    generator = np.random.default_rng(3)
    mixed = np.repeat(real, 4, axis=0) + 0.02 * generator.normal(size=(4 * len(real), 384))
    mixed = mixed.astype(np.float32)
    return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)


@pytest.fixture
def coded(monkeypatch, vectors):
    """An index over `vectors` that is searched by codes."""
    monkeypatch.setattr(dense, "EXACT_CHUNKS", 1000)
    return DenseIndex.from_vectors(vectors, np.arange(len(vectors), dtype=np.int64))


@pytest.mark.parametrize("paste", PASTES)
def test_a_candidate_has_the_features_it_has_among_all(shipped, paste):
    query = shipped._read(paste, None, None)
    asked = shipped._encoder.embed(query)
    whole = collect_evidence(query, shipped.index, asked)
    view = compare_candidates(shipped.index, query, asked)
    found = collect_evidence(query, view, asked)
    rows = [shipped.index.positions[identifier] for identifier in found.ids]
    assert np.allclose(found.features, whole.features[rows], atol=1e-5), FEATURES
    assert found.idf_share_words == whole.idf_share_words
    assert rank(found, query.programs).ids[:5] == rank(whole, query.programs).ids[:5]


def test_candidates_are_fewer_than_all_and_hold_the_owner_of_a_signature(shipped, monkeypatch):
    monkeypatch.setattr(candidates, "TOP_LEXICAL", 3)
    monkeypatch.setattr(candidates, "TOP_TITLES", 3)
    monkeypatch.setattr(candidates, "TOP_TOGETHER", 3)
    query = shipped._read(PASTES[0], None, None)
    view = compare_candidates(shipped.index, query, None)
    assert "not-enough-memory-increase-mem-fraction" in view.ids
    assert len(view.ids) < len(shipped.index.ids) // 2


def test_an_answer_from_candidates_is_the_answer_from_all(shipped, monkeypatch):
    expected = [shipped.ask(paste) for paste in PASTES]
    monkeypatch.setattr(candidates, "LARGE", 10)
    for paste, answer in zip(PASTES, expected, strict=True):
        found = shipped.ask(paste)
        assert found.sections[:1] == answer.sections[:1] and found.found == answer.found


def test_the_best_documents_are_those_of_all_scores(shipped, monkeypatch):
    lexical: LexicalIndex = shipped.index.lexical
    for paste in PASTES[:4]:
        terms = lexical_terms(shipped._read(paste, None, None))["error"]
        scores = lexical.scores(terms)
        best = lexical.best(terms, 10)
        assert np.allclose(np.sort(scores[best])[::-1], np.sort(scores)[::-1][: len(best)])
        assert np.array_equal(
            lexical.scores_of(np.array(sorted(best)), terms), scores[sorted(best)]
        )


def test_the_best_titles_are_those_of_all_shares(shipped):
    for paste in PASTES[:4]:
        terms = lexical_terms(shipped._read(paste, None, None))["error"]
        shares = shipped.index.titles.shares(terms)
        best = shipped.index.tables.titles.best(terms, 12)
        assert set(np.flatnonzero(shares >= np.sort(shares)[-5])) & set(np.flatnonzero(shares)) <= (
            set(best)
        )


def test_common_terms_alone_bring_no_candidate_of_their_own():
    documents = [["common", "rare"] if n == 7 else ["common", f"own{n}"] for n in range(50)]
    lexical = LexicalIndex.from_terms(documents)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("kb.retrieval.lexical.MAX_POSTINGS", 10)
        assert lexical.best(["common", "rare"], 5) == [7]
        assert len(lexical.best(["common"], 5)) == 5  # but where nothing is rarer


def test_what_speaks_of_all_parts_of_a_query_is_a_candidate(shipped, monkeypatch):
    monkeypatch.setattr(candidates, "TOP_TITLES", 1)
    monkeypatch.setattr(candidates, "TOP_LEXICAL", 1)
    monkeypatch.setattr(candidates, "TOP_TOGETHER", 5)
    monkeypatch.setattr(candidates, "AT_LEAST", 0)
    query = shipped._read("ValueError: tokenizer files of the draft model", None, None)
    query = replace(query, words="the server hangs while loading weights from NFS")
    lexical: LexicalIndex = shipped.index.lexical
    terms = lexical_terms(query)
    shares = sum(lexical.scores(part) / (lexical.idf(part) or 1) for part in terms.values())
    alone = {place for part in terms.values() for place in lexical.best(part, 1)}
    together = set(np.argsort(-shares, kind="stable")[:5].tolist())
    found = {shipped.index.positions[i] for i in compare_candidates(shipped.index, query, None).ids}
    assert together - alone and alone | together <= found


@pytest.mark.parametrize("n", [1, 7, 40, 5000])
@pytest.mark.parametrize("kinds", [2, 5, 10_000])
def test_the_largest_are_those_that_sorting_finds(n, kinds):
    values = np.random.default_rng(kinds).integers(kinds, size=30_000).astype(np.float32)
    order = np.argsort(-values, kind="stable")[:n]
    assert np.array_equal(largest(values, n), np.sort(order[values[order] > 0]))


def test_codes_find_what_comparing_all_finds(coded, vectors, monkeypatch):
    monkeypatch.setattr(dense, "_CODES", 400)
    generator = np.random.default_rng(4)
    queries = vectors[:200] + 0.03 * generator.normal(size=(200, 384)).astype(np.float32)
    exact = np.argsort(-(queries @ vectors.T), axis=1)[:, :10]
    cosines, found = coded.index.search(queries, 10)
    held = sum(len(set(a.tolist()) & set(b.tolist())) for a, b in zip(exact, found, strict=True))
    assert held / exact.size >= 0.99
    assert np.allclose(cosines[0], vectors[found[0]] @ queries[0])


def test_the_same_vectors_make_the_same_files(coded, vectors, tmp_path):
    again = DenseIndex.from_vectors(vectors, coded.groups)
    for name, index in (("one", coded.index), ("two", again.index)):
        (tmp_path / name).mkdir()
        write_vectors(index, tmp_path / name)
    for name in ("vectors.faiss", "vectors.f32"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_full_vectors_stay_in_their_file_and_are_given_back(coded, vectors, tmp_path):
    write_vectors(coded.index, tmp_path)
    read = read_vectors(tmp_path)
    assert isinstance(read.vectors.base, np.memmap)
    assert np.array_equal(read.reconstruct_n(0, len(vectors)), vectors)
    assert np.array_equal(read.search(vectors[:20], 10)[1], coded.index.search(vectors[:20], 10)[1])


@pytest.fixture
def stored(shipped, tmp_path, monkeypatch):
    """The folder of the shipped index, written as a large one is."""
    monkeypatch.setattr("kb.retrieval.index_writer.LARGE", 10)
    monkeypatch.setattr("kb.retrieval.lexical.MAPPED_TERMS", 10)
    save_index(shipped.index, tmp_path / "large", "digest")
    return tmp_path / "large"


@pytest.mark.parametrize("paste", PASTES)
def test_a_mapped_index_has_the_features_of_one_in_memory(shipped, stored, paste):
    query = shipped._read(paste, None, None)
    asked = shipped._encoder.embed(query)
    whole = collect_evidence(query, shipped.index, asked)
    found = collect_evidence(query, compare_candidates(load_index(stored), query, asked), asked)
    rows = [shipped.index.positions[identifier] for identifier in found.ids]
    assert np.allclose(found.features, whole.features[rows], atol=1e-5), FEATURES
    in_memory = compare_candidates(shipped.index, query, asked)
    assert found.ids == in_memory.ids
    assert np.array_equal(found.features, collect_evidence(query, in_memory, asked).features)
    assert rank(found, query.programs).ids[:10] == rank(whole, query.programs).ids[:10]


def test_a_mapped_index_gives_back_its_sections_and_chunks(shipped, stored):
    loaded = load_index(stored)
    assert tuple(loaded.sections) == tuple(shipped.index.sections)
    assert tuple(loaded.chunks) == tuple(shipped.index.chunks)
    assert loaded.ids == shipped.index.ids


_TABLES = (
    "ids.json",
    "links.i32",
    "title_sorted.i32",
    "signature_12_keys.u64",
    "terms.utf8",
    "term_hashes.u64",
)


@pytest.mark.parametrize("name", _TABLES)
def test_a_truncated_table_is_refused(stored, name):
    path = next(stored.glob(f"g-*/{name}"))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(IndexFolderError, match=rf"truncated: {name} has .*kb build"):
        load_index(stored)


@pytest.mark.parametrize("name", _TABLES)
def test_a_changed_byte_of_a_table_is_refused(stored, name):
    path = next(stored.glob(f"g-*/{name}"))
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    with pytest.raises(IndexFolderError, match=rf"corrupted: {name} fails its checksum.*kb build"):
        load_index(stored)


def test_an_index_of_the_format_before_is_refused_with_its_remedy(stored):
    path = stored / "manifest.json"
    manifest = json.loads(path.read_text()) | {"format": FORMAT - 1}
    path.write_text(json.dumps(manifest | {"checksum": checksum(manifest)}))
    with pytest.raises(IndexFolderError, match=rf"format {FORMAT - 1}, .* reads {FORMAT};.*build"):
        load_index(stored)


def _held(thing, seen):
    """Yield the arrays that an object holds, and those that the objects in it hold."""
    if id(thing) in seen or isinstance(thing, (str, bytes, type)):
        return
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        yield thing
    elif isinstance(thing, (tuple, list)):
        for member in thing:
            yield from _held(member, seen)
    elif type(thing).__module__.startswith("kb."):
        for member in getattr(thing, "__dict__", {}).values():
            yield from _held(member, seen)


def _is_mapped(array):
    while array is not None and not isinstance(array, np.memmap):
        array = array.base
    return array is not None


def test_markdown_terms_titles_and_signatures_stay_on_the_disk(stored, monkeypatch):
    monkeypatch.setattr("kb.retrieval.window_table._FILTER_BITS", 10)
    loaded = load_index(stored)
    for part in (loaded.sections, loaded.lexical, loaded.tables):
        held = sum(a.nbytes for a in _held(part, set()) if not _is_mapped(a))
        mapped = sum(a.nbytes for a in _held(part, set()) if _is_mapped(a))
        # Beside what is mapped: four filters of one size, a few numbers for each id or term.
        n_few = len(loaded.ids) + len(loaded.lexical._vocabulary)
        assert mapped > 0 and held <= (4 << 10) + 24 * n_few
    assert not isinstance(loaded.sections, tuple) and not isinstance(loaded.chunks, tuple)
    texts = loaded.sections._texts._raw
    assert _is_mapped(texts) and texts.nbytes >= sum(len(s.markdown) for s in loaded.sections)


def test_a_mapped_vocabulary_is_the_dictionary_it_was_made_of(tmp_path):
    terms = [f"term{n}" for n in range(500)] + ["한국", "\ud800", ""]
    write_vocabulary(tmp_path, terms)
    stored = StoredVocabulary.load(tmp_path)
    assert dict(stored) == {term: n for n, term in enumerate(terms)}
    assert "term500" not in stored and stored.get("unknown") is None


def test_terms_of_one_hash_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.setattr("kb.retrieval.vocabulary._hash", lambda term: len(term))
    write_vocabulary(tmp_path, ["ab", "cd", "e"])
    stored = StoredVocabulary.load(tmp_path)
    assert [stored.get(term) for term in ("ab", "cd", "e", "xy")] == [0, 1, 2, None]


def test_a_large_index_is_saved_loaded_and_built_upon(shipped, folder_of, monkeypatch):
    monkeypatch.setattr(dense, "EXACT_CHUNKS", 30)
    pages = "".join(f"## Case {n} {{#case-{n}}}\n\nFailure number {n}.\n\n" for n in range(60))
    content = folder_of({"cases.md": pages})
    target = content.parent / "index"
    built = KnowledgeBase.build(content, target, encoder=shipped.encoder)
    loaded = load_index(target)
    save_index(loaded, content.parent / "again", "digest")
    assert len(known_vectors(load_index(content.parent / "again"))) == 60
    assert [
        s.id for s in KnowledgeBase(loaded, shipped.encoder).search("failure number 41", 3)
    ] == [s.id for s in built.search("failure number 41", 3)]
