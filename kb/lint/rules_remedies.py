"""Rule on the list items that a launch command is changed by: the same in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from kb.answer.remedy_items import RemedyItem, remedy_items
from kb.corpus.documents import Problem
from kb.lint.target import LintTarget
from kb.types import Section

__all__ = ["different_remedy"]


def different_remedy(target: LintTarget) -> Iterator[Problem]:
    """Report the first remedy of a section that is none, or another one, in the other language."""
    for pair in target.pairs:
        (_, english), (_, korean) = pair.en, pair.ko
        items = zip_longest(remedy_items(english.markdown), remedy_items(korean.markdown))
        for ours, theirs in items:
            if ours == theirs:
                continue
            yield from (
                _problem(section, other, item, wanted)
                for section, other, item, wanted in (
                    (english, korean, ours, theirs),
                    (korean, english, theirs, ours),
                )
                if item is not None
            )
            break


def _problem(
    section: Section, other: Section, item: RemedyItem, wanted: RemedyItem | None
) -> Problem:
    path, start = other.source.path, other.source.start_line
    place = f"{path}:{start + wanted.line}" if wanted else f"{path}:{start}"
    instead = f"{place} has {_shown(wanted)}" if wanted else f"the list in {place} has none such"
    message = (
        f"a launch command would be changed by {_shown(item)}, but {instead}: begin both items with"
        ' what is to be written and a colon (or "Leave out", "…을 빼세요."), or neither'
    )
    return Problem(section.source.path, section.source.start_line + item.line, message)


def _shown(item: RemedyItem) -> str:
    written = " | ".join(" and ".join(one.code for one in choice) for choice in item.choices)
    verb = "leaving out" if item.action == "remove" else "setting"
    condition = f" for {' or '.join(item.messages)}" if item.messages else ""
    step = f" in step {item.step}" if item.step is not None else ""
    return f"{verb} {written}{condition}{step}"
