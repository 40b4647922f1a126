"""Patterns over folded text find what the same patterns find while ignoring case."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.evaluation.golden import read_golden
from kb.query import programs
from kb.query.folded import compile_folded, fold

SOURCES = {"SGLang": programs._SGLANG, "serving": programs._SERVING, **dict(programs._OTHERS)}
TINY = r"\bsgl[-_.](?:kernel|[A-Z])|b|\B_x|[|)(]\|y|\bq?z|\bs"


@pytest.fixture(scope="module")
def pastes() -> str:
    cases = read_golden(Path(__file__).parents[1] / "golden")
    return "\n".join(f"{case.question or ''}\n{case.paste}" for case in cases)


@pytest.mark.parametrize("name", SOURCES)
def test_the_marks_of_a_program_are_the_same(name: str, pastes: str) -> None:
    ignoring = re.compile(SOURCES[name], re.IGNORECASE)
    folded = fold(pastes)
    assert folded is not None
    expected = [found.span() for found in ignoring.finditer(pastes)]
    assert [found.span() for found in compile_folded(SOURCES[name]).finditer(folded)] == expected


@settings(max_examples=400, deadline=None)
@given(st.text("sgl-_.kernelSGLKSſKİıbB_xX|()yYqQzZ 가\n", max_size=40))
def test_any_text_gives_the_same_finds_or_is_refused(text: str) -> None:
    expected = [found.span() for found in re.finditer(TINY, text, re.IGNORECASE)]
    folded = fold(text)
    if folded is not None:
        assert [found.span() for found in compile_folded(TINY).finditer(folded)] == expected


@pytest.mark.parametrize("letter", ["İ", "ı", "ſ"])
def test_letters_that_fold_otherwise_are_refused(letter: str) -> None:
    assert fold(f"SGLANG {letter}") is None


def test_a_paste_with_such_a_letter_is_counted_all_the_same() -> None:
    found = programs.find_programs(["ı SGLang VLLM==0.9 DECODE"], "")
    assert (found.sglang_in_log, found.serving_in_log) == (1, 1)
    assert dict(found.others_in_log)["vLLM"] == 1
