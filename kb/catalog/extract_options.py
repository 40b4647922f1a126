"""One option of the parser: what its keywords mean, whichever era declares it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kb.catalog.extract_deprecations import calls_deprecated, instead, written_flags
from kb.catalog.extract_names import call_name, literal_text, source_of
from kb.catalog.extract_sources import Sources
from kb.catalog.extract_values import Evaluator, Scope, UnreadableError, as_json
from kb.catalog.forms import FlagForm, JsonValue

__all__ = ["Field", "OptionReader", "flag_of"]

_SWITCHES = ("store_true", "store_false", "store_const", "append_const", "count", "help", "version")


@dataclass(frozen=True, slots=True)
class Field:
    """A field of ServerArgs, or of one of the namespaces it is assembled from."""

    name: str
    annotation: ast.expr
    default: ast.expr | None
    file: str


@dataclass(slots=True)
class OptionReader:
    """Reads the keywords of `add_argument` and of `Arg(…)` alike."""

    sources: Sources
    evaluator: Evaluator
    fields: dict[str, Field] = field(default_factory=dict)  # of ServerArgs, by name
    renamed: dict[str, str] = field(default_factory=dict)  # argparse's destination → field

    def read(
        self,
        options: list[str],
        keywords: Mapping[str, ast.expr],
        destination: str,
        scope: Scope,
        line: int,
    ) -> tuple[str, FlagForm]:
        """Return the option's name and form; what cannot be read goes to the report."""
        options = list(dict.fromkeys(options))
        kind, nargs, deprecated, refused = self._action(keywords, scope)
        if kind == "boolean_optional":
            options += [f"--no-{option[2:]}" for option in options if option.startswith("--")]
        given = self.known(keywords.get("nargs"), scope, nargs, line)
        help_text = literal_text(keywords.get("help"))
        deprecated = deprecated or calls_deprecated(help_text)
        refusal = literal_text(keywords.get("error_message"))
        default, expression = self._default(keywords, kind, scope)
        destination = self.renamed.get(destination, destination)
        # Eras order the spellings of an option differently; the field's own comes first here.
        long = [option for option in options if option.startswith("--")] or options
        name = flag_of(destination) if flag_of(destination) in long else long[0]
        replaced_by = self._replacement(keywords, help_text, refusal, name, scope)
        return name, FlagForm(
            field=destination,
            kind=kind,
            type=None if given == 0 else _type_name(keywords.get("type")),
            nargs=given,
            choices=self._choices(keywords.get("choices"), scope, line),
            default=default,
            expression=expression,
            required=bool(self.known(keywords.get("required"), scope, False, line)),
            aliases=tuple(option for option in options if option != name),
            deprecated=deprecated,
            refused=refused or bool(refusal),
            replaced_by=replaced_by if deprecated else (),
        )

    def _action(
        self, keywords: Mapping[str, ast.expr], scope: Scope
    ) -> tuple[str, int | str | None, bool, bool]:
        """Return kind, default nargs, whether deprecated, whether it only stops the program."""
        action = keywords.get("action")
        if action is None:
            return "store", None, False, False
        if isinstance(action, ast.Constant):
            kind = str(action.value)
            return kind, 0 if kind in _SWITCHES else None, False, False
        name = call_name(action).rpartition(".")[2]
        if name == "BooleanOptionalAction":
            return "boolean_optional", 0, False, False
        found = self.evaluator.definition(action, scope)
        if found is None or not isinstance(found.node, ast.ClassDef):
            self.sources.report(
                scope.file, action.lineno, f"action `{source_of(action)}` is not found"
            )
            return name, None, "Deprecated" in name, False
        nargs = _parameter_default(found.node, "nargs")
        return name, nargs, "Deprecated" in name, _stops(found.node)

    def _replacement(
        self,
        keywords: Mapping[str, ast.expr],
        help_text: str,
        refusal: str,
        name: str,
        scope: Scope,
    ) -> tuple[str, ...]:
        stated = self.known(keywords.get("new_flag"), scope, None)
        if isinstance(stated, str):
            return written_flags(stated)
        for prose in (refusal, help_text):
            written = tuple(flag for flag in instead(prose) if flag.partition("=")[0] != name)
            if written:
                return written
        return ()

    def _default(
        self, keywords: Mapping[str, ast.expr], kind: str, scope: Scope
    ) -> tuple[JsonValue, str | None]:
        node = keywords.get("default")
        if node is None:
            return (False if kind in ("store_true", "DeprecatedStoreTrueAction") else None), None
        field = self._field_named(node)
        expression = field.default if field is not None else node
        scope = Scope(field.file) if field is not None else scope
        if expression is None or call_name(expression).endswith("SUPPRESS"):
            return None, None
        try:
            return as_json(self.evaluator.value(expression, scope)), None
        except UnreadableError:
            return None, source_of(expression)

    def _field_named(self, node: ast.expr) -> Field | None:
        """Return the field whose default `ServerArgs.x` or `_declared_default("x")` is."""
        name = ""
        if isinstance(node, ast.Attribute) and call_name(node.value) == "ServerArgs":
            name = node.attr
        elif isinstance(node, ast.Call) and call_name(node.func) == "_declared_default":
            name = literal_text(node.args[0])
        return self.fields.get(name)

    def _choices(
        self, node: ast.expr | None, scope: Scope, line: int
    ) -> tuple[JsonValue, ...] | None:
        if node is None:
            return None
        try:
            values = self.evaluator.value(node, scope)
        except UnreadableError as problem:
            self.sources.report(scope.file, line, f"choices: {problem}")
            return None
        if values is None:
            return None
        if isinstance(values, (set, frozenset)):
            values = sorted(values, key=str)
        return tuple(dict.fromkeys(as_json(value) for value in values))

    def known(self, node: ast.expr | None, scope: Scope, otherwise: Any, line: int = 0) -> Any:
        """Return the value of `node`, `otherwise` if there is none or it cannot be read."""
        if node is None:
            return otherwise
        try:
            return self.evaluator.value(node, scope)
        except UnreadableError as problem:
            self.sources.report(scope.file, line or node.lineno, str(problem))
            return otherwise


def flag_of(field: str) -> str:
    """Return "--model-path" for "model_path"."""
    return "--" + field.replace("_", "-")


def _type_name(node: ast.expr | None) -> str:
    return call_name(node) or source_of(node) if node is not None else "str"


def _parameter_default(action: ast.ClassDef, name: str) -> int | str | None:
    for statement in action.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
            arguments = statement.args.args
            defaults = statement.args.defaults
            for argument, default in zip(arguments[-len(defaults) :], defaults, strict=False):
                if argument.arg == name and isinstance(default, ast.Constant):
                    return default.value  # type: ignore[return-value]
    return None


def _stops(action: ast.ClassDef) -> bool:
    """Whether using the option always ends in an error."""
    for statement in action.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "__call__":
            return isinstance(statement.body[-1], ast.Raise)
    return False
