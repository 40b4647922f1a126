from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.retrieval.tokenization import tokenize


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("--mem-fraction-static 0.8", {"--mem-fraction-static", "mem", "fraction", "static"}),
        ("SGLANG_HEALTH_CHECK_TIMEOUT=60", {"sglang_health_check_timeout", "health", "timeout"}),
        ("torch.OutOfMemoryError", {"torch.outofmemoryerror", "out", "memory", "error"}),
        ("서버가 멈춰요", {"서버", "버가", "멈춰", "춰요"}),
        ("OOM이 나요", {"oom", "이", "나요"}),
        ("the server hangs", {"server", "hang"}),
        ("sm_120 HTTP 503", {"sm_120", "sm", "120", "http", "503"}),
        ("显存不足", {"显存", "存不", "不足"}),
    ],
)
def test_terms_and_their_parts_are_found(text, terms):
    assert terms <= set(tokenize(text))


def test_a_particle_does_not_hide_the_noun():
    assert set(tokenize("서버")) <= set(tokenize("서버가"))


def test_a_timestamp_is_not_one_term():
    assert "2025-07-25" not in tokenize("[2025-07-25 07:53:08]")


@given(st.text())
def test_any_text_gives_the_same_terms_twice(text):
    assert tokenize(text) == tokenize(text)
    assert all(term and not term.isspace() for term in tokenize(text))
