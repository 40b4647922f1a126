"""What a publisher writes: rows in binary, postings, and the graph over vectors."""

from __future__ import annotations

import numpy as np
from postgres_pages import WordsEncoder, put

from kb.corpus.parallel import MIN_ITEMS
from kb.postgres import candidates, copying, schema
from kb.postgres.connections import connect
from kb.postgres.schema import maintenance_memory, make_dense_index
from kb.postgres.term_counts import POSTINGS, count_terms
from kb.query.paste import read_query
from kb.retrieval.evidence import dense_texts


def test_packed_values_are_those_that_are_written_as_text(url):
    with connect(url) as connection:
        connection.execute(
            "CREATE TABLE packed (v vector, s sparsevec, i integer[], none integer[], r real[],"
            " t text[])"
        )
        columns = dict.fromkeys(("v", "s", "i", "none", "r", "t"), copying.PACKED)
        row = (
            copying.vector(np.array([0.5, -2, 3e-5], dtype=np.float32)),
            copying.sparse_vector(np.array([1, 7]), np.array([0.25, 2], dtype=np.float32), 9),
            copying.integers(np.array([1, -5, 2**31 - 1])),
            copying.integers(np.array([], dtype=np.int32)),
            copying.reals(np.array([0.5, 1e-20], dtype=np.float32)),
            copying.texts(["", "한글", 'a"b\\c, {d}']),
        )
        copying.copy_rows(connection, "packed", columns, [row])
        read = connection.execute(
            "SELECT v = '[0.5,-2,3e-5]', s = '{1:0.25,7:2}/9', i = '{1,-5,2147483647}',"
            " none = '{}', r = '{0.5,1e-20}', t FROM packed"
        ).fetchone()
    assert read[:5] == (True,) * 5
    assert read[5] == ["", "한글", 'a"b\\c, {d}']


def test_terms_are_counted_by_section():
    counted = count_terms([["a", "b", "a"], [], ["b"]])
    names = {place: term for term, place in counted.vocabulary.items()}
    rows = [
        {names[place]: times for place, times in zip(*map(np.ndarray.tolist, row), strict=True)}
        for row in map(counted.row, range(3))
    ]
    assert rows == [{"a": 2, "b": 1}, {}, {"b": 1}]
    assert counted.lengths.tolist() == [3, 0, 1]


def test_of_a_term_with_too_many_postings_those_are_looked_at_that_it_weighs_most_in(
    url, folder_of, opened, monkeypatch
):
    monkeypatch.setattr(candidates, "_MAX_POSTINGS", POSTINGS)
    n = POSTINGS + 200
    sections = "".join(
        f"\n## Part {number} {{#p{number}}}\n\nzebra{' zebra' * 3 * (number == n - 1)} w{number}\n"
        for number in range(n)
    )
    put(url, folder_of({"en/a.md": f"# A\n{sections}"}))
    query = read_query("", "zebra", None)
    vectors = WordsEncoder().encode_query(dense_texts(query)) * np.array([[0], [0]], dtype="f4")
    seen = opened(url, exact=False).index.compared(query, vectors)
    assert f"p{n - 1}" in seen.ids


def test_the_memory_for_the_graph_follows_the_vectors_within_bounds():
    assert maintenance_memory(100, 384) == 64
    assert 1_600 < maintenance_memory(1_000_000, 384) < 2_500
    assert maintenance_memory(10**9, 384) == 4_096


def test_the_graph_is_built_by_one_process_where_several_find_no_shared_memory(
    url, folder_of, monkeypatch
):
    put(url, folder_of({"en/a.md": "# A\n\n## One {#one}\n\nword\n"}))
    monkeypatch.setattr(schema, "maintenance_memory", lambda *_: 2_000_000)  # MB, which nobody has
    with connect(url) as connection:
        connection.execute("SET min_parallel_table_scan_size = 0")
        make_dense_index(connection, 32)
        made = connection.execute("SELECT to_regclass('kb_vector_hnsw_32') IS NOT NULL").fetchone()
    assert made == (True,)


def test_several_processes_write_what_one_writes(url, folder_of):
    sections = "".join(f"\n## Part {n} {{#p{n}}}\n\nzebra w{n}\n" for n in range(MIN_ITEMS))
    folder = folder_of({"en/a.md": f"# A\n{sections}"})
    put(url, folder, "one")
    put(url, folder, "several", processes=2)
    written = """
        SELECT s.id, c.digest, t.term, f.n_sections
        FROM kb_corpus k
        JOIN kb_section s ON s.corpus = k.corpus AND s.generation = k.generation
        JOIN kb_chunk c ON c.corpus = k.corpus AND c.generation = k.generation
                       AND c.position = s.position
        CROSS JOIN LATERAL unnest(s.terms) AS n(number)
        JOIN kb_term t ON t.corpus = k.corpus AND t.number = n.number
        JOIN kb_frequency f ON f.corpus = k.corpus AND f.generation = k.generation
                           AND f.number = n.number
        WHERE k.name = %s ORDER BY 1, 2, 3
    """
    with connect(url) as connection:
        one, several = (
            connection.execute(written, (name,)).fetchall() for name in ("one", "several")
        )
    assert len(one) > 3 * MIN_ITEMS and one == several
