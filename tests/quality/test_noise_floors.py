"""A log buried in the healthy log of its server gets the answer that it gets alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.evaluation.golden import read_golden
from kb.evaluation.metrics import summarize
from kb.evaluation.noise import PLACES
from kb.evaluation.quality import measure_noise

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
N_LOGS, N_LINES, SEED = 60, 5_000, 1


@pytest.fixture(scope="module")
def noise(shipped):
    return measure_noise(shipped, read_golden(GOLDEN), N_LINES, n_logs=N_LOGS, seed=SEED)


@pytest.mark.parametrize("place", PLACES)
def test_five_thousand_healthy_lines_cost_less_than_two_points(noise, place):
    alone, buried = summarize(noise.alone), summarize(noise.buried[place])
    assert alone.n == buried.n == N_LOGS
    assert alone.top1.value >= 0.85
    assert alone.top1.value - buried.top1.value < 0.02


@pytest.mark.parametrize("place", PLACES)
def test_no_log_is_refused_for_the_lines_around_it(noise, place):
    assert summarize(noise.buried[place]).in_scope_refused.value <= 0.02
