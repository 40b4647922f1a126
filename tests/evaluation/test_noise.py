from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import datetime

import pytest

from kb.evaluation.golden import Case
from kb.evaluation.noise import bury, healthy_log, sample_logs

LOG = """\
sglang-1 | [2026-03-02 10:00:00 TP3] Scheduler hit an exception: Traceback (most recent call last):
sglang-1 | RuntimeError: out of luck
sglang-1 | [2026-03-02 10:00:09] Received sigquit from a child process."""

CASE = Case(
    id="luck/log-1",
    language="en",
    in_scope=True,
    topics=("luck",),
    paste=LOG,
    question=None,
    question_ko=None,
    log_alone=True,
    decisive_line="RuntimeError: out of luck",
    expected_flags=(),
    version="0.5.14",
    kind="log",
)


def healthy(case: Case = CASE, n_lines: int = 400) -> list[str]:
    ends = datetime(2026, 3, 2, 10)
    return healthy_log(case, n_lines, random.Random(3), with_start=True, ends_at=ends)


def test_the_same_case_is_buried_in_the_same_lines_and_another_seed_in_others():
    assert bury(CASE, 200, "middle") == bury(CASE, 200, "middle")
    assert bury(CASE, 200, "middle") != bury(CASE, 200, "middle", seed=1)


@pytest.mark.parametrize(("place", "before", "after"), [("middle", 100, 100), ("end", 200, 0)])
def test_the_log_stands_whole_where_it_is_said_to(place, before, after):
    lines = bury(CASE, 200, place).paste.split("\n")
    own = LOG.split("\n")
    assert lines[before : before + len(own)] == own
    assert len(lines) == before + len(own) + after


def test_only_the_paste_of_a_case_changes():
    assert replace(bury(CASE, 50, "end"), paste=LOG) == CASE


def test_healthy_lines_carry_the_prefix_of_the_log_and_eight_ranks_in_mixed_order():
    lines = healthy()
    assert all(line.startswith("sglang-1 | [2026-03-02 ") for line in lines)
    ranks = [int(rank) for rank in re.findall(r" TP(\d)\] Decode", "\n".join(lines))]
    assert set(ranks) == set(range(8))
    assert ranks[:8] != sorted(ranks[:8])


def test_a_server_whose_log_shows_no_rank_prints_none():
    case = replace(CASE, paste=LOG.replace(" TP3]", "]"))
    assert not re.search(r" TP\d", "\n".join(healthy(case)))


def test_time_runs_forward_up_to_the_log_and_on_behind_it():
    times = re.findall(r"\[(2026-\S+ \S+?)(?: TP\d)?\]", bury(CASE, 300, "middle").paste)
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("version", "form"),
    [
        ("0.4.3.post4", r"Decode batch\. #running-req: \d+, .*largest-len: \d+"),
        ("0.5.2", r"Decode batch\. #running-req: \d+, .*cuda graph: True"),
        ("0.5.6.post2", r"Decode batch, #running-req: \d+, .*#queue-req: \d+, $"),
        ("0.5.9", r"Prefill batch, .*input throughput \(token/s\): [\d.]+, cuda graph: False$"),
        ("0.5.20", r"Prefill batch, .*#pending-token: \d+, cuda graph: False, input throughput"),
    ],
)
def test_batches_are_in_the_form_of_the_release(version, form):
    lines = "\n".join(healthy(replace(CASE, version=version)))
    assert re.search(form, lines, re.MULTILINE)


@pytest.mark.parametrize(("version", "form"), [("0.5.18", "ServerArgs("), ("0.5.19", "{'")])
def test_the_start_shows_the_arguments_in_the_form_of_the_release(version, form):
    assert f"server_args={form}" in healthy(replace(CASE, version=version))[0]


def test_the_start_repeats_the_arguments_that_the_log_itself_shows():
    own = "server_args=ServerArgs(model_path='a', tp_size=8)"
    case = replace(CASE, paste=f"[2026-03-02 09:59:00] {own}\n{LOG}")
    assert healthy(case)[0].endswith(own)


def test_a_sample_is_drawn_by_its_seed_from_the_logs_that_decide_alone():
    cases = [replace(CASE, id=f"luck/log-{number}") for number in range(20)]
    cases.append(replace(CASE, id="asked", log_alone=False))
    cases.append(replace(CASE, id="foreign", in_scope=False, topics=()))
    assert len(sample_logs(cases)) == 20
    chosen = sample_logs(cases, 5, seed=1)
    assert chosen == sample_logs(cases, 5, seed=1) != sample_logs(cases, 5, seed=2)
    assert {case.id for case in chosen} <= {f"luck/log-{number}" for number in range(20)}
