"""What names stand for in a module: assignments, definitions, imports; and names of calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

__all__ = [
    "Definition",
    "EnumMember",
    "ImportedName",
    "ModuleName",
    "call_name",
    "children",
    "is_enum",
    "is_named",
    "literal_text",
    "names_of",
    "source_of",
]


@dataclass(frozen=True, slots=True)
class Definition:
    """A class or function found by its name, and the module it stands in."""

    node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    file: str


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enumeration."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class ImportedName:
    """A name that another module defines."""

    module: str
    name: str  # "" where the module itself is imported


@dataclass(frozen=True, slots=True)
class ModuleName:
    """A module of the package, by its path."""

    file: str


def names_of(body: Iterable[ast.stmt], file: str) -> dict[str, Any]:
    """Return what each name assigned, defined or imported in `body` stands for; first one wins."""
    table: dict[str, Any] = {}
    for statement in body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    table.setdefault(target.id, statement.value)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            if isinstance(statement.target, ast.Name):
                table.setdefault(statement.target.id, statement.value)
        elif isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            table.setdefault(statement.name, Definition(statement, file))
        elif isinstance(statement, ast.ImportFrom):
            module = _absolute(statement, file)
            for alias in statement.names:
                table.setdefault(alias.asname or alias.name, ImportedName(module, alias.name))
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                module = alias.name if alias.asname else alias.name.split(".")[0]
                table.setdefault(alias.asname or module, ImportedName(module, ""))
        elif isinstance(statement, ast.If):
            for name, entry in names_of([*statement.body, *statement.orelse], file).items():
                table.setdefault(name, entry)
        elif isinstance(statement, ast.Try):
            handlers = [inner for handler in statement.handlers for inner in handler.body]
            for name, entry in names_of([*statement.body, *handlers], file).items():
                table.setdefault(name, entry)
    return table


def _absolute(statement: ast.ImportFrom, file: str) -> str:
    if not statement.level:
        return statement.module or ""
    package = ["sglang", *file.split("/")[:-1]]
    package = package[: len(package) - statement.level + 1]
    return ".".join([*package, *([statement.module] if statement.module else [])])


def call_name(node: ast.expr) -> str:
    """Return the dotted name of what is called, "" where it has none."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


_LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.alias)


def children(node: ast.AST) -> list[ast.AST]:
    """Return the nodes under a node that can hold further ones: names and constants left out."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found.extend(v for v in value if isinstance(v, ast.AST) and not isinstance(v, _LEAVES))
        elif isinstance(value, ast.AST) and not isinstance(value, _LEAVES):
            found.append(value)
    return found


def literal_text(node: ast.expr | None) -> str:
    """Return the literal pieces of a text: enough to see a deprecation and the flags it names."""
    if node is None:
        return ""
    return "".join(
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )


def source_of(node: ast.AST) -> str:
    """Return the source text of a node in one line of at most 80 characters."""
    try:
        source = " ".join(ast.unparse(node).split())
    except RecursionError:  # thousands of operands, or of parentheses
        return type(node).__name__
    return source if len(source) <= 80 else source[:77] + "..."


def is_enum(node: ast.ClassDef) -> bool:
    """Whether a class is an enumeration by the names of its bases."""
    return any(call_name(base).rpartition(".")[2].endswith("Enum") for base in node.bases)


def is_named(node: ast.expr, name: str) -> bool:
    """Whether an expression is this name and nothing else."""
    return isinstance(node, ast.Name) and node.id == name
