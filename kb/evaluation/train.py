"""Golden cases in, the weights of the fusion and of the confidence out.

    python -m kb.evaluation.train tests/golden

Ranking: a linear model with signs given beforehand, fitted by listwise softmax loss (Cao et al.,
2007) and drawn towards the priors below, since six hundred cases cannot carry twenty free
weights. Confidence: logistic regression, likewise. Both are checked on whole topics that were left
out of the fit (five folds, seed 7); the figures are written beside the weights.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.evaluation.commands import read_cases
from kb.evaluation.golden import Case
from kb.knowledge_base import KnowledgeBase
from kb.retrieval.confidence import (
    CONFIDENCE_FEATURES,
    RIGHT_FEATURES,
    CatalogMarks,
    confidence_features,
)
from kb.retrieval.evidence import FEATURES, Evidence
from kb.retrieval.fusion import WEIGHTS_FILE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb.query.programs import ProgramEvidence

    Array = NDArray[np.float64]

__all__ = [
    "FOLDS",
    "OPERATING_POINT",
    "SEED",
    "Example",
    "collect_examples",
    "confidence_rows",
    "fit_confidence",
    "fit_ranking",
    "fit_right",
    "main",
    "train",
]

SEED, FOLDS = 7, 5
# What each feature should weigh before a case is seen: an exact line before words before meaning.
RANKING_PRIOR: Mapping[str, float] = {
    "signature": 4.5,
    "signature_frame": 1.8,
    "signature_linked": 2.2,
    "signature_relative": 3.0,
    "signature_lines": 1.2,
    "signature_first": 0.8,
    "signature_last": 3.8,
    "signature_words": 1.8,
    "title_words": 1.5,
    "title_error": 0.8,
    "lexical_words": 3.0,
    "lexical_error": 2.2,
    "lexical_context": 0.8,
    "lexical_words_relative": 1.2,
    "lexical_error_relative": 0.9,
    "lexical_context_relative": 0.3,
    "dense_words": 2.2,
    "dense_error": 1.2,
    "consequence": -2.0,
    "consequence_beside_cause": -4.0,
    "consequence_beside_words": -3.5,
}
FITTED_SHARE = 0.25  # of the fitted weights in the blend with the priors
CONFIDENCE_PRIOR: Mapping[str, float] = {
    "score": 0.2,
    "margin": 0.2,
    "signature": 1.0,
    "signature_words": 2.0,
    "dense": 1.5,
    "idf_words": 1.5,
    "idf_error": 0.5,
    "lexical": 0.8,
    "title": 0.5,
    "sglang_in_log": 3.0,
    "sglang_in_words": 3.5,
    "serving_in_log": 1.5,
    "serving_in_words": 2.5,
    "catalog_flags": 1.5,
    "catalog_messages": 2.0,
    "not_other_in_words": 5.0,
    "not_other_in_log": 3.5,
    "not_foreign_frames": 2.0,
}
INTERCEPT_PRIOR = -4.0
CONFIDENCE_L2 = 6e-3
# Where the answer is given, on the fitted probability: chosen on left-out topics so that at least
# 95 % of what is out of scope is refused and at most 2 % of what is in scope. The intercept is
# then moved so that this point is 0.5.
OPERATING_POINT = 0.26


@dataclass(frozen=True, slots=True)
class Example:
    """One way of asking a case, with its evidence."""

    case: Case
    topic: str  # the fold it belongs to: its first topic, or its file where out of scope
    evidence: Evidence
    programs: ProgramEvidence
    marks: CatalogMarks


def collect_examples(
    base: KnowledgeBase, cases: Sequence[Case], progress: Callable[[int, int], None] | None = None
) -> list[Example]:
    """Return every way of asking each case: log alone, with the English, the Korean question."""
    examples = []
    for number, case in enumerate(cases, start=1):
        questions = [q for q in (case.question, case.question_ko) if q]
        if case.paste and (not questions or (case.in_scope and case.log_alone)):
            questions.insert(0, "")
        for question in questions:
            query, evidence, marks = base.evidence_for(case.paste, question or None)
            topic = case.topics[0] if case.in_scope else case.id.split("/")[0]
            examples.append(Example(case, topic, evidence, query.programs, marks))
        if progress is not None:
            progress(number, len(cases))
    return examples


def _adam(gradient: Callable[[Array], Array], start: Array, steps: int, rate: float) -> Array:
    """Minimise by Adam (Kingma & Ba, 2015), each weight kept from crossing zero."""
    import numpy as np

    weights, first, second = start.copy(), np.zeros_like(start), np.zeros_like(start)
    sign = np.sign(start)
    for step in range(1, steps + 1):
        g = gradient(weights)
        first = 0.9 * first + 0.1 * g
        second = 0.999 * second + 0.001 * g * g
        weights -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-9)
        weights = np.where(sign * weights < 0, 0.0, weights)
    return weights


def fit_ranking(examples: Sequence[Example]) -> Array:
    """Return the ranking weights in the order of FEATURES, `(n_features,)`."""
    import numpy as np

    prior = np.array([RANKING_PRIOR[name] for name in FEATURES])
    inside = [example for example in examples if example.case.in_scope]
    features = np.stack([example.evidence.features for example in inside]).astype(np.float64)
    right = np.array([[i in e.case.topics for i in e.evidence.ids] for e in inside])

    def gradient(weights: Array) -> Array:
        scores = features @ weights
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        all_share = raised / raised.sum(axis=1, keepdims=True)
        of_right = np.where(right, raised, 0)
        right_share = of_right / np.maximum(of_right.sum(axis=1, keepdims=True), 1e-12)
        slope = np.einsum("nij,ni->j", features, all_share - right_share) / len(inside)
        return np.asarray(slope + 0.002 * (weights - prior))

    fitted = _adam(gradient, prior, steps=400, rate=0.1)
    return np.asarray((1 - FITTED_SHARE) * prior + FITTED_SHARE * fitted)


def confidence_rows(examples: Sequence[Example], ranking: Array) -> Array:
    """Return 1 and the CONFIDENCE_FEATURES of each example, `(n, 1 + n_features)`."""
    import numpy as np

    rows = []
    for example in examples:
        scores = (example.evidence.features @ ranking).astype(np.float32)
        order = np.argsort(-scores, kind="stable").tolist()
        values = confidence_features(
            example.evidence, example.programs, example.marks, scores, order
        )
        rows.append((1.0, *values))
    return np.array(rows)


def fit_confidence(examples: Sequence[Example], ranking: Array) -> Array:
    """Return intercept and weights in the order of CONFIDENCE_FEATURES, `(1 + n_features,)`."""
    import numpy as np

    prior = np.array([INTERCEPT_PRIOR, *(CONFIDENCE_PRIOR[name] for name in CONFIDENCE_FEATURES)])
    rows = confidence_rows(examples, ranking)
    inside = np.array([example.case.in_scope for example in examples], dtype=np.float64)
    balance = np.where(inside == 1, 0.5 / inside.sum(), 0.5 / (1 - inside).sum())
    free = np.array([0.0, *(1.0 for _ in CONFIDENCE_FEATURES)])  # the intercept is not drawn

    def gradient(weights: Array) -> Array:
        probability = 1 / (1 + np.exp(-(rows @ weights)))
        slope = rows.T @ (balance * (probability - inside))
        return np.asarray(slope + CONFIDENCE_L2 * free * (weights - prior))

    return _adam(gradient, prior, steps=1500, rate=0.05)


def _is_right(example: Example, ranking: Array) -> bool:
    scores = example.evidence.features @ ranking
    return example.evidence.ids[int(scores.argmax())] in example.case.topics


def fit_right(
    examples: Sequence[Example], fit: Callable[[Sequence[Example]], Array] = fit_ranking
) -> Array:
    """Return intercept and weights in the order of RIGHT_FEATURES, `(1 + n_features,)`.

    A ranking is surer of the cases it was fitted on: each half of the topics is judged by a
    ranking that `fit` made of the other half.
    """
    import numpy as np

    inside = [example for example in examples if example.case.in_scope]
    topics = sorted({example.topic for example in inside})
    chosen = [0, *(1 + CONFIDENCE_FEATURES.index(name) for name in RIGHT_FEATURES)]
    rows, right = [], []
    for half in (set(topics[0::2]), set(topics[1::2])):
        of_half = fit([example for example in inside if example.topic not in half])
        tested = [example for example in inside if example.topic in half]
        rows.append(confidence_rows(tested, of_half)[:, chosen])
        right += [_is_right(example, of_half) for example in tested]
    values, labels = np.concatenate(rows), np.array(right, dtype=np.float64)

    def gradient(weights: Array) -> Array:
        predicted = 1 / (1 + np.exp(-(values @ weights)))
        return np.asarray(values.T @ (predicted - labels) / len(labels) + 1e-3 * weights)

    start = np.array([-0.5, *(0.5 for _ in RIGHT_FEATURES)])
    return _adam(gradient, start, steps=1500, rate=0.02)


def train(examples: Sequence[Example]) -> dict[str, Any]:
    """Return what `weights.json` holds: weights, and how they were made and checked."""
    from kb.evaluation.left_out import figures, leave_topics_out  # which fits by this module

    ranking = fit_ranking(examples)
    model = fit_confidence(examples, ranking)
    right = fit_right(examples)
    shift = math.log(OPERATING_POINT / (1 - OPERATING_POINT))
    named = zip(CONFIDENCE_FEATURES, model[1:], strict=True)
    return {
        "ranking": {n: round(float(w), 3) for n, w in zip(FEATURES, ranking, strict=True)},
        "in_scope": {
            "weights": {name: round(float(weight), 3) for name, weight in named},
            "intercept": round(float(model[0]) - shift, 3),
        },
        "right": {
            "weights": {
                name: round(float(weight), 3)
                for name, weight in zip(RIGHT_FEATURES, right[1:], strict=True)
            },
            "intercept": round(float(right[0]), 3),
        },
        "made_by": {
            "command": "python -m kb.evaluation.train tests/golden",
            "seed": SEED,
            "folds": FOLDS,
            "in_scope": sum(example.case.in_scope for example in examples),
            "out_of_scope": sum(not example.case.in_scope for example in examples),
            "on_left_out_topics": figures(leave_topics_out(examples)),
        },
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Train on a folder of golden cases and write the weights."""
    parser = argparse.ArgumentParser(prog="python -m kb.evaluation.train", description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--index", type=Path, help="index folder (default: the shipped one)")
    parser.add_argument("--output", type=Path, default=WEIGHTS_FILE)
    args = parser.parse_args(argv)
    base = KnowledgeBase.load(args.index)
    result = train(collect_examples(base, read_cases(args.cases)))
    args.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(json.dumps(result["made_by"], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
