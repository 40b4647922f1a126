"""Labelled cases and a knowledge base in, everything that a quality report tells out.

Each case is asked in every way it can be: its log alone, with its question, with its Korean
question. One pass gives the answer, and the evidence from which each set of legs is ranked anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from kb.evaluation.examples import Example
from kb.evaluation.golden import Case
from kb.evaluation.left_out import LeftOut, leave_topics_out
from kb.evaluation.metrics import Outcome
from kb.evaluation.noise import PLACES, Place, bury, sample_logs
from kb.evaluation.runner import outcome_of, run_cases
from kb.knowledge_base import KnowledgeBase
from kb.retrieval.fusion import LEGS, Ranking, rank

if TYPE_CHECKING:
    pass

__all__ = [
    "LEG_SETS",
    "Asked",
    "NoiseRun",
    "Way",
    "as_ranked",
    "ask_all_ways",
    "measure_noise",
    "of_left_out",
]

Way = Literal["log", "question", "question_ko"]
Progress = Callable[[int, int], None]

LEG_SETS: tuple[tuple[str, ...], ...] = tuple(
    legs for size in range(1, len(LEGS) + 1) for legs in combinations(LEGS, size)
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A case asked in one way: what was answered, and how each set of legs ranks."""

    case: Case
    way: Way
    is_first: bool  # the way that `kb eval` counts: with the question where there is one
    outcome: Outcome
    ranking: Ranking  # of all legs
    ids_by_legs: Mapping[tuple[str, ...], tuple[str, ...]]  # the first three ids
    example: Example  # what the weights are learned from

    @property
    def right(self) -> bool:
        """Whether it was answered, and the right section stood first."""
        return self.outcome.rank == 1


@dataclass(frozen=True, slots=True)
class NoiseRun:
    """The same logs without noise, and buried in it."""

    n_lines: int
    alone: tuple[Outcome, ...]
    buried: Mapping[Place, tuple[Outcome, ...]]


def ask_all_ways(
    base: KnowledgeBase, cases: Sequence[Case], progress: Progress | None = None
) -> list[Asked]:
    """Ask every case in every way; the encoder of `base` should be a remembering one."""
    results = []
    for number, case in enumerate(cases, start=1):
        ways = _ways(case)
        first = next(way for way in ("question", "question_ko", "log") if way in ways)
        for way, question in ways.items():
            answer = base.ask(case.paste, question)
            query, evidence, marks = base.evidence_for(case.paste, question)
            topic = case.topics[0] if case.in_scope else case.id.split("/")[0]
            ids = {
                legs: rank(evidence, query.programs, marks, frozenset(legs)).ids[:3]
                for legs in LEG_SETS
            }
            results.append(
                Asked(
                    case=case,
                    way=way,
                    is_first=way == first,
                    outcome=outcome_of(case, answer),
                    ranking=rank(evidence, query.programs, marks),
                    ids_by_legs=ids,
                    example=Example(case, topic, evidence, query.programs, marks),
                )
            )
        if progress is not None:
            progress(number, len(cases))
    return results


def _ways(case: Case) -> dict[Way, str | None]:
    ways: dict[Way, str | None] = {}
    if case.question:
        ways["question"] = case.question
    if case.question_ko:
        ways["question_ko"] = case.question_ko
    if not ways or (case.paste and case.in_scope and case.log_alone):
        ways["log"] = None
    return ways


def measure_noise(
    base: KnowledgeBase,
    cases: Sequence[Case],
    n_lines: int,
    *,
    n_logs: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> NoiseRun:
    """Ask the logs that decide by themselves, `n_logs` of them, bare and buried in `n_lines`."""
    logs = sample_logs(cases, n_logs, seed)
    alone: list[Outcome] = []
    buried: dict[Place, list[Outcome]] = {place: [] for place in PLACES}
    for number, case in enumerate(logs, start=1):
        alone += run_cases(base, [case], mode="log_alone")
        for place in PLACES:
            hidden = bury(case, n_lines, place, seed)
            buried[place] += run_cases(base, [hidden], mode="log_alone")
        if progress is not None:
            progress(number, len(logs))
    return NoiseRun(n_lines, tuple(alone), {place: tuple(buried[place]) for place in PLACES})


def of_left_out(asked: Sequence[Asked], learned_on: Mapping[str, object]) -> list[LeftOut] | None:
    """Return what weights fitted without a case's topic make of it, None for foreign cases.

    `learned_on` is `made_by` of the shipped weights: on cases that they were not learned on, the
    shipped weights themselves are the honest ones.
    """
    examples = [result.example for result in asked]
    n_inside = sum(example.case.in_scope for example in examples)
    if (n_inside, len(examples) - n_inside) != (
        learned_on.get("in_scope"),
        learned_on.get("out_of_scope"),
    ):
        return None
    return leave_topics_out(examples)


def as_ranked(result: Asked, legs: tuple[str, ...]) -> Outcome:
    """Return the outcome of a ranking by `legs` as if nothing were refused."""
    return replace(result.outcome, found=True, ranks=result.ids_by_legs[legs])
