from __future__ import annotations

import re

import pytest

from kb.retrieval.signatures import SignatureMatcher, compile_signature


@pytest.fixture(scope="module")
def matcher(corpus) -> SignatureMatcher:
    lines = dict.fromkeys((s.id, line) for s in corpus.sections for line in s.signatures)
    return SignatureMatcher(compile_signature(owner, line) for owner, line in lines)


def _best(matcher, text: str) -> dict[str, tuple[int, float]]:
    """Return of each section that matches `text` its most letters, and how whole that is."""
    best: dict[str, tuple[int, float]] = {}
    for hit in matcher.match(text):
        worth = (hit.matched, hit.share)
        best[hit.signature.owner] = max(worth, best.get(hit.signature.owner, (0, 0.0)))
    return best


def test_every_section_is_found_by_each_of_its_lines_and_beaten_by_none(corpus, matcher):
    beaten = []
    for section in corpus.sections:
        for line in section.signatures:
            best = _best(matcher, line)
            if best.get(section.id) != max(best.values(), default=None):
                beaten.append((section.id, line, best))
    assert beaten == []


def test_a_line_is_found_with_what_varies_filled_in_behind_a_prefix(corpus, matcher):
    lost = []
    for section in corpus.sections:
        for line in section.signatures:
            # A folder before `…model_runner.py`, a number elsewhere.
            filled = re.sub(r"…(?=\w*[._]\w)", "/x/", line).replace("…", "17.25")
            best = _best(matcher, f"[2025-11-02 10:15:01 TP3] {filled}\n")
            if best.get(section.id) != max(best.values(), default=None):
                lost.append((section.id, line, best))
    assert lost == []
