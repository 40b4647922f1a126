"""A value that is in force and the one a remedy gives → is the remedy's already reached?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from kb.answer.remedies import Argument, Remedy
from kb.catalog.flags import FlagVerdict

__all__ = [
    "Direction",
    "direction_of",
    "is_default",
    "is_json",
    "names_of",
    "reached",
    "reached_in",
]

Direction = Literal["lower", "raise"]

# Limits on memory whose default the server computes from the GPU: a section that gives one value
# of them gives a smaller one.
_LOWERED = frozenset(
    {"--chunked-prefill-size", "--cuda-graph-max-bs", "--cuda-graph-max-bs-decode"}
    | {"--cuda-graph-max-bs-prefill", "--max-prefill-tokens", "--max-running-requests"}
    | {"--max-total-tokens", "--mem-fraction-static", "--piecewise-cuda-graph-max-tokens"}
)
_OFF, _ON = frozenset({"0", "false", "no", "n"}), frozenset({"1", "true", "yes", "y"})
_SUFFIXES = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
_SUFFIXES |= {"g": 1e9, "m": 1e6}  # docker's sizes
_NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?)(k|M|G|Ki|Mi|Gi|g|m|)")


def reached_in(present: str, argument: Argument, remedies: Sequence[Remedy]) -> bool | None:
    """Whether `present` is at the remedy's value or past it, as a section orders its values."""
    wanted = " ".join(argument.values)
    order = [_plain(value) for value in _listed(argument, remedies)]
    given, asked = _plain(present), _plain(wanted)
    if given in order and asked in order and order.index(given) > order.index(asked):
        return True  # a later one of the section's own
    return reached(present, wanted, direction_of(argument, remedies))


def reached(present: str, wanted: str, direction: Direction | None) -> bool | None:
    """Whether `present` is at `wanted` or past it; None where that cannot be known."""
    given, asked = _plain(present), _plain(wanted)
    if given == asked:
        return True
    if {given, asked} == {"0", "1"}:
        return False  # off and on, not a smaller and a larger number
    now, target = _number(present), _number(wanted)
    if now is None or target is None:
        return False
    if now == target:
        return True
    if now < 0 <= target:
        return False  # a negative value switches the limit off: nothing is past it
    if direction is None:
        return None
    return now < target if direction == "lower" else now > target


def direction_of(argument: Argument, remedies: Sequence[Remedy]) -> Direction | None:
    """Return where a section leads the value: its values are listed in the order to try.

    A single value is compared with the default; where the server computes that, the flag tells.
    """
    numbers = map(_number, _listed(argument, remedies))
    listed = list(dict.fromkeys(number for number in numbers if number is not None))
    if len(listed) > 1:
        if all(a > b for a, b in pairwise(listed)):
            return "lower"
        return "raise" if all(a < b for a, b in pairwise(listed)) else None
    target = _number(" ".join(argument.values))
    default = _number(str(argument.verdict.default)) if argument.verdict else None
    if target is not None and default is not None and default >= 0 and default != target:
        return "lower" if target < default else "raise"
    return "lower" if names_of(argument) & _LOWERED else None


def _listed(argument: Argument, remedies: Sequence[Remedy]) -> list[str]:
    """Return the values that a section's remedies give to the flag, in order."""
    names = names_of(argument)
    return [
        " ".join(other.values)
        for remedy in remedies
        if remedy.action == "set"
        for other in remedy.arguments
        if names_of(other) & names
    ]


def is_default(argument: Argument) -> bool:
    """Whether the release has this value anyway, where nothing is written."""
    if argument.verdict is None or argument.verdict.default is None or not argument.values:
        return False
    return _plain(str(argument.verdict.default)) == _plain(" ".join(argument.values))


def is_json(value: str) -> bool:
    """Whether the value is an object or a list: written anew, it would lose the user's keys."""
    return value.strip("'\"")[:1] in ("{", "[")


def names_of(thing: Argument | FlagVerdict) -> frozenset[str]:
    """Return the names under which releases know a flag: its own, and what to write instead."""
    verdict = thing.verdict if isinstance(thing, Argument) else thing
    own = {thing.name} if isinstance(thing, Argument) else set()
    if verdict is not None:
        own |= {name for name in (verdict.name, verdict.use) if name}
    return frozenset(name for name in own if name)


def _plain(value: str) -> str:
    word = value.strip("'\"")
    low = word.lower()
    return "1" if low in _ON else "0" if low in _OFF else word


def _number(value: str) -> float | None:
    match = _NUMBER.fullmatch(value.strip("'\""))
    return float(match.group(1)) * _SUFFIXES[match.group(2)] if match else None
