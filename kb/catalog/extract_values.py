"""Reads the value of an expression from its syntax tree, over modules, without running anything."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kb.catalog.extract_names import (
    Definition,
    EnumMember,
    ImportedName,
    ModuleName,
    call_name,
    is_enum,
    is_named,
    names_of,
    source_of,
)
from kb.catalog.extract_sources import Sources
from kb.catalog.plain_values import BUILDERS, METHODS, OPERATIONS, UnreadableError, as_json

__all__ = ["Evaluator", "Scope", "UnreadableError", "as_json"]

MAX_DEPTH = 40  # of names that lead to names; deeper is a cycle
MAX_STEPS = 20_000  # for one value; more is made to take long


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
        self._steps = 0

    def value(self, node: ast.expr, scope: Scope) -> Any:
        """Return the value of `node` as constants and collections; UnreadableError otherwise."""
        found = self.resolve(node, scope)
        if isinstance(found, Definition):
            return self._members(found)
        if isinstance(found, ModuleName):
            raise UnreadableError(f"`{source_of(node)}` is a module")
        return found

    def resolve(self, node: ast.expr, scope: Scope) -> Any:
        """Return a value, or the Definition of the class or function that `node` names."""
        reader = _READERS.get(type(node)) or _READERS.get(type(node).__mro__[1])
        if reader is None:
            raise UnreadableError(f"{type(node).__name__} `{source_of(node)}`")
        self._steps = self._steps + 1 if self._depth else 0
        if self._depth >= MAX_DEPTH or self._steps >= MAX_STEPS:
            raise UnreadableError(f"names lead too far at `{source_of(node)}`")
        self._depth += 1
        try:
            return reader(self, node, scope)
        except (TypeError, ValueError, ArithmeticError, AttributeError, LookupError) as problem:
            raise UnreadableError(f"`{source_of(node)}`: {problem}") from problem
        finally:
            self._depth -= 1

    def definition(self, node: ast.expr, scope: Scope) -> Definition | None:
        """Return the class or function that `node` names, None if it is not of this package."""
        try:
            found = self.resolve(node, scope)
        except UnreadableError:
            return None
        return found if isinstance(found, Definition) else None

    def lookup(self, name: str, scope: Scope) -> Any:
        """Return what a name stands for in a scope; UnreadableError if it is not to be found."""
        if name in scope.local:
            entry: Any = scope.local[name]
            return self._entry(entry, scope)
        table = self._table(scope.file)
        if name not in table:
            file = self._starred(name, scope.file)
            if file is None:
                raise UnreadableError(f"name `{name}` is not defined in {scope.file}")
            return self.lookup(name, Scope(file))
        module = Scope(scope.file)
        return self._mutated(name, self._entry(table[name], module), module)

    def _entry(self, entry: Any, scope: Scope) -> Any:
        if isinstance(entry, ImportedName):
            return self._imported(entry)
        return self.resolve(entry, scope) if isinstance(entry, ast.expr) else entry

    def _imported(self, entry: ImportedName) -> Any:
        whole = self.sources.module_file(
            f"{entry.module}.{entry.name}" if entry.name else entry.module
        )
        file = self.sources.module_file(entry.module) if entry.name else None
        if file and (entry.name in self._table(file) or self._starred(entry.name, file)):
            return self.lookup(entry.name, Scope(file))
        if whole:
            return ModuleName(whole)
        raise UnreadableError(f"`{entry.module}.{entry.name}` is not of this package")

    def _starred(self, name: str, file: str) -> str | None:
        """Return the module from which `from … import *` brings a name into `file`."""
        entry = self._table(file).get("*")
        if not isinstance(entry, ImportedName):
            return None
        source = self.sources.module_file(entry.module)
        return source if source and name in self._table(source) else None

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
            if isinstance(statement, ast.AugAssign) and is_named(statement.target, name):
                value += self.value(statement.value, scope)
            elif (
                isinstance(statement, ast.Expr)
                and isinstance(call := statement.value, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and is_named(call.func.value, name)
                and call.func.attr in ("append", "extend", "add", "update")
            ):
                getattr(value, call.func.attr)(self.value(call.args[0], scope))
        return value

    def _members(self, found: Definition) -> Any:
        node = found.node
        if not isinstance(node, ast.ClassDef) or not is_enum(node):
            raise UnreadableError(f"`{node.name}` is no value")
        members = []
        for statement in node.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                name = statement.targets[0].id
                try:
                    value = self.value(statement.value, Scope(found.file))
                except UnreadableError:  # auto(): a StrEnum's is the name in lower case
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
        if isinstance(node, ast.Set):
            return set(items)
        return tuple(items) if isinstance(node, ast.Tuple) else items

    def _dict(self, node: ast.Dict, scope: Scope) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                result.update(self.value(value, scope))
            else:
                result[self.value(key, scope)] = self._orsource_of(value, scope)
        return result

    def _orsource_of(self, node: ast.expr, scope: Scope) -> Any:
        """Return the value, or its source: the keys of a table count even where values do not."""
        try:
            return self.value(node, scope)
        except UnreadableError:
            return source_of(node)

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        return self.lookup(node.id, scope)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        owner = self.resolve(node.value, scope)
        if isinstance(owner, ModuleName):
            return self.lookup(node.attr, Scope(owner.file))
        if isinstance(owner, EnumMember):
            return {"name": owner.name, "value": owner.value}[node.attr]
        if isinstance(owner, Definition) and isinstance(owner.node, ast.ClassDef):
            return self._class_attribute(owner, node.attr)
        raise UnreadableError(f"attribute `{source_of(node)}`")

    def _class_attribute(self, owner: Definition, name: str) -> Any:
        if isinstance(owner.node, ast.ClassDef) and is_enum(owner.node):
            return next(member for member in self._members(owner) if member.name == name)
        table = names_of(owner.node.body, owner.file)
        if name not in table:
            raise UnreadableError(f"`{owner.node.name}.{name}` is not declared")
        entry = table[name]
        return self.value(entry, Scope(owner.file, table)) if isinstance(entry, ast.expr) else entry

    def _operation(self, node: ast.BinOp, scope: Scope) -> Any:
        operate = OPERATIONS.get(type(node.op))
        if operate is None:
            raise UnreadableError(f"operator in `{source_of(node)}`")
        return operate(self.value(node.left, scope), self.value(node.right, scope))

    def _negative(self, node: ast.UnaryOp, scope: Scope) -> Any:
        value = self.value(node.operand, scope)
        return -value if isinstance(node.op, ast.USub) else not value

    def _comprehension(self, node: ast.ListComp | ast.SetComp, scope: Scope) -> Any:
        (loop,) = node.generators
        if not isinstance(loop.target, ast.Name) or loop.ifs:
            raise UnreadableError(f"`{source_of(node)}`")
        items = []
        for item in self._iterate(self.value(loop.iter, scope)):
            inner = Scope(scope.file, {**scope.local, loop.target.id: item})
            items.append(self.value(node.elt, inner))
        return items

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Any:
        return self.value(node.value, scope)[self.value(node.slice, scope)]

    def _call(self, node: ast.Call, scope: Scope) -> Any:
        name = call_name(node.func)
        if name in BUILDERS and len(node.args) <= 1 and not node.keywords:
            items = self._iterate(self.value(node.args[0], scope)) if node.args else []
            return BUILDERS[name](items)
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            owner = self.value(node.func.value, scope)
            arguments = [self.value(argument, scope) for argument in node.args]
            return METHODS[node.func.attr](owner, *arguments)
        called = self.definition(node.func, scope)
        if called and isinstance(called.node, ast.FunctionDef) and not (node.args or node.keywords):
            return self._returned(called)
        if name in ("field", "dataclasses.field", "msgspec.field"):
            for keyword in node.keywords:
                if keyword.arg == "default":
                    return self.value(keyword.value, scope)
                if keyword.arg == "default_factory":
                    return self._made(keyword.value, scope)
        raise UnreadableError(f"call `{source_of(node)}`")

    def _made(self, factory: ast.expr, scope: Scope) -> Any:
        if isinstance(factory, ast.Lambda):
            return self.value(factory.body, scope)
        if isinstance(factory, ast.Name) and factory.id in BUILDERS:
            return BUILDERS[factory.id]([])
        raise UnreadableError(f"factory `{source_of(factory)}`")

    def _returned(self, called: Definition) -> Any:
        """Return what a function without arguments returns at its end, branches aside."""
        body = called.node.body
        local = names_of(body, called.file)
        for statement in reversed(body):
            if isinstance(statement, ast.Return) and statement.value is not None:
                return self.value(statement.value, Scope(called.file, local))
        raise UnreadableError(f"function `{called.node.name}`")

    @staticmethod
    def _iterate(value: Any) -> list[Any]:
        if isinstance(value, (set, frozenset)):
            return sorted(value, key=str)
        return list(value)


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
