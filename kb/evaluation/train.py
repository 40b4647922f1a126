"""Golden cases in, the weights of the fusion and of the confidence out.

    python -m kb.evaluation.train tests/golden

Ranking: a linear model with signs given beforehand, fitted by listwise softmax loss (Cao et al.,
2007) and drawn towards the priors below, since six hundred cases cannot carry twenty free
weights. Confidence: logistic regression, likewise; questions that were asked without a log
(`asked/`) belong to its cases. What a question is about: see `kb.evaluation.fit_about`. All are
checked on whole topics that were left out of the fit (five folds, seed 7); the figures are written
beside the weights.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.evaluation.asked import read_asked
from kb.evaluation.commands import read_cases
from kb.evaluation.descent import adam
from kb.evaluation.examples import (
    FOLDS,
    LOG_POINT,
    OPERATING_POINT,
    SEED,
    Example,
    RememberingEncoder,
    collect_examples,
    judge_words,
)
from kb.knowledge_base import KnowledgeBase
from kb.retrieval.about import ABOUT_FILE
from kb.retrieval.confidence import (
    CONFIDENCE_FEATURES,
    RIGHT_FEATURES,
    confidence_features,
)
from kb.retrieval.encoders import load_encoder
from kb.retrieval.evidence import FEATURES
from kb.retrieval.fusion import WEIGHTS_FILE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = [
    "FOLDS",
    "SEED",
    "Example",
    "collect_examples",
    "confidence_rows",
    "fit_confidence",
    "fit_ranking",
    "fit_right",
    "judge_words",
    "main",
    "train",
]

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
    "about_alone": 3.0,
    "about_beside": 1.0,
    "log_or_unknown": 0.5,
}
INTERCEPT_PRIOR = -4.0
CONFIDENCE_L2 = 6e-3
# Every so manieth question without a log is a case of the confidence: as many as there are logs.
ASKED_STRIDE = 3


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

    fitted = adam(gradient, prior, steps=400, rate=0.1, keep_signs=True)
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

    return adam(gradient, prior, steps=1500, rate=0.05, keep_signs=True)


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
    return adam(gradient, start, steps=1500, rate=0.02, keep_signs=True)


def train(examples: Sequence[Example], asked: Sequence[Example] = ()) -> dict[str, Any]:
    """Return what `weights.json` holds: weights, and how they were made and checked.

    `asked` are questions without a log: of the confidence's cases alone, since they would outweigh
    the logs in the ranking.
    """
    from kb.evaluation.left_out import figures, leave_topics_out  # which fits by this module

    ranking = fit_ranking(examples)
    both = [*examples, *asked]
    model = fit_confidence(both, ranking)
    right = fit_right(both)
    shift = _logit(OPERATING_POINT)
    named = dict(zip(CONFIDENCE_FEATURES, (float(weight) for weight in model[1:]), strict=True))
    named["log_or_unknown"] += shift - _logit(LOG_POINT)
    left_out = leave_topics_out(both)
    of_logs = [result for result in left_out if not result.example.is_asked]
    of_asked = [result for result in left_out if result.example.is_asked]
    return {
        "ranking": {n: round(float(w), 3) for n, w in zip(FEATURES, ranking, strict=True)},
        "in_scope": {
            "weights": {name: round(weight, 3) for name, weight in named.items()},
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
            "in_scope": sum(example.case.in_scope for example in both),
            "out_of_scope": sum(not example.case.in_scope for example in both),
            "on_left_out_topics": figures(of_logs),
            **({"asked_on_left_out_topics": figures(of_asked)} if of_asked else {}),
        },
    }


def _logit(probability: float) -> float:
    return math.log(probability / (1 - probability))


def main(argv: Sequence[str] | None = None) -> int:
    """Train on a folder of golden cases and write the weights."""
    parser = argparse.ArgumentParser(prog="python -m kb.evaluation.train", description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--index", type=Path, help="index folder (default: the shipped one)")
    parser.add_argument("--output", type=Path, default=WEIGHTS_FILE)
    parser.add_argument("--about", type=Path, default=ABOUT_FILE)
    args = parser.parse_args(argv)
    base = KnowledgeBase.load(args.index, encoder=RememberingEncoder(load_encoder()))
    collected = collect_examples(base, [*read_cases(args.cases), *read_asked(args.cases / "asked")])
    examples, about = judge_words(collected)
    asked = [example for example in examples if example.is_asked]
    logs = [example for example in examples if not example.is_asked]
    result = train(logs, asked[::ASKED_STRIDE])
    args.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    args.about.write_text(json.dumps(about) + "\n", encoding="utf-8")
    sys.stdout.write(json.dumps(result["made_by"], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
