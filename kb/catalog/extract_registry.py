"""The variables that `class Envs` declares, and what the registry says of old names."""

from __future__ import annotations

import ast
import re
from typing import Any

from kb.catalog.extract_deprecations import written_flags
from kb.catalog.extract_names import Definition, call_name, literal_text, source_of
from kb.catalog.extract_sources import Sources
from kb.catalog.extract_values import Evaluator, Scope, UnreadableError, as_json
from kb.catalog.forms import VariableForm

__all__ = ["REGISTRY", "read_registry", "type_of", "variable_form"]

REGISTRY = "srt/environ.py"
_TYPE_WORDS = ("bool", "int", "float", "str", "tuple", "json")


def read_registry(
    sources: Sources, evaluator: Evaluator
) -> tuple[dict[str, VariableForm], dict[str, tuple[str, ...]]]:
    """Return the declared variables, and what replaces each deprecated one."""
    tree = sources.tree(REGISTRY)
    declared: dict[str, VariableForm] = {}
    deprecated: dict[str, tuple[str, ...]] = {}
    if tree is None:
        return declared, deprecated
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == "Envs":
            for statement in node.body:
                if isinstance(statement, ast.Assign):
                    _declaration(statement, declared, deprecated, sources, evaluator)
        elif isinstance(node, ast.Call):
            deprecated.update(_deprecation_call(node, evaluator))
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Dict):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and "deprecated" in target.id.lower():
                deprecated.update(_deprecation_table(node.value))
    return declared, deprecated


def _declaration(
    statement: ast.Assign,
    declared: dict[str, VariableForm],
    deprecated: dict[str, tuple[str, ...]],
    sources: Sources,
    evaluator: Evaluator,
) -> None:
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Name) or target.id.startswith("_"):
        return
    if not isinstance(value, ast.Call) or not call_name(value.func).startswith("Env"):
        sources.report(REGISTRY, statement.lineno, f"variable `{target.id}` of an unknown kind")
        return
    keywords = {keyword.arg: keyword.value for keyword in value.keywords if keyword.arg}
    default = value.args[0] if value.args else keywords.get("default")
    declared[target.id] = variable_form(
        type_of(call_name(value.func)), default, Scope(REGISTRY), evaluator
    )
    old = literal_text(keywords.get("deprecated_name"))
    if old:
        deprecated[old] = (target.id,)


def _deprecation_call(call: ast.Call, evaluator: Evaluator) -> dict[str, tuple[str, ...]]:
    """Read `_print_deprecated_env(old, new)`; which is which is said by its parameters' names."""
    if "deprecated_env" not in call_name(call.func):
        return {}
    found = evaluator.definition(call.func, Scope(REGISTRY))
    if found is None or not isinstance(found.node, ast.FunctionDef):
        return {}
    names = [argument.arg for argument in found.node.args.args]
    given = {name: literal_text(value) for name, value in zip(names, call.args, strict=False)}
    given |= {keyword.arg or "": literal_text(keyword.value) for keyword in call.keywords}
    old = given.get("old_name") or given.get("env_name")
    if not old:
        return {}
    new = given.get("new_name")
    return {old: (new,) if new else _named_replacements(given.get("suggestion", ""), old)}


def _deprecation_table(table: ast.Dict) -> dict[str, tuple[str, ...]]:
    """Read `{"OLD": "NEW"}` and `{"OLD": _DeprecatedEnv(replacement=…, note=…)}`."""
    deprecated = {}
    for key, value in zip(table.keys, table.values, strict=True):
        old = literal_text(key)
        if not old:
            continue
        if isinstance(value, ast.Call):
            keywords = {keyword.arg: keyword.value for keyword in value.keywords}
            new = literal_text(value.args[0] if value.args else keywords.get("replacement"))
            note = literal_text(keywords.get("note"))
            deprecated[old] = (new,) if new else _named_replacements(note, old)
        else:
            new = literal_text(value)
            deprecated[old] = (new,) if new else ()
    return deprecated


def _named_replacements(prose: str, old: str) -> tuple[str, ...]:
    """Return the flag or variable that "Please use … instead" names."""
    use = re.search(r"\b(?:use|pass|set)\b(.*)", prose, re.IGNORECASE | re.DOTALL)
    if not use:
        return ()
    flags = written_flags(use[1])
    if flags:
        return flags[:1]
    names = [name for name in re.findall(r"\bSGLANG_[A-Z0-9_]+", use[1]) if name != old]
    return tuple(names[:1])


def variable_form(
    type_name: str | None, default: ast.expr | None, scope: Scope, evaluator: Evaluator
) -> VariableForm:
    """Return the form of a variable read with this default, where one is given."""
    if default is None:
        return VariableForm(type_name)
    try:
        value: Any = evaluator.resolve(default, scope)
        if isinstance(value, Definition):  # a function that computes the default
            return VariableForm(type_name, expression=source_of(default))
        return VariableForm(type_name, as_json(value))
    except UnreadableError:
        return VariableForm(type_name, expression=source_of(default))


def type_of(name: str) -> str | None:
    """Return "bool" for `EnvBool`, `EnvBoolWithAlias` and `get_bool_env_var`."""
    words = re.findall(r"[A-Z][a-z]+|[A-Z]+|[a-z]+", name)
    return next((word.lower() for word in words if word.lower() in _TYPE_WORDS), None)
