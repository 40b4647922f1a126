"""The table of windows finds what the automaton finds, in whatever text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.evaluation.commands import read_cases
from kb.retrieval.index import signature_matcher
from kb.retrieval.signature_windows import WindowedMatcher

GOLDEN = Path(__file__).parents[1] / "golden"
IDS = ("oom", "hang", "other")
LINES = (
    (0, "CUDA out of memory. Tried to allocate … GiB"),
    (0, "Not enough memory. Please try to increase --mem-fraction-static."),
    (1, "Watchdog timeout (self.watchdog_timeout=…)"),
    (1, "Killed…"),
    (2, "Watchdog timeout"),
    (2, "메모리가 부족해요 …"),
)


def _found(hits):
    return {(h.line, h.signature.owner, h.signature.line, h.share, h.matched) for h in hits}


@pytest.fixture(scope="module")
def windowed(shipped):
    index = shipped.index
    lines = ((index.positions[s.id], line) for s in index.sections for line in s.signatures)
    return WindowedMatcher.from_lines(index.ids, lines)


def test_it_finds_in_the_golden_pastes_what_the_automaton_finds(shipped, windowed):
    texts = [case.paste for case in read_cases(GOLDEN)]
    assert len(texts) > 400
    for text in texts:
        assert _found(windowed.match(text)) == _found(shipped.index.matcher.match(text))


def test_all_of_them_in_one_text_are_found_too(shipped, windowed):
    text = "\n".join(line for s in shipped.index.sections for line in s.signatures)
    assert _found(windowed.match(text)) == _found(shipped.index.matcher.match(text))


@given(
    st.lists(
        st.one_of(
            st.sampled_from([line for _, line in LINES]),
            st.sampled_from([line[: len(line) * 2 // 3] for _, line in LINES]),
            st.text(st.sampled_from("CUDAwatchdog .…\n\t메모리\ud800😀"), max_size=20),
        ),
        max_size=8,
    ),
    st.sampled_from([" ", "\n", "x"]),
)
def test_no_text_tells_the_two_apart(parts, between):
    text = between.join(parts)
    automaton = signature_matcher((IDS[owner], line) for owner, line in LINES)
    windows = WindowedMatcher.from_lines(IDS, LINES)
    assert _found(windows.match(text)) == _found(automaton.match(text))
    assert _found(windows.match_words(f'"{text}"')) == _found(automaton.match_words(f'"{text}"'))


def test_it_is_saved_and_mapped(tmp_path):
    made = WindowedMatcher.from_lines(IDS, LINES)
    made.save(tmp_path, "signature")
    mapped = WindowedMatcher.load(tmp_path, "signature", IDS)
    text = "x\nWatchdog timeout (self.watchdog_timeout=300)\n메모리가 부족해요 지금"
    assert len(mapped) == len(made)
    assert _found(mapped.match(text)) == _found(made.match(text)) != set()


def test_a_quotation_is_looked_for_among_some_owners_only():
    made = WindowedMatcher.from_lines(IDS, LINES)
    words = 'what is "please try to increase" about?'
    assert [hit.signature.owner for hit in made.match_words(words, [0, 1])] == ["oom"]
    assert made.match_words(words, [1]) == []


def test_a_line_again_and_again_is_a_bounded_number_of_hits():
    made = WindowedMatcher.from_lines(IDS, LINES)
    text = "Watchdog timeout\n" * 50_000
    assert 1 <= len(made.match(text)) <= 16


def test_without_signatures_nothing_is_found(tmp_path):
    made = WindowedMatcher.from_lines(IDS, [])
    made.save(tmp_path, "none")
    assert WindowedMatcher.load(tmp_path, "none", IDS).match("Watchdog timeout") == []
