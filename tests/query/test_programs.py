from __future__ import annotations

import pytest

from kb.query.programs import find_programs


@pytest.mark.parametrize(
    ("words", "program"),
    [
        ("vLLM에서 로딩이 느려요", "vLLM"),
        ("ollama가 죽어요", "Ollama"),
        ("DETA 학습 중에 assert가 나요", "a training job"),
        ("nccl-tests가 멈춰요", "nccl-tests"),
    ],
)
def test_a_korean_particle_ends_a_programs_name(words, program):
    assert find_programs((), words).other == program


def test_a_backend_of_sglangs_own_is_not_tensorrt():
    assert find_programs((), "B200 with the trtllm mla attention backend").other is None
    assert find_programs((), "trtllm serve fails").other == "TensorRT-LLM"


@pytest.mark.parametrize(
    "line",
    [
        "Unrecognized keys in `rope_scaling` for 'rope_type'='yarn': {'factor'}",
        "INFO - TensorFlow version 2.15.0 available.",
        "SupportError: backend 'trtllm' with capability 120",
    ],
)
def test_a_word_of_the_trade_is_no_other_program(line):
    assert find_programs((line,), "").other is None
