"""Each section is the first result for what only it says: its lines and its own heading."""

from __future__ import annotations

import pytest


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


@pytest.mark.slow
def test_every_signature_line_finds_its_section_first(shipped, corpus):
    lost = []
    for section in corpus.sections:
        if section.language == "en":  # the lines are the same in both languages
            for line in section.signatures:
                (first,) = shipped.search(line, 1)
                if first.id != section.id:
                    lost.append((section.id, line, first.id))
    assert lost == []
