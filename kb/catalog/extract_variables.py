"""The environment variables one release reads: declared in its registry, or read where needed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kb.catalog.extract_names import call_name, children, names_of, source_of
from kb.catalog.extract_registry import REGISTRY, read_registry, type_of, variable_form
from kb.catalog.extract_sources import Sources
from kb.catalog.extract_values import Evaluator, Scope, UnreadableError
from kb.catalog.forms import VariableForm

__all__ = ["VariableReader"]

_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]{2,}$")
_ENVIRON = ("os.environ", "environ")
_GETTERS = ("os.getenv", "getenv", "os.environ.get", "environ.get", "os.environ.setdefault")
_HELPER = re.compile(r"def \w*env\w*\(")


class VariableReader:
    """Collects the variables of a release, module by module."""

    def __init__(self, sources: Sources, evaluator: Evaluator) -> None:
        """Find the functions that read a variable by its name; their calls are reads too."""
        self.sources = sources
        self.evaluator = evaluator
        self.helpers = _helpers(sources)
        self.found: dict[str, VariableForm] = {}

    def read(self, file: str, tree: ast.Module) -> None:
        """Add what a module reads; names that are computed go to the report."""
        for name, form in _reads(file, tree, self.helpers, self.sources, self.evaluator):
            self.found.setdefault(name, form)

    def result(self) -> dict[str, VariableForm]:
        """Return the variables by name, the registry's word before what the reads say."""
        declared, deprecated = read_registry(self.sources, self.evaluator)
        found = {**self.found, **declared}
        for name, replaced_by in deprecated.items():
            form = found.get(name, VariableForm())
            found[name] = replace(form, deprecated=True, replaced_by=replaced_by)
        return found


@dataclass(frozen=True, slots=True)
class _Helper:
    """A function that reads the variable whose name it is given."""

    name_at: int  # position of the parameter that holds the variable's name
    default_at: int | None
    type: str | None


def _helpers(sources: Sources) -> dict[str, _Helper]:
    helpers: dict[str, _Helper] = {}
    for file in sorted(sources.texts):
        if not _HELPER.search(sources.texts[file]) or (tree := sources.tree(file)) is None:
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef) or "env" not in node.name.lower():
                continue
            names = [argument.arg for argument in node.args.args]
            for read in ast.walk(node):
                argument = _name_argument(read)
                if isinstance(argument, ast.Name) and argument.id in names:
                    at = names.index(argument.id)
                    default_at = names.index("default") if "default" in names else None
                    helpers[node.name] = _Helper(at, default_at, type_of(node.name))
                    break
    return helpers


def _name_argument(node: ast.AST) -> ast.expr | None:
    """Return the expression of the variable's name, if `node` reads the environment."""
    if isinstance(node, ast.Call) and call_name(node.func) in _GETTERS and node.args:
        return node.args[0]
    if isinstance(node, ast.Subscript) and call_name(node.value) in _ENVIRON:
        return node.slice if isinstance(node.ctx, ast.Load) else None
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return node.left if call_name(node.comparators[0]) in _ENVIRON else None
    return None


def _reads(
    file: str,
    tree: ast.Module,
    helpers: Mapping[str, _Helper],
    sources: Sources,
    evaluator: Evaluator,
) -> Iterator[tuple[str, VariableForm]]:
    text = sources.texts[file]
    if not ("environ" in text or "getenv" in text or any(name in text for name in helpers)):
        return
    scope = Scope(file)
    converted = {
        id(call.args[0]): call.func.id
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("int", "float")
        and call.args
    }
    for node, inner in _with_names(tree):
        argument, default, type_name = _name_argument(node), None, converted.get(id(node))
        if isinstance(node, ast.Call):
            helper = helpers.get(call_name(node.func).rpartition(".")[2])
            if argument is not None:
                default = node.args[1] if len(node.args) > 1 else None
            elif helper is not None:
                argument = _argument(node, helper.name_at, ("name", "key", "env_name", "env_var"))
                default = (
                    _argument(node, helper.default_at, ("default",))
                    if helper.default_at is not None
                    else None
                )
                type_name = helper.type or type_name
        if argument is None:
            continue
        try:
            names = _names(argument, inner, scope, evaluator)
        except UnreadableError as problem:
            line = getattr(node, "lineno", 1)
            if file != REGISTRY:  # whose own methods read by `self.name`
                sources.report(file, line, f"variable with a computed name: {problem}")
            continue
        form = variable_form(type_name, default, scope, evaluator)
        for name in names:
            if isinstance(name, str) and _NAME.match(name):
                yield name, form


def _names(
    argument: ast.expr, inner: Mapping[str, ast.expr | None], scope: Scope, evaluator: Evaluator
) -> list[Any]:
    """Return the variable's name; several in a loop over names, none for a helper's parameter."""
    local = {name: loop.elts[0] for name, loop in inner.items() if isinstance(loop, _Assigned)}
    scope = Scope(scope.file, local)
    if isinstance(argument, ast.Name) and argument.id in inner:
        loop = inner[argument.id]
        if loop is None:
            return []
        values = evaluator.value(loop, scope)
        if not isinstance(values, (list, tuple, set, dict)):
            raise UnreadableError(f"loop over `{source_of(loop)}`")
        return sorted(values, key=str)
    return [evaluator.value(argument, scope)]


class _Assigned(ast.List):
    """The one value of a local name, as a loop over it."""


def _with_names(tree: ast.Module) -> Iterator[tuple[ast.AST, Mapping[str, ast.expr | None]]]:
    """Yield every node with the parameters (None) and loop variables (what they run over) in it."""
    stack: list[tuple[ast.AST, dict[str, ast.expr | None]]] = [(tree, {})]
    while stack:
        node, names = stack.pop()
        yield node, names
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            arguments = node.args
            every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
            local = {} if isinstance(node, ast.Lambda) else names_of(node.body, "")
            assigned = {
                name: _Assigned(elts=[entry], ctx=ast.Load())
                for name, entry in local.items()
                if isinstance(entry, ast.expr)
            }
            names = {**names, **assigned, **dict.fromkeys(argument.arg for argument in every)}
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            names = {**names, **_loop_names(node.target, node.iter)}
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            for loop in node.generators:
                names = {**names, **_loop_names(loop.target, loop.iter)}
        stack.extend((child, names) for child in reversed(children(node)))


def _loop_names(target: ast.expr, iterable: ast.expr) -> dict[str, ast.expr | None]:
    if isinstance(target, ast.Name):
        return {target.id: iterable}
    first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else None
    if (
        isinstance(first, ast.Name)
        and isinstance(iterable, ast.Call)
        and isinstance(iterable.func, ast.Attribute)
        and iterable.func.attr == "items"
    ):
        return {first.id: iterable.func.value}
    return {}


def _argument(call: ast.Call, position: int, names: tuple[str, ...]) -> ast.expr | None:
    if position < len(call.args):
        return call.args[position]
    return next((keyword.value for keyword in call.keywords if keyword.arg in names), None)
