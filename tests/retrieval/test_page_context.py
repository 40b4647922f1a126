"""The page that is asked from decides between sections that fit about as well, and only there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.errors import InputError
from kb.retrieval.evidence import FEATURES, Evidence
from kb.retrieval.fusion import Ranking
from kb.retrieval.page_context import MAX_PAGE_CHARS, prefer_page, section_of_page

IDS = (
    "oom",
    "hang",
    "nccl",
    "첫-항목",
    "memory.md#what-to-do",
    "startup.md#what-to-do",
    "a.md#only",
)


@pytest.mark.parametrize(
    ("page", "identifier"),
    [
        ("oom", "oom"),
        ("#oom", "oom"),
        ("https://docs.example.com/en/memory/#oom", "oom"),
        ("https://docs.example.com/oom", "oom"),
        ("https://docs.example.com/oom/", "oom"),
        ("/kb/oom.html?x=1", "oom"),
        ("/kb/oom.html#hang", "hang"),  # the fragment is the nearer place
        ("#%EC%B2%AB-%ED%95%AD%EB%AA%A9", "첫-항목"),
        ("a.md#only", "a.md#only"),
        ("https://docs.example.com/a/#only", "a.md#only"),
        ("https://docs.example.com/memory/#what-to-do", None),  # of two files: which is not known
        ("https://docs.example.com/oom/other", None),
        ("https://oom/", None),
        ("?page=oom", None),
        ("#nowhere", None),
        ("http://[", None),
        ("", None),
        ("#" + "x" * MAX_PAGE_CHARS, None),
    ],
)
def test_an_address_means_the_section_it_ends_in(page, identifier):
    assert section_of_page(page, IDS) == identifier


@given(st.text(max_size=200))
def test_any_text_means_a_section_or_none(page):
    assert section_of_page(page, IDS) in (*IDS, None)


RANKING = Ranking(IDS, (4.0, 3.6, 3.2, 2.0, 1.0, 0.5, 0.1), in_scope=0.9, confidence=0.8)


def evidence(**of_first: float) -> Evidence:
    features = np.zeros((len(IDS), len(FEATURES)), dtype=np.float32)
    for name, value in of_first.items():
        features[0, FEATURES.index(name)] = value
    return Evidence(IDS, features, {}, 0.5, 0.5, frozenset())


def test_a_near_section_of_the_page_comes_first():
    found = prefer_page(RANKING, evidence(), "nccl")
    assert found.ids == ("nccl", "oom", "hang", *IDS[3:])
    assert found.scores == (4.0, 4.0, 3.6, *RANKING.scores[3:])
    assert (found.in_scope, found.confidence) == (0.9, 0.8)


@pytest.mark.parametrize("identifier", [None, "oom", "첫-항목", "a.md#only", "nowhere"])
def test_without_a_page_or_where_its_section_is_far_nothing_changes(identifier):
    assert prefer_page(RANKING, evidence(), identifier) is RANKING


@pytest.mark.parametrize("name", ["signature", "signature_last", "signature_words"])
def test_what_the_log_itself_names_is_not_outranked(name):
    assert prefer_page(RANKING, evidence(**{name: 0.5}), "hang") is RANKING
    assert prefer_page(RANKING, evidence(**{name: 0.1}), "hang").ids[0] == "hang"


def test_a_refusal_stays_one_and_lists_the_page_first():
    refused = replace(RANKING, in_scope=0.49)
    found = prefer_page(refused, evidence(), "첫-항목")
    assert found.ids[0] == "첫-항목"
    assert found.in_scope == 0.49


# --- on the shipped documents ---

# Each fits several sections about as well.
UNCLEAR = [
    "서버가 처음 시작할 때 너무 오래 걸려요",
    "SGLang server hangs",
    "the SGLang server hangs after start and answers nothing",
    "SGLang 메모리가 부족하다고 해요",
    "out of memory in SGLang, what do I lower?",
    "SGLang의 출력이 이상해요",
]


def test_the_page_decides_between_sections_that_fit_about_as_well(shipped):
    decided = []
    for asked in UNCLEAR:
        first, second = shipped.search(asked, 2)
        without = shipped.ask("", asked)
        if not without.found or second.score < 0.8 * first.score:
            continue
        page = f"https://docs.example.com/ko/startup/#{second.id}"
        of_page = shipped.ask("", asked, page=page)
        assert of_page.confidence == without.confidence
        decided.append(of_page.sections[0].id == second.id)
    assert any(decided)


def test_a_page_that_means_nothing_changes_nothing(shipped):
    without = shipped.ask("", UNCLEAR[0])
    for page in ("", "https://docs.example.com/", "#" + "x" * 5000, "\0<script>", "http://["):
        assert shipped.ask("", UNCLEAR[0], page=page) == without


def test_the_log_outranks_the_page(shipped):
    log = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB."
    without = shipped.ask(log)
    for near in [found.id for found in without.sections[1:]] + [n.id for n in without.nearest]:
        assert shipped.ask(log, page=near).sections[0].id == without.sections[0].id


def test_a_page_makes_no_answer_of_a_refusal(shipped):
    asked = "nginx 502 behind our proxy"
    refused = shipped.ask("", asked)
    last = refused.nearest[-1]
    of_page = shipped.ask("", asked, page=last.id)
    assert not of_page.found
    assert of_page.nearest[0] == last
    assert set(of_page.nearest) == set(refused.nearest)


def test_a_page_that_is_no_text_is_refused(shipped):
    with pytest.raises(InputError, match="page"):
        shipped.ask("", UNCLEAR[0], page=7)
