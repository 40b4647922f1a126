"""What an evaluator of untrusted sources may do with values, and values as JSON has them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kb.catalog.extract_names import EnumMember
from kb.catalog.forms import JsonValue

__all__ = ["BUILDERS", "METHODS", "OPERATIONS", "UnreadableError", "as_json"]


class UnreadableError(Exception):
    """An expression whose value cannot be read from the sources; its text says why."""


OPERATIONS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: _bounded(left) * _bounded(right),
    ast.FloorDiv: lambda left, right: left // right,
    ast.Div: lambda left, right: left / right,
    ast.Pow: lambda left, right: _bounded(left) ** _bounded(right, 64),
    ast.LShift: lambda left, right: _bounded(left) << _bounded(right, 64),
    ast.BitOr: lambda left, right: left | right,
}
BUILDERS: Mapping[str, Callable[[Iterable[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": set,
    "sorted": lambda items: sorted(items, key=str),
    "dict": dict,
}
METHODS: Mapping[str, Callable[..., Any]] = {
    "keys": lambda owner: list(owner.keys()),
    "values": lambda owner: list(owner.values()),
    "copy": lambda owner: owner.copy(),
    "lower": lambda owner: owner.lower(),
    "upper": lambda owner: owner.upper(),
}


def _bounded(number: Any, limit: float = 2.0**64) -> Any:
    """Return a number that keeps an operation small: the sources are not trusted to be."""
    if not isinstance(number, (int, float)) or abs(number) > limit:
        raise ValueError(f"{type(number).__name__} out of bounds")
    return number


def as_json(value: Any) -> JsonValue:
    """Return a value as JSON has it: sets sorted, enumeration members by their value."""
    if isinstance(value, EnumMember):
        return as_json(value.value)
    if isinstance(value, (set, frozenset)):
        return sorted((as_json(item) for item in value), key=str)
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise UnreadableError(f"{type(value).__name__} is no plain value")
