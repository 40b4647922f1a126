from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.query.log_lines import read_line

CASES = [
    line.split(" => ")
    for line in (Path(__file__).parent / "lines.txt").read_text(encoding="utf-8").split("\n")
    if line and not line.startswith("#")
]


@pytest.mark.parametrize(("raw", "expected"), CASES)
def test_a_line_is_read_as_its_role_rank_and_text(raw, expected):
    line = read_line(1, raw)
    assert f"{line.role} | {line.rank} | {line.text}" == expected


def test_colours_are_no_text():
    assert read_line(1, "\x1b[31mRuntimeError: x\x1b[0m").text == "RuntimeError: x"


def test_of_a_progress_bar_drawn_in_place_the_last_state_is_read():
    assert read_line(1, " 1%|  |\r 99%|##|").text == " 99%|##|"


@given(st.text())
def test_no_line_raises_and_the_number_is_kept(raw):
    assert read_line(7, raw).number == 7


@pytest.mark.parametrize(
    ("line", "role"),
    [
        ("--router-worker-startup-timeout-secs 3600 \\", "command"),
        ("    --tp 8 --dp 2 --trust-remote-code", "command"),
        ("export SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN=1", "command"),
        ("CUDA_VISIBLE_DEVICES=6,7 \\", "command"),
        ("--mem-fraction-static must be between 0 and 1, this is invalid", "error"),
        ("```bash", "blank"),
        ("I get an out of memory error when I raise it.", "prose"),
        ("However, my client fails after an hour.", "prose"),
        ("Failed to load the model. Iteration 3 of 4 failed.", "error"),
    ],
)
def test_commands_and_reports_are_told_from_errors(line, role):
    assert read_line(1, line).role == role
