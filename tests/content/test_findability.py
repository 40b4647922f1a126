"""Each section is the first result for what only it says: its lines and its own heading."""

from __future__ import annotations

import pytest

from kb.query.paste import read_query
from kb.retrieval.evidence import collect_evidence
from kb.retrieval.fusion import rank


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_heading_finds_its_section_first(shipped, corpus, language):
    lost = []
    for section in corpus.sections:
        if section.language == language:
            (first,) = shipped.search(section.title, 1, language)
            if first.id != section.id:
                lost.append((section.id, section.title, first.id))
    assert lost == []


def test_every_signature_line_finds_its_section_first(shipped, corpus):
    # By the letter alone: what an exact line says, no vector has to help, and there are thousands.
    lost = []
    for section in corpus.sections:
        if section.language == "en":  # the lines are the same in both languages
            for line in section.signatures:
                query = read_query(line)
                evidence = collect_evidence(query, shipped.index, None)
                first = rank(evidence, query.programs).ids[0]
                if first != section.id:
                    lost.append((section.id, line, first))
    assert lost == []
