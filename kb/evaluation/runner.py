"""Labelled cases and a knowledge base in, outcomes and a report out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

from kb.evaluation.golden import Case
from kb.evaluation.metrics import Outcome, Summary, summarize
from kb.knowledge_base import KnowledgeBase
from kb.retrieval.fusion import LEGS
from kb.types import Answer, Language

__all__ = ["AskMode", "ablation", "ask_case", "report", "run_cases"]

AskMode = Literal["full", "log_alone"]


def ask_case(
    base: KnowledgeBase, case: Case, language: Language | None, mode: AskMode = "full"
) -> Answer:
    """Ask one case: its paste with its question, or its paste alone.

    In Korean the Korean question is asked where the case has one.
    """
    question = None
    if mode == "full":
        question = case.question_ko if language == "ko" and case.question_ko else case.question
        question = question or case.question_ko
    return base.ask(case.paste, question, language)


def printed(answer: Answer) -> str:
    """Return all text an answer prints that may name a flag."""
    parts = [section.markdown for section in answer.sections]
    parts += [f"{flag.flag} {flag.use or ''}" for flag in answer.flags]
    if answer.command:
        parts.append(answer.command.suggested)
    return "\n".join(parts)


def _without_digits(line: str) -> str:
    return re.sub(r"\d+", "", line)


def outcome_of(case: Case, answer: Answer) -> Outcome:
    """Compare an answer with the label of its case."""
    text = printed(answer)
    decisive = None
    if case.decisive_line and answer.sections:
        # Lines that differ in their numbers alone are one line of several ranks or steps.
        wanted = _without_digits(case.decisive_line).strip()
        shown = [_without_digits(m.text).strip() for m in answer.sections[0].matched_lines]
        decisive = any(wanted in line or line in wanted for line in shown if line)
    return Outcome(
        case=case.id,
        in_scope=case.in_scope,
        found=answer.found,
        ranks=tuple(section.id for section in answer.sections)
        + tuple(near.id for near in answer.nearest),
        n_shown=len(answer.sections),
        acceptable=case.topics,
        flags_expected=case.expected_flags,
        flags_printed=any(flag in text for flag in case.expected_flags),
        decisive_matched=decisive,
        confidence=answer.confidence,
    )


def run_cases(
    base: KnowledgeBase,
    cases: Sequence[Case],
    language: Language | None = None,
    mode: AskMode = "full",
    progress: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """Ask every case; in mode "log_alone" only those whose paste decides by itself."""
    asked = [case for case in cases if mode == "full" or (case.in_scope and case.log_alone)]
    outcomes = []
    for number, case in enumerate(asked, start=1):
        outcomes.append(outcome_of(case, ask_case(base, case, language, mode)))
        if progress is not None:
            progress(number, len(asked))
    return outcomes


def report(outcomes: Sequence[Outcome], cases: Mapping[str, Case]) -> dict[str, Any]:
    """Return the metrics as a JSON-ready dict: flat values, intervals, and by kind and language."""
    summary = summarize(outcomes)
    by_kind = {
        kind: _flat(summarize([o for o in outcomes if cases[o.case].kind == kind]))
        for kind in sorted({case.kind for case in cases.values()})
    }
    by_language = {
        language: _flat(summarize([o for o in outcomes if cases[o.case].language == language]))
        for language in sorted({case.language for case in cases.values()})
    }
    return {
        **_flat(summary),
        "intervals": {
            name: {"low": round(value["low"], 4), "high": round(value["high"], 4), "n": value["n"]}
            for name, value in asdict(summary).items()
            if isinstance(value, dict)
        },
        "by_kind": by_kind,
        "by_language": by_language,
    }


def _flat(summary: Summary) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in asdict(summary).items():
        number = value["value"] if isinstance(value, dict) else value
        values[name] = round(number, 4) if isinstance(number, float) else number
    return values


def ablation(
    base: KnowledgeBase, cases: Sequence[Case], language: Language | None = None
) -> dict[str, dict[str, Any]]:
    """Return the ranking metrics of each retrieval leg alone, of each pair, and of all together."""
    rows: dict[str, dict[str, Any]] = {}
    names = list(LEGS)
    subsets = [(a,) for a in names] + [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    for subset in [*subsets, tuple(names)]:
        legs = KnowledgeBase(base.index, base.encoder, base.settings, legs=frozenset(subset))
        outcomes = run_cases(legs, [case for case in cases if case.in_scope], language)
        summary = _flat(summarize([_as_ranked(outcome) for outcome in outcomes]))
        rows["+".join(subset)] = {name: summary[name] for name in ("n", "top1", "top3", "mrr")}
    return rows


def _as_ranked(outcome: Outcome) -> Outcome:
    """Return the outcome as if nothing were refused: an ablation is about the ranking alone."""
    from dataclasses import replace

    return replace(outcome, found=True)
