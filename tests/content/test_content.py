from __future__ import annotations

from collections import Counter
from pathlib import Path

from kb.catalog import Catalog
from kb.corpus.chunking import chunk_section
from kb.corpus.markdown import block_parser, fences_of, split_lines
from kb.lint.linter import lint

TOPIC_IDS = (Path(__file__).parent / "topic_ids.txt").read_text(encoding="utf-8").split()


def test_every_topic_has_a_section_in_both_languages_and_there_are_no_others(corpus):
    assert len(TOPIC_IDS) == 128
    for language in ("en", "ko"):
        ids = Counter(s.id for s in corpus.sections if s.language == language)
        assert set(ids) ^ set(TOPIC_IDS) == set()
        assert ids.total() == 128


def test_both_languages_have_the_same_sections_in_the_same_order_at_the_same_level(corpus):
    outline = {"en": [], "ko": []}
    for section in corpus.sections:
        path = section.source.path.partition("/")[2]
        outline[section.language].append((path, section.id, section.level, section.parent))
    assert outline["en"] == outline["ko"]


def test_both_languages_say_alike_what_a_section_is(corpus):
    kinds = {"en": {}, "ko": {}}
    for section in corpus.sections:
        kinds[section.language][section.id] = section.kind
    assert kinds["en"] == kinds["ko"]


def test_the_content_is_clean(content):
    assert [str(f) for f in lint(content, catalog=Catalog.load(), strict=True)] == []


def test_every_section_is_a_byte_identical_slice_of_its_file(content, corpus):
    for section in corpus.sections:
        lines = split_lines((content / section.source.path).read_bytes().decode("utf-8"))
        cut = lines[section.source.start_line - 1 : section.source.end_line]
        assert section.markdown == "".join(cut).rstrip("\n"), section.id


def test_every_fence_of_every_file_is_whole_in_one_chunk(content, corpus):
    chunks = [
        chunk
        for position, section in enumerate(corpus.sections)
        for chunk in chunk_section(section, position)
    ]
    cut = []
    for document in corpus.documents:
        if not document.searchable:
            continue
        text = (content / document.path).read_bytes().decode("utf-8")
        lines = split_lines(text)
        for fence in fences_of(block_parser().parse(text), lines):
            source = "".join(lines[fence.start_line - 1 : fence.end_line]).rstrip("\n")
            if not any(c.source.path == document.path and source in c.text for c in chunks):
                cut.append(f"{document.path}:{fence.start_line}")
    assert cut == []


def test_every_section_says_how_people_ask(corpus):
    words = {"en": "**People ask:**", "ko": "**이렇게 물어요:**"}
    assert [s.id for s in corpus.sections if words[s.language] not in s.markdown] == []


def test_consequences_and_harmless_notices_are_marked_as_such(corpus):
    kinds = {section.id: section.kind for section in corpus.sections}
    assert kinds["sigquit-child-failed"] == "consequence"
    assert kinds["harmless-lines"] == kinds["moe-config-not-tuned"] == "harmless"
    assert Counter(kinds.values())["cause"] >= 120
