"""What a case expects to be printed, some acceptable section prints: whatever finds the section."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kb.evaluation.golden import read_golden, read_jsonl

ROOT = Path(__file__).resolve().parents[2]
LABELLED = ROOT.parent / "shared" / "cases" / "dev.jsonl"


def _unprinted(cases, corpus, language):
    texts = {s.id: s.markdown for s in corpus.sections if s.language == language}
    return [
        (case.id, case.topics, case.expected_flags)
        for case in cases
        if case.in_scope
        and case.expected_flags
        and not any(
            re.search(rf"(?i)(?<![\w-]){re.escape(flag)}(?![\w-])", texts.get(topic, ""))
            for topic in case.topics
            for flag in case.expected_flags
        )
    ]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_golden_cases(corpus, language):
    assert _unprinted(read_golden(ROOT / "tests" / "golden"), corpus, language) == []


@pytest.mark.skipif(not LABELLED.is_file(), reason="the labelled pastes are not at hand")
@pytest.mark.parametrize("language", ["en", "ko"])
def test_labelled_pastes(corpus, language):
    assert _unprinted(read_jsonl(LABELLED), corpus, language) == []
