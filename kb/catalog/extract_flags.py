"""The options of the server's parser in one release: all three eras of their definition."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kb.catalog.extract_annotations import annotated, plain_type, without_none
from kb.catalog.extract_deprecations import calls_deprecated, instead, written_flags
from kb.catalog.extract_names import Definition, call_name, literal_text, names_of, source_of
from kb.catalog.extract_sources import Sources
from kb.catalog.extract_values import Evaluator, Scope, UnreadableError, as_json
from kb.catalog.forms import FlagForm, JsonValue

__all__ = ["extract_flags"]

FILE = "srt/server_args.py"


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of ServerArgs, or of one of the namespaces it is assembled from."""

    name: str
    annotation: ast.expr
    default: ast.expr | None
    file: str


def extract_flags(sources: Sources, evaluator: Evaluator) -> dict[str, FlagForm]:
    """Return the options by their first option string; what cannot be read goes to the report."""
    return _Extraction(sources, evaluator).run()


class _Extraction:
    def __init__(self, sources: Sources, evaluator: Evaluator) -> None:
        self.sources = sources
        self.evaluator = evaluator
        self.flags: dict[str, FlagForm] = {
            "--help": FlagForm("help", "help", nargs=0, aliases=("-h",))
        }
        self.fields: dict[str, _Field] = {}
        self.renamed: dict[str, str] = {}  # argparse's destination → field, where they differ

    def run(self) -> dict[str, FlagForm]:
        tree = self.sources.tree(FILE)
        found = names_of(tree.body, FILE).get("ServerArgs") if tree else None
        # Era C binds the name again to what it assembles; the class statement stands first.
        if not isinstance(found, Definition) or not isinstance(found.node, ast.ClassDef):
            self.sources.report(FILE, 1, "no class ServerArgs")
            return {}
        self._read_fields(found)
        namespaces = names_of(tree.body, FILE).get("_INPUT_NAMESPACES") if tree else None
        if isinstance(namespaces, (ast.List, ast.Tuple)):
            for item in namespaces.elts:
                namespace = self.evaluator.definition(item, Scope(FILE))
                if namespace is None:
                    self._report(item, "namespace of fields that is not found")
                else:
                    self._read_fields(namespace)
        register = next(
            (
                statement
                for statement in found.node.body
                if isinstance(statement, ast.FunctionDef) and statement.name == "add_cli_args"
            ),
            None,
        )
        if register is None:
            self.sources.report(FILE, found.node.lineno, "ServerArgs has no add_cli_args")
            return {}
        self.renamed = _renamed_fields(found.node)
        self._register(register, FILE)
        return self.flags

    def _read_fields(self, owner: Definition) -> None:
        assert isinstance(owner.node, ast.ClassDef)
        for statement in owner.node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                name = statement.target.id
                self.fields.setdefault(
                    name, _Field(name, statement.annotation, statement.value, owner.file)
                )

    # --- statements of add_cli_args ---

    def _register(self, function: ast.FunctionDef, file: str) -> None:
        parser = function.args.args[-1].arg if function.args.args else "parser"
        scope = Scope(file, names_of(function.body, file))
        self._statements(function.body, {parser}, scope)

    def _statements(self, body: Iterable[ast.stmt], parsers: set[str], scope: Scope) -> None:
        for statement in body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                self._call(statement.value, parsers, scope)
            elif isinstance(statement, ast.Assign) and _is_group(statement.value, parsers):
                parsers |= {
                    target.id for target in statement.targets if isinstance(target, ast.Name)
                }
            elif isinstance(statement, (ast.If, ast.With, ast.For, ast.Try)) and _uses(
                statement, parsers
            ):
                # Declared under a condition: catalogued as declared, since which side a machine
                # takes is not in the sources; a loop is not unrolled.
                if not isinstance(statement, ast.If):
                    self._report(statement, "options declared inside a loop or block", scope.file)
                self._statements(getattr(statement, "body", []), parsers, scope)
                self._statements(getattr(statement, "orelse", []), parsers, scope)
            elif not isinstance(statement, (ast.Import, ast.ImportFrom)) and _uses(
                statement, parsers
            ):
                self._report(statement, f"`{source_of(statement)}` uses the parser", scope.file)

    def _call(self, call: ast.Call, parsers: set[str], scope: Scope) -> None:
        name = call_name(call.func)
        owner, _, method = name.rpartition(".")
        if method == "add_argument" and owner in parsers:
            self._add_argument(call, scope)
        elif method.endswith("add_cli_args_from_dataclass"):
            for entry in self.fields.values():
                self._add_field(entry)
        elif any(
            isinstance(argument, ast.Name) and argument.id in parsers for argument in call.args
        ):
            found = self.evaluator.definition(call.func, scope)
            if found and isinstance(found.node, ast.FunctionDef):
                self._register(found.node, found.file)
            else:
                self._report(call, f"`{name}(parser)` is not found", scope.file)
        elif owner in parsers:
            self._report(call, f"`{name}` of the parser", scope.file)

    # --- eras B and C: a field with metadata is a flag ---

    def _add_field(self, entry: _Field) -> None:
        scope = Scope(entry.file)
        inner, metadata = annotated(entry.annotation)
        if metadata is None:
            return  # a field without a flag
        if isinstance(metadata, ast.Call):
            keywords = {keyword.arg: keyword.value for keyword in metadata.keywords if keyword.arg}
            if metadata.args:
                keywords.setdefault("help", metadata.args[0])
        else:
            keywords = {"help": metadata}
        if self._known(keywords.get("no_cli"), scope, False):
            return
        options = [self._known(keywords.get("cli_name"), scope, None) or _flag_of(entry.name)]
        options += self._known(keywords.get("aliases"), scope, None) or []
        if "type_parser" in keywords:
            keywords["type"] = keywords.pop("type_parser")
        for name, value in _action_keywords(keywords.pop("action_kwargs", None)).items():
            keywords[name] = value
        if "action" not in keywords:
            self._infer(inner, keywords, scope)
        if "default" not in keywords and entry.default is not None:
            keywords["default"] = entry.default
        if entry.default is None and "action" not in keywords and "required" not in keywords:
            keywords["required"] = ast.Constant(True)
        self._declare(options, keywords, entry.name, scope, entry.annotation.lineno)

    def _infer(self, inner: ast.expr, keywords: dict[str, ast.expr], scope: Scope) -> None:
        """Add what the type of a field says: `Literal` choices, `List` takes several, bool none."""
        inner = without_none(inner)
        name = call_name(inner.value if isinstance(inner, ast.Subscript) else inner)
        name = name.rpartition(".")[2]
        if name == "Literal" and isinstance(inner, ast.Subscript):
            values = inner.slice
            elements = values.elts if isinstance(values, ast.Tuple) else [values]
            keywords.setdefault("choices", ast.List(elts=elements, ctx=ast.Load()))
            first = (
                type(elements[0].value).__name__ if isinstance(elements[0], ast.Constant) else ""
            )
            keywords.setdefault("type", plain_type(ast.Name(id=first)))
        elif name in ("List", "list") and "type" not in keywords:
            element = inner.slice if isinstance(inner, ast.Subscript) else ast.Name(id="str")
            keywords["type"] = plain_type(element)
            keywords.setdefault("nargs", ast.Constant("+"))
        elif name == "bool" and "type" not in keywords:
            keywords["action"] = ast.Constant("store_true")
        else:
            keywords.setdefault("type", plain_type(inner))

    # --- era A, and what is still registered by hand ---

    def _add_argument(self, call: ast.Call, scope: Scope) -> None:
        keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        if len(keywords) != len(call.keywords):
            self._report(call, "add_argument(**…)", scope.file)
        options = []
        for argument in call.args:
            try:
                options.append(self.evaluator.value(argument, scope))
            except UnreadableError as problem:
                self._report(call, f"option string: {problem}", scope.file)
        if not options or not str(options[0]).startswith("-"):
            self._report(call, f"add_argument without an option string: {options}", scope.file)
            return
        long = next((option for option in options if option.startswith("--")), options[0])
        name = long.lstrip("-").replace("-", "_")
        field = self._known(keywords.pop("dest", None), scope, name)
        self._declare(options, keywords, field, scope, call.lineno)

    # --- both ---

    def _declare(
        self,
        options: list[str],
        keywords: Mapping[str, ast.expr],
        field: str,
        scope: Scope,
        line: int,
    ) -> None:
        options = list(dict.fromkeys(options))
        kind, nargs, deprecated, refused = self._action(keywords, scope)
        if kind == "boolean_optional":
            options += [f"--no-{option[2:]}" for option in options if option.startswith("--")]
        given = self._known(keywords.get("nargs"), scope, nargs, line)
        help_text = literal_text(keywords.get("help"))
        deprecated = deprecated or calls_deprecated(help_text)
        refusal = literal_text(keywords.get("error_message"))
        default, expression = self._default(keywords, kind, scope)
        field = self.renamed.get(field, field)
        # Eras order the spellings of an option differently; the field's own comes first here.
        long = [option for option in options if option.startswith("--")] or options
        name = _flag_of(field) if _flag_of(field) in long else long[0]
        self.flags[name] = FlagForm(
            field=field,
            kind=kind,
            type=None if given == 0 else _type_name(keywords.get("type")),
            nargs=given,
            choices=self._choices(keywords.get("choices"), scope, line),
            default=default,
            expression=expression,
            required=bool(self._known(keywords.get("required"), scope, False, line)),
            aliases=tuple(option for option in options if option != name),
            deprecated=deprecated,
            refused=refused or bool(refusal),
            replaced_by=self._replacement(keywords, help_text, refusal, name, scope)
            if deprecated
            else (),
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
            switch = kind in (
                "store_true",
                "store_false",
                "store_const",
                "append_const",
                "count",
                "help",
            )
            return kind, 0 if switch or kind == "version" else None, False, False
        name = call_name(action).rpartition(".")[2]
        if name == "BooleanOptionalAction":
            return "boolean_optional", 0, False, False
        found = self.evaluator.definition(action, scope)
        if found is None or not isinstance(found.node, ast.ClassDef):
            self._report(action, f"action `{source_of(action)}` is not found", scope.file)
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
        stated = self._known(keywords.get("new_flag"), scope, None)
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

    def _field_named(self, node: ast.expr) -> _Field | None:
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

    def _known(self, node: ast.expr | None, scope: Scope, otherwise: Any, line: int = 0) -> Any:
        if node is None:
            return otherwise
        try:
            return self.evaluator.value(node, scope)
        except UnreadableError as problem:
            self.sources.report(scope.file, line or node.lineno, str(problem))
            return otherwise

    def _report(self, node: ast.AST, what: str, file: str = FILE) -> None:
        self.sources.report(file, getattr(node, "lineno", 1), what)


def _flag_of(field: str) -> str:
    return "--" + field.replace("_", "-")


def _type_name(node: ast.expr | None) -> str:
    return call_name(node) or source_of(node) if node is not None else "str"


def _action_keywords(node: ast.expr | None) -> dict[str, ast.expr]:
    if isinstance(node, ast.Dict):
        return {
            key.value: value
            for key, value in zip(node.keys, node.values, strict=True)
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        }
    if isinstance(node, ast.Call) and call_name(node.func) == "dict":
        return {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    return {}


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


def _renamed_fields(owner: ast.ClassDef) -> dict[str, str]:
    """Read `args.tp_size = args.tensor_parallel_size` of `from_cli_args`: destination → field."""
    renamed = {}
    for function in owner.body:
        if isinstance(function, ast.FunctionDef) and function.name == "from_cli_args":
            for statement in function.body:
                if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Attribute):
                    target = statement.targets[0]
                    if isinstance(target, ast.Attribute):
                        renamed[statement.value.attr] = target.attr
    return renamed


def _is_group(node: ast.expr, parsers: set[str]) -> bool:
    owner, _, method = (
        call_name(node.func).rpartition(".") if isinstance(node, ast.Call) else ("",) * 3
    )
    return owner in parsers and method in ("add_argument_group", "add_mutually_exclusive_group")


def _uses(statement: ast.stmt, parsers: set[str]) -> bool:
    return any(isinstance(node, ast.Name) and node.id in parsers for node in ast.walk(statement))
