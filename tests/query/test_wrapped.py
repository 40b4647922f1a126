"""Lines that a terminal has cut in the middle of words are read whole and shown as pasted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.evaluation.golden import read_golden
from kb.query.paste import read_paste, read_query
from kb.query.wrapped import unwrap

LOG = """\
[2026-10-05 10:21:03 TP0] Load weight end. elapsed=41.20 s, type=Qwen3ForCausalLM, avail mem=1.02 GB, mem usage=76.31 GB.
[2026-10-05 10:21:03 TP0] server_args=ServerArgs(model_path='Qwen/Qwen3-32B', tokenizer_path='Qwen/Qwen3-32B', mem_fraction_static=0.8, tp_size=1, version='0.5.9')
[2026-10-05 10:21:04 TP0] Scheduler hit an exception: Traceback (most recent call last):
  File "/usr/local/lib/python3.12/dist-packages/sglang/srt/managers/scheduler.py", line 2999, in run_scheduler_process
    scheduler = Scheduler(server_args, port_args, gpu_id, tp_rank, moe_ep_rank, pp_rank, dp_rank)
RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. Current value: self.mem_fraction_static=0.8
[2026-10-05 10:21:05] Received sigquit from a child process. It usually means the child failed."""


def wrapped(text: str, columns: int) -> str:
    pieces = []
    for line in text.split("\n"):
        pieces += [line[i : i + columns] for i in range(0, len(line), columns)] or [""]
    return "\n".join(pieces)


@pytest.mark.parametrize("columns", [60, 72, 80, 100])
def test_lines_are_put_together_again(columns):
    found = unwrap(wrapped(LOG, columns).split("\n"))
    assert found is not None
    assert "\n".join(found.lines) == LOG


def test_each_line_keeps_the_numbers_of_its_pieces():
    pasted = wrapped(LOG, 80)
    paste = read_paste(pasted)
    assert (paste.text, paste.as_pasted) == (LOG, pasted)
    for number, line in enumerate(LOG.split("\n"), start=1):
        pieces = [pasted.split("\n")[n - 1] for n in paste.pasted_numbers(number)]
        assert "".join(pieces) == line


@pytest.mark.parametrize(
    "text",
    [
        LOG,
        "",
        "one line",
        "\n".join(["INFO:     127.0.0.1:43210 - POST /generate HTTP/1.1 answered with OK"] * 9),
        "\n".join(
            f"[2026-10-05 10:21:{n:02d} TP0] Decode batch. #running-req: {n:02d}, ok"
            for n in range(30)
        ),
        "\n".join("+" + "-" * 78 + "+" for _ in range(9)),
        "\n".join(
            "| 0  NVIDIA H100 80GB HBM3          On  | 00000000:19:00.0 Off | ok |"
            for _ in range(9)
        ),
        "\n".join("    " + "x" * 60 for _ in range(9)),
    ],
)
def test_what_was_not_wrapped_stays_as_it_is(text):
    assert unwrap(text.split("\n")) is None
    assert read_paste(text).text == text


def test_no_golden_paste_is_taken_for_wrapped():
    cases = read_golden(Path(__file__).resolve().parents[1] / "golden")
    assert [case.id for case in cases if case.paste and unwrap(case.paste.split("\n"))] == []


@given(st.text(alphabet="ab 0:[]\n\r\t가", max_size=400), st.integers(40, 44))
def test_nothing_is_lost_and_nothing_raises(text, columns):
    lines = wrapped(text.replace("\n", "") * 9, columns).split("\n")
    found = unwrap(lines)
    if found is not None:
        assert "".join(found.lines) == "".join(lines)
        assert found.first_numbers == sorted(set(found.first_numbers))
        assert len(found.lines) == len(found.first_numbers)


def test_what_is_shown_of_it_are_lines_of_the_paste(shipped):
    pasted = wrapped(LOG, 80)
    lines = pasted.split("\n")
    answer = shipped.ask(pasted, "왜 안 뜨나요?")
    assert answer.sections[0].id == "not-enough-memory-increase-mem-fraction"
    shown = answer.sections[0].matched_lines
    assert any("Not enough memory" in line.text for line in shown)
    assert all(lines[line.line - 1] == line.text for line in shown)
    assert answer.version is not None
    assert answer.version.evidence
    for said in answer.version.evidence:
        assert said.text in lines[said.line - 1]


def test_a_secret_that_the_terminal_cut_in_two_is_masked_in_both():
    log = LOG.replace("version='0.5.9'", "api_key='hunter2-prod-77'")
    pasted = wrapped(log, 80)
    assert "hunter2-prod-77" not in pasted  # it is cut
    query = read_query(pasted, None)
    for text in (query.paste.text, query.paste.as_pasted):
        assert "hunt" not in text
        assert "prod-77" not in text
    assert query.hidden == 1
    assert query.paste.n_lines == len(pasted.split("\n"))
    assert query.paste.as_pasted.count("\n") == pasted.count("\n")


def test_other_lines_keep_their_pieces_beside_a_secret():
    log = f"{LOG}\n[2026-10-05 10:21:06] Authorization: Bearer {'aB3' * 20} was refused by the gateway"
    pasted = wrapped(log, 80).split("\n")
    shown = read_query("\n".join(pasted)).paste.as_pasted.split("\n")
    assert shown[:-2] == pasted[:-2]
    assert "aB3aB3" not in "".join(shown)


def test_a_private_key_is_masked_though_its_lines_are_equally_long():
    key = "\n".join(
        ("-----BEGIN PRIVATE KEY-----", *["aB3dE5gH" * 8] * 9, "-----END PRIVATE KEY-----")
    )
    query = read_query(f"{LOG}\n{key}\n{key}", "why?")
    assert "aB3dE5gH" not in query.paste.text
    assert "aB3dE5gH" not in query.paste.as_pasted
