"""Reads the value of an expression from its syntax tree, over modules, without running anything."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kb.catalog.extract_sources import Sources

__all__ = ["Definition", "EnumMember", "Evaluator", "Scope", "Unreadable", "call_name"]

MAX_DEPTH = 40  # of names that lead to names; deeper is a cycle


class Unreadable(Exception):
    """An expression whose value cannot be read from the sources; its text says why."""


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
class Scope:
    """Where a name is looked up: local names first, then the module of `file`."""

    file: str
    local: Mapping[str, Any] = field(default_factory=dict)  # name → expression, Definition or value


class Evaluator:
    """Follows constants, collections, enumerations and imports through the modules of a release."""

    def __init__(self, sources: Sources) -> None:
        """Read from `sources`; the tables of names of a module are made once."""
        self.sources = sources
        self._tables: dict[str, dict[str, Any]] = {}
        self._depth = 0

    def value(self, node: ast.expr, scope: Scope) -> Any:
        """Return the value of `node` as Python constants and collections; Unreadable otherwise."""
        found = self.resolve(node, scope)
        if isinstance(found, Definition):
            return self._members(found)
        return found

    def resolve(self, node: ast.expr, scope: Scope) -> Any:
        """Return a value, or the Definition of the class or function that `node` names."""
        reader = _READERS.get(type(node))
        if reader is None:
            raise Unreadable(f"{type(node).__name__} `{_source(node)}`")
        if self._depth >= MAX_DEPTH:
            raise Unreadable(f"names lead in a circle at `{_source(node)}`")
        self._depth += 1
        try:
            return reader(self, node, scope)
        except (TypeError, ValueError, ArithmeticError, AttributeError, LookupError) as problem:
            raise Unreadable(f"`{_source(node)}`: {problem}") from problem
        finally:
            self._depth -= 1

    def definition(self, node: ast.expr, scope: Scope) -> Definition | None:
        """Return the class or function that `node` names, None if it is not of this package."""
        try:
            found = self.resolve(node, scope)
        except Unreadable:
            return None
        return found if isinstance(found, Definition) else None

    def lookup(self, name: str, scope: Scope) -> Any:
        """Return what a name stands for in a scope; Unreadable if it is not to be found."""
        if name in scope.local:
            entry: Any = scope.local[name]
            return self._entry(entry, scope)
        table = self._table(scope.file)
        if name not in table:
            raise Unreadable(f"name `{name}` is not defined in {scope.file}")
        module = Scope(scope.file)
        return self._mutated(name, self._entry(table[name], module), module)

    def _entry(self, entry: Any, scope: Scope) -> Any:
        if isinstance(entry, _Import):
            return self._imported(entry)
        return self.resolve(entry, scope) if isinstance(entry, ast.expr) else entry

    def _imported(self, entry: _Import) -> Any:
        whole = self.sources.module_file(
            f"{entry.module}.{entry.name}" if entry.name else entry.module
        )
        if entry.name and (file := self.sources.module_file(entry.module)):
            table = self._table(file)
            if entry.name in table:
                return self.lookup(entry.name, Scope(file))
        if whole:
            return _Module(whole)
        raise Unreadable(f"`{entry.module}.{entry.name}` is not of this package")

    def _table(self, file: str) -> dict[str, Any]:
        if file not in self._tables:
            tree = self.sources.tree(file)
            self._tables[file] = names_of(tree.body, file) if tree else {}
        return self._tables[file]

    def _mutated(self, name: str, value: Any, scope: Scope) -> Any:
        """Apply `NAME.append(…)`, `.extend(…)`, `.add(…)` and `NAME += …` of the module."""
        tree = self.sources.tree(scope.file)
        if tree is None or not isinstance(value, (list, set)):
            return value
        value = type(value)(value)
        for statement in tree.body:
            if isinstance(statement, ast.AugAssign) and _named(statement.target, name):
                value += self.value(statement.value, scope)
            elif (
                isinstance(statement, ast.Expr)
                and isinstance(call := statement.value, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and _named(call.func.value, name)
                and call.func.attr in ("append", "extend", "add", "update")
            ):
                getattr(value, call.func.attr)(self.value(call.args[0], scope))
        return value

    def _members(self, found: Definition) -> Any:
        node = found.node
        if not isinstance(node, ast.ClassDef) or not _is_enum(node):
            raise Unreadable(f"`{node.name}` is no value")
        members = []
        for statement in node.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                name = statement.targets[0].id
                try:
                    value = self.value(statement.value, Scope(found.file))
                except Unreadable:  # auto(): a StrEnum's is the name in lower case
                    value = name.lower()
                members.append(EnumMember(name, value))
        return members

    # --- readers, one for each kind of expression ---

    def _constant(self, node: ast.Constant, scope: Scope) -> Any:
        return node.value

    def _text(self, node: ast.JoinedStr, scope: Scope) -> str:
        parts = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                parts.append(str(self.value(part.value, scope)))
            else:
                parts.append(str(self.value(part, scope)))
        return "".join(parts)

    def _collection(self, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Any:
        items: list[Any] = []
        for item in node.elts:
            if isinstance(item, ast.Starred):
                items.extend(self._iterate(self.value(item.value, scope)))
            else:
                items.append(self.value(item, scope))
        return {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)](items)

    def _dict(self, node: ast.Dict, scope: Scope) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                result.update(self.value(value, scope))
            else:
                result[self.value(key, scope)] = self._or_source(value, scope)
        return result

    def _or_source(self, node: ast.expr, scope: Scope) -> Any:
        """Return the value, or its source: the keys of a table count even where values do not."""
        try:
            return self.value(node, scope)
        except Unreadable:
            return _source(node)

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        return self.lookup(node.id, scope)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        owner = self.resolve(node.value, scope)
        if isinstance(owner, _Module):
            return self.lookup(node.attr, Scope(owner.file))
        if isinstance(owner, EnumMember):
            return {"name": owner.name, "value": owner.value}[node.attr]
        if isinstance(owner, Definition) and isinstance(owner.node, ast.ClassDef):
            return self._class_attribute(owner, node.attr)
        raise Unreadable(f"attribute `{_source(node)}`")

    def _class_attribute(self, owner: Definition, name: str) -> Any:
        if isinstance(owner.node, ast.ClassDef) and _is_enum(owner.node):
            return next(member for member in self._members(owner) if member.name == name)
        table = names_of(owner.node.body, owner.file)
        if name not in table:
            raise Unreadable(f"`{owner.node.name}.{name}` is not declared")
        entry = table[name]
        return self.value(entry, Scope(owner.file, table)) if isinstance(entry, ast.expr) else entry

    def _operation(self, node: ast.BinOp, scope: Scope) -> Any:
        operate = _OPERATIONS.get(type(node.op))
        if operate is None:
            raise Unreadable(f"operator in `{_source(node)}`")
        return operate(self.value(node.left, scope), self.value(node.right, scope))

    def _negative(self, node: ast.UnaryOp, scope: Scope) -> Any:
        value = self.value(node.operand, scope)
        return -value if isinstance(node.op, ast.USub) else not value

    def _comprehension(self, node: ast.ListComp | ast.SetComp, scope: Scope) -> Any:
        (loop,) = node.generators
        if not isinstance(loop.target, ast.Name) or loop.ifs:
            raise Unreadable(f"`{_source(node)}`")
        items = []
        for item in self._iterate(self.value(loop.iter, scope)):
            inner = Scope(scope.file, {**scope.local, loop.target.id: item})
            items.append(self.value(node.elt, inner))
        return items

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Any:
        return self.value(node.value, scope)[self.value(node.slice, scope)]

    def _call(self, node: ast.Call, scope: Scope) -> Any:
        name = call_name(node.func)
        if name in _BUILDERS and len(node.args) <= 1 and not node.keywords:
            items = self._iterate(self.value(node.args[0], scope)) if node.args else []
            return _BUILDERS[name](items)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
            owner = self.value(node.func.value, scope)
            arguments = [self.value(argument, scope) for argument in node.args]
            return _METHODS[node.func.attr](owner, *arguments)
        called = self.definition(node.func, scope)
        if called and isinstance(called.node, ast.FunctionDef) and not (node.args or node.keywords):
            return self._returned(called)
        if name in ("field", "dataclasses.field", "msgspec.field"):
            for keyword in node.keywords:
                if keyword.arg == "default":
                    return self.value(keyword.value, scope)
                if keyword.arg == "default_factory":
                    return self._made(keyword.value, scope)
        raise Unreadable(f"call `{_source(node)}`")

    def _made(self, factory: ast.expr, scope: Scope) -> Any:
        if isinstance(factory, ast.Lambda):
            return self.value(factory.body, scope)
        if isinstance(factory, ast.Name) and factory.id in _BUILDERS:
            return _BUILDERS[factory.id]([])
        raise Unreadable(f"factory `{_source(factory)}`")

    def _returned(self, called: Definition) -> Any:
        """Return what a function without arguments returns at its end, branches aside."""
        body = called.node.body
        local = names_of(body, called.file)
        for statement in reversed(body):
            if isinstance(statement, ast.Return) and statement.value is not None:
                return self.value(statement.value, Scope(called.file, local))
        raise Unreadable(f"function `{called.node.name}`")

    @staticmethod
    def _iterate(value: Any) -> list[Any]:
        if isinstance(value, (set, frozenset)):
            return sorted(value, key=str)
        return list(value)


@dataclass(frozen=True, slots=True)
class _Import:
    module: str
    name: str  # "" where the module itself is imported


@dataclass(frozen=True, slots=True)
class _Module:
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
                table.setdefault(alias.asname or alias.name, _Import(module, alias.name))
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                module = alias.name if alias.asname else alias.name.split(".")[0]
                table.setdefault(alias.asname or module, _Import(module, ""))
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


def _is_enum(node: ast.ClassDef) -> bool:
    return any(call_name(base).rpartition(".")[2].endswith("Enum") for base in node.bases)


def _named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _source(node: ast.AST) -> str:
    source = ast.unparse(node)
    return source if len(source) <= 80 else source[:77] + "..."


_READERS: Mapping[type, Callable[[Evaluator, Any, Scope], Any]] = {
    ast.Constant: Evaluator._constant,
    ast.JoinedStr: Evaluator._text,
    ast.List: Evaluator._collection,
    ast.Tuple: Evaluator._collection,
    ast.Set: Evaluator._collection,
    ast.Dict: Evaluator._dict,
    ast.Name: Evaluator._name,
    ast.Attribute: Evaluator._attribute,
    ast.BinOp: Evaluator._operation,
    ast.UnaryOp: Evaluator._negative,
    ast.ListComp: Evaluator._comprehension,
    ast.SetComp: Evaluator._comprehension,
    ast.GeneratorExp: Evaluator._comprehension,
    ast.Subscript: Evaluator._subscript,
    ast.Call: Evaluator._call,
}
_OPERATIONS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: _bounded(left) * _bounded(right),
    ast.FloorDiv: lambda left, right: left // right,
    ast.Div: lambda left, right: left / right,
    ast.Pow: lambda left, right: _bounded(left) ** _bounded(right, 64),
    ast.LShift: lambda left, right: _bounded(left) << _bounded(right, 64),
    ast.BitOr: lambda left, right: left | right,
}
_BUILDERS: Mapping[str, Callable[[Iterable[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": set,
    "sorted": lambda items: sorted(items, key=str),
    "dict": dict,
}
_METHODS: Mapping[str, Callable[..., Any]] = {
    "keys": lambda owner: list(owner.keys()),
    "values": lambda owner: list(owner.values()),
    "copy": lambda owner: owner.copy(),
    "lower": lambda owner: owner.lower(),
    "upper": lambda owner: owner.upper(),
    "replace": lambda owner, old, new: owner.replace(old, new),
    "join": lambda owner, items: owner.join(items),
}


def _bounded(number: Any, limit: float = 2.0**64) -> Any:
    """Return a number that keeps an operation small: the sources are not trusted to be."""
    if not isinstance(number, (int, float)) or abs(number) > limit:
        raise ValueError(f"{type(number).__name__} out of bounds")
    return number
