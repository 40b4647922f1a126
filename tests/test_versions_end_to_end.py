"""The same hang in two releases: the same section, the flags of each."""

from __future__ import annotations

import pytest

from kb.answer.render import answer_to_text

OLD = """sglang==0.4.9.post6
$ python3 -m sglang.launch_server --model-path Qwen/Qwen3-32B --tp 2 --cuda-graph-max-bs 256
[2025-08-01 09:00:01] server_args=ServerArgs(model_path='Qwen/Qwen3-32B', tp_size=2, mem_fraction_static=0.88)
[2025-08-01 09:00:40 TP0] Load weight end. type=Qwen3ForCausalLM, dtype=torch.bfloat16, avail mem=0.61 GB, mem usage=62.11 GB.
[2025-08-01 09:00:41 TP0] Memory pool end. avail mem=0.41 GB
"""
NEW = """sglang version: 0.5.21
$ sglang serve --model-path Qwen/Qwen3-32B --tp 2 --cuda-graph-max-bs-decode 256
[2026-10-02 09:00:40 TP0] Load weight end. elapsed=38.20 s, type=Qwen3ForCausalLM, avail mem=0.61 GB, mem usage=62.11 GB.
[2026-10-02 09:00:41 TP0] Memory pool end. avail mem=0.41 GB
"""
QUESTION = "The server hangs while it starts and avail mem is very low."


@pytest.fixture(scope="module")
def answers(shipped):
    return {paste: shipped.ask(paste, QUESTION) for paste in (OLD, NEW)}


def test_the_section_is_the_same(answers):
    assert answers[OLD].sections[0].id == answers[NEW].sections[0].id
    assert answers[OLD].sections[0].id in ("hang-init", "avail-mem-low", "server-hangs")


def test_the_version_is_found_in_each(answers):
    assert answers[OLD].version.value == "0.4.9.post6"
    assert answers[NEW].version.value == "0.5.21"


def test_each_flag_is_judged_by_its_own_release(answers):
    old = {flag.flag: flag.status for flag in answers[OLD].flags}
    new = {flag.flag: (flag.status, flag.use) for flag in answers[NEW].flags}
    assert old["--cuda-graph-max-bs"] == "accepted"
    assert old["--cuda-graph-max-bs-decode"] == "not_yet"
    assert new["--cuda-graph-max-bs-decode"][0] == "accepted"
    assert new["--cuda-graph-max-bs"] == ("ambiguous", "--cuda-graph-max-bs-decode")


def test_the_suggested_command_changes_one_thing_and_keeps_the_rest(answers):
    for paste, launcher in ((OLD, "python3 -m sglang.launch_server"), (NEW, "sglang serve")):
        advice = answers[paste].command
        assert advice is not None and advice.given in paste
        assert advice.suggested.startswith(f"{launcher} --model-path Qwen/Qwen3-32B --tp 2")
        assert len(advice.changes) == 1


def test_a_version_in_prose_that_the_log_rules_out_is_said_to_be(shipped):
    paste = "[2025-08-01 09:00:41 TP0] KV cache pool is full. Retract requests. #retracted_reqs: 1"
    answer = shipped.ask(paste, "I run SGLang 0.3.2 and see this")
    assert answer.version.contradiction in (None, "0.3.2")
    assert answer.version.value != "0.3.2" or answer.version.contradiction is None


def test_vllms_flags_are_named_as_such(shipped):
    paste = "sglang serve: error: unrecognized arguments: --max-model-len 8192"
    answer = shipped.ask(
        f"$ sglang serve --model-path M --max-model-len 8192\n{paste}", "왜 안 되나요?"
    )
    (flag,) = [flag for flag in answer.flags if flag.flag == "--max-model-len"]
    assert (flag.status, flag.use) == ("foreign", "--context-length")
    assert answer.sections[0].id == "unrecognized-arguments"
    assert answer.command is not None and "--context-length 8192" in answer.command.suggested


CAPTURE = (
    "11:02:10 TP0] Capture cuda graph begin. This can take up to several minutes. avail mem=2 GB"
)


def test_what_shows_a_version_is_whole_words(shipped):
    answer = shipped.ask(f"[2026-11-02 {CAPTURE}\nRuntimeError: CUDA error: out of memory")
    assert "Capture cuda graph begin. This can" in [one.text for one in answer.version.evidence]


def test_a_bound_that_the_date_sets_is_called_one(shipped):
    answer = shipped.ask(f"[2025-09-18 {CAPTURE}\nRuntimeError: CUDA error: out of memory")
    assert "By the date of the log it is 0.5.2 or older" in answer_to_text(answer)
