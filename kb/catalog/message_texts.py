"""An expression of the sources in, the texts it can come to out, `…` for what varies."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from kb.catalog.extract_names import call_name

__all__ = [
    "VARIES",
    "choices_of",
    "joined",
    "percent_template",
    "says_something",
    "template_of",
    "texts_of",
]

VARIES = "…"  # stands for what varies; never empty in what is matched
MAX_ALTERNATIVES = 8  # of one message put together from choices
MAX_CHOSEN = 3  # constants one part of an f-string chooses from; of more, it just varies
MAX_TEMPLATE_CHARS = 2000
MIN_WORDS = 2  # of three letters or more, below which a text says nothing
_PERCENT = re.compile(r"%(?:\(\w+\))?[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[hlL]?[diouxXeEfFgGcrsa%]")
_BRACES = re.compile(r"\{\{|\}\}|\{[^{}]*\}")
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_WORD = re.compile(r"[A-Za-z]{3,}")


def texts_of(node: ast.expr, names: Mapping[str, list[ast.expr]], depth: int = 0) -> list[str]:
    """Return the texts an expression can have, `…` for what varies; at least one, perhaps `…`."""
    if depth > 12:
        return [VARIES]
    if isinstance(node, ast.Constant):
        return [node.value if isinstance(node.value, str) else VARIES]
    if isinstance(node, ast.JoinedStr):
        return ["".join(pieces) for pieces in choices_of([_piece(p, names) for p in node.values])]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = (texts_of(side, names, depth + 1) for side in (node.left, node.right))
        return ["".join(pair) for pair in choices_of([left, right])]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return [percent_template(text) for text in texts_of(node.left, names, depth + 1)]
    if isinstance(node, ast.IfExp):
        return [*texts_of(node.body, names, depth + 1), *texts_of(node.orelse, names, depth + 1)]
    if isinstance(node, ast.BoolOp):
        return [text for value in node.values for text in texts_of(value, names, depth + 1)]
    if isinstance(node, ast.Name) and node.id in names:
        values = names[node.id][:MAX_ALTERNATIVES]
        inner = {name: found for name, found in names.items() if name != node.id}
        return [text for value in values for text in texts_of(value, inner, depth + 1)]
    if isinstance(node, ast.Call):
        return _called(node, names, depth)
    if isinstance(node, ast.Dict):
        return [text for value in node.values for text in texts_of(value, names, depth + 1)] or [
            VARIES
        ]
    if isinstance(node, (ast.List, ast.Tuple)):
        return [text for value in node.elts for text in texts_of(value, names, depth + 1)] or [
            VARIES
        ]
    return [VARIES]


def _called(node: ast.Call, names: Mapping[str, list[ast.expr]], depth: int) -> list[str]:
    if isinstance(node.func, ast.Attribute):
        name, owner = node.func.attr, node.func.value
        if name == "format":
            return [_BRACES.sub(_slot, text) for text in texts_of(owner, names, depth + 1)]
        if name == "join" and node.args and isinstance(node.args[0], (ast.List, ast.Tuple)):
            parts = [texts_of(item, names, depth + 1) for item in node.args[0].elts]
            between = texts_of(owner, names, depth + 1)[0]
            return [between.join(chosen) for chosen in choices_of(parts)]
        if name in ("strip", "rstrip", "lstrip", "replace", "lower", "upper", "removesuffix"):
            return texts_of(owner, names, depth + 1)
    if call_name(node.func).endswith(("dedent", "cleandoc", "red", "colored", "str")) and node.args:
        return texts_of(node.args[0], names, depth + 1)
    return [VARIES]


def _piece(part: ast.expr, names: Mapping[str, list[ast.expr]]) -> list[str]:
    """Return what a part of an f-string can be: its text, the constants it chooses from, or `…`."""
    if isinstance(part, ast.FormattedValue):
        part = part.value
    if isinstance(part, ast.Constant):
        return [str(part.value)]
    values = [part]
    if isinstance(part, ast.IfExp):
        values = [part.body, part.orelse]
    elif isinstance(part, ast.Name):
        values = names.get(part.id, [])
    texts = [
        value.value
        for value in values
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value
    ]
    chosen = list(dict.fromkeys(texts))
    return chosen if chosen and len(texts) == len(values) <= MAX_CHOSEN else [VARIES]


def _slot(found: re.Match[str]) -> str:
    doubled = {"%%": "%", "{{": "{", "}}": "}"}
    return doubled.get(found[0], VARIES)


def choices_of(parts: list[list[str]]) -> list[list[str]]:
    """Return the ways to take one of each; a part that makes them too many varies instead."""
    ways: list[list[str]] = [[]]
    for part in parts:
        if len(ways) * len(part) > MAX_ALTERNATIVES:
            part = [VARIES]
        ways = [[*way, text] for way in ways for text in part]
    return ways


def joined(parts: list[str]) -> str:
    """Return the only texts of several arguments as one line, as `print` joins them."""
    return " ".join(parts)


def template_of(text: str) -> str:
    """Return a text without colours, and with one `…` for what varies in a row."""
    text = _ANSI.sub("", text)
    text = re.sub(rf"{VARIES}(?:{VARIES})+", VARIES, text)
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    return text.strip()[:MAX_TEMPLATE_CHARS]


def percent_template(text: str) -> str:
    """Return a format string of the old kind with `…` for its values."""
    return _PERCENT.sub(_slot, text)


def says_something(text: str) -> bool:
    """Whether a text has words enough to be told from others."""
    return len(_WORD.findall(text)) >= MIN_WORDS
