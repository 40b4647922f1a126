from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.query.programs import find_programs
from kb.retrieval.confidence import CONFIDENCE_FEATURES, RIGHT_FEATURES, CatalogMarks
from kb.retrieval.evidence import FEATURES, Evidence
from kb.retrieval.fusion import LEGS, fuse, rank, read_weights

COLUMN = {name: number for number, name in enumerate(FEATURES)}
SGLANG = find_programs(["[2025-01-01 10:00:00 TP0] x"], "sglang")


def _evidence(rows: dict[str, dict[str, float]], consequences: frozenset[str] = frozenset()):
    features = np.zeros((len(rows), len(FEATURES)), dtype=np.float32)
    for number, values in enumerate(rows.values()):
        for name, value in values.items():
            features[number, COLUMN[name]] = value
    return Evidence(tuple(rows), features, {}, 0.5, 0.5, consequences)


def test_a_score_is_the_weighted_sum_of_the_features():
    evidence = _evidence({"a": {"signature": 0.5, "dense_words": 0.25}, "b": {"lexical_error": 1}})
    weights = {"signature": 4.0, "dense_words": 2.0, "lexical_error": 3.0}
    assert fuse(evidence, weights).tolist() == [2.5, 3.0]


def test_no_consequence_outranks_a_cause_that_a_signature_names():
    rows = {
        "sigquit": {"signature": 0.95, "lexical_error": 0.9, "title_error": 1.0},
        "cause": {"signature": 0.4},
    }
    assert rank(_evidence(rows, frozenset({"sigquit"})), SGLANG).ids == ("cause", "sigquit")


def test_a_consequence_alone_is_the_answer():
    rows = {"sigquit": {"signature": 0.95}, "other": {"lexical_error": 0.1}}
    assert rank(_evidence(rows, frozenset({"sigquit"})), SGLANG).ids[0] == "sigquit"


def test_ties_keep_the_order_of_the_corpus():
    assert rank(_evidence({"b": {}, "a": {}}), SGLANG).ids == ("b", "a")


def test_every_feature_belongs_to_a_leg_or_to_the_fusion():
    in_legs = {name for names in LEGS.values() for name in names}
    assert set(FEATURES) - in_legs == {
        "consequence",
        "consequence_beside_cause",
        "consequence_beside_words",
    }


def test_weights_have_their_signs_and_all_features_have_one():
    weights = read_weights()
    assert set(weights.ranking) == set(FEATURES)
    assert all((w <= 0) == n.startswith("consequence") for n, w in weights.ranking.items() if w)
    assert set(weights.in_scope) == set(CONFIDENCE_FEATURES)
    assert set(weights.right) == set(RIGHT_FEATURES)
    assert min(*weights.in_scope.values(), *weights.right.values()) >= 0


@pytest.mark.parametrize("leg", ["signatures", "lexical", "dense"])
def test_a_leg_left_out_does_not_count(leg):
    name = LEGS[leg][0]
    evidence = _evidence({"a": {name: 1.0}, "b": {}})
    kept = rank(evidence, SGLANG, legs=frozenset({leg}))
    left_out = rank(evidence, SGLANG, legs=frozenset(LEGS) - {leg})
    assert kept.scores[0] > 0
    assert left_out.scores == (0.0, 0.0)


@given(
    st.sampled_from([n for n in FEATURES if not n.startswith("consequence")]),
    st.floats(0, 0.9),
    st.floats(0.01, 0.1),
)
def test_more_evidence_for_the_first_never_lowers_the_confidence(name, value, more):
    known = {"signature": 0.3} | {name: value}
    less = rank(_evidence({"a": known, "b": {}}), SGLANG)
    greater = rank(_evidence({"a": known | {name: value + more}, "b": {}}), SGLANG)
    assert greater.confidence >= less.confidence - 1e-9


def test_another_programs_name_lowers_it_and_sglangs_own_flag_raises_it():
    evidence = _evidence({"a": {"signature": 0.8}, "b": {}})
    plain = rank(evidence, find_programs(["x"], "it dies"))
    foreign = rank(evidence, find_programs(["x"], "vLLM dies"))
    own = rank(evidence, find_programs(["x"], "it dies"), CatalogMarks(flags=1))
    assert foreign.in_scope < plain.in_scope < own.in_scope
