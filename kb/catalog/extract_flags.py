"""The options of the server's parser in one release: all three eras of their definition."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kb.catalog.extract_sources import Sources
from kb.catalog.extract_values import (
    Definition,
    EnumMember,
    Evaluator,
    Scope,
    Unreadable,
    call_name,
    names_of,
)
from kb.catalog.forms import FlagForm, JsonValue

__all__ = ["extract_flags"]

FILE = "srt/server_args.py"
_FLAG = re.compile(r"(?<![\w-])--[a-zA-Z][\w-]*\w")
# "Deprecated. Use …", "[Deprecated] …", "(Deprecated: use …)", "Note: --x is deprecated now …"
_DEPRECATED = re.compile(r"^\W*deprecated\b|\b(?:is|are) (?:now )?deprecated\b", re.IGNORECASE)
_TYPES = {"str": "str", "int": "int", "float": "float", "bool": "bool"}


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
                self._report(
                    statement, f"`{ast.unparse(statement)[:60]}` uses the parser", scope.file
                )

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
        inner, metadata = _annotated(entry.annotation)
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
        inner = _without_none(inner)
        name = call_name(inner.value if isinstance(inner, ast.Subscript) else inner)
        name = name.rpartition(".")[2]
        if name == "Literal" and isinstance(inner, ast.Subscript):
            values = inner.slice
            elements = values.elts if isinstance(values, ast.Tuple) else [values]
            keywords.setdefault("choices", ast.List(elts=elements, ctx=ast.Load()))
            first = elements[0].value if isinstance(elements[0], ast.Constant) else ""
            keywords.setdefault("type", ast.Name(id=type(first).__name__, ctx=ast.Load()))
        elif name in ("List", "list") and "type" not in keywords:
            element = inner.slice if isinstance(inner, ast.Subscript) else ast.Name(id="str")
            keywords["type"] = _plain_type(element)
            keywords.setdefault("nargs", ast.Constant("+"))
        elif name == "bool" and "type" not in keywords:
            keywords["action"] = ast.Constant("store_true")
        else:
            keywords.setdefault("type", _plain_type(inner))

    # --- era A, and what is still registered by hand ---

    def _add_argument(self, call: ast.Call, scope: Scope) -> None:
        keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        if len(keywords) != len(call.keywords):
            self._report(call, "add_argument(**…)", scope.file)
        options = []
        for argument in call.args:
            try:
                options.append(self.evaluator.value(argument, scope))
            except Unreadable as problem:
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
        help_text = _literal_text(keywords.get("help"))
        deprecated = deprecated or bool(_DEPRECATED.search(help_text))
        refusal = _literal_text(keywords.get("error_message"))
        default, expression = self._default(keywords, kind, scope)
        name = next((option for option in options if option.startswith("--")), options[0])
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
            self._report(action, f"action `{ast.unparse(action)}` is not found", scope.file)
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
            after = re.split(r"\b(?:use|set|via|by)\b", prose, maxsplit=1, flags=re.IGNORECASE)[1:]
            flags = tuple(flag for flag in _FLAG.findall(" ".join(after)) if flag != name)
            if flags:
                return flags[:1]
        return ()

    def _default(
        self, keywords: Mapping[str, ast.expr], kind: str, scope: Scope
    ) -> tuple[JsonValue, str | None]:
        node = keywords.get("default")
        if node is None:
            return (False if kind in ("store_true", "DeprecatedStoreTrueAction") else None), None
        node = self._field_default(node)
        if node is None:
            return None, None
        scope = Scope(node.file) if isinstance(node, _Default) else scope
        expression = node.node if isinstance(node, _Default) else node
        if call_name(expression).endswith("SUPPRESS"):
            return None, None
        try:
            return _json(self.evaluator.value(expression, scope)), None
        except Unreadable:
            return None, ast.unparse(expression)

    def _field_default(self, node: ast.expr) -> _Default | ast.expr | None:
        """Return the default of the field that `ServerArgs.x` or `_declared_default("x")` names."""
        name = ""
        if isinstance(node, ast.Attribute) and call_name(node.value) == "ServerArgs":
            name = node.attr
        elif isinstance(node, ast.Call) and call_name(node.func) == "_declared_default":
            name = _literal_text(node.args[0])
        if name not in self.fields:
            return node
        entry = self.fields[name]
        return None if entry.default is None else _Default(entry.default, entry.file)

    def _choices(
        self, node: ast.expr | None, scope: Scope, line: int
    ) -> tuple[JsonValue, ...] | None:
        if node is None:
            return None
        try:
            values = self.evaluator.value(node, scope)
        except Unreadable as problem:
            self.sources.report(scope.file, line, f"choices: {problem}")
            return None
        if values is None:
            return None
        if isinstance(values, (set, frozenset)):
            values = sorted(values, key=str)
        return tuple(dict.fromkeys(_json(value) for value in values))  # type: ignore[misc]

    def _known(self, node: ast.expr | None, scope: Scope, otherwise: Any, line: int = 0) -> Any:
        if node is None:
            return otherwise
        try:
            return self.evaluator.value(node, scope)
        except Unreadable as problem:
            self.sources.report(scope.file, line or node.lineno, str(problem))
            return otherwise

    def _report(self, node: ast.AST, what: str, file: str = FILE) -> None:
        self.sources.report(file, getattr(node, "lineno", 1), what)


@dataclass(frozen=True, slots=True)
class _Default:
    node: ast.expr
    file: str


def written_flags(stated: str) -> tuple[str, ...]:
    """Return "--a-{x,y}=z" as ("--a-x=z", "--a-y=z"): flags as one writes them."""
    found = []
    for word in re.findall(r"--\S+", stated):
        braces = re.search(r"\{([^{}]*)\}", word)
        for choice in braces[1].split(",") if braces else [""]:
            written = (
                word[: braces.start()] + choice.strip() + word[braces.end() :] if braces else word
            )
            found.append(written.rstrip(".,;'\"`"))
    return tuple(found)


def _flag_of(field: str) -> str:
    return "--" + field.replace("_", "-")


def _annotated(annotation: ast.expr) -> tuple[ast.expr, ast.expr | None]:
    """Return the type and the metadata of `A[T, "help"]` or `A[T, Arg(…)]`."""
    if not isinstance(annotation, ast.Subscript):
        return annotation, None
    if call_name(annotation.value).rpartition(".")[2] not in ("A", "Annotated"):
        return annotation, None
    parts = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
    for part in parts[1:]:
        is_call = isinstance(part, ast.Call)
        if is_call and call_name(part.func).rpartition(".")[2] == "Arg":  # type: ignore[attr-defined]
            return parts[0], part
        if not is_call and not isinstance(part, (ast.Name, ast.Attribute)):
            return parts[0], part  # a bare help text, in one piece or several
    return parts[0], None


def _without_none(annotation: ast.expr) -> ast.expr:
    """Return T of `Optional[T]`, `Union[T, None]` and `T | None`."""
    parts: list[ast.expr] = []
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        parts = [annotation.left, annotation.right]
    elif isinstance(annotation, ast.Subscript):
        outer = call_name(annotation.value).rpartition(".")[2]
        inside = annotation.slice
        if outer == "Optional":
            return inside
        if outer == "Union" and isinstance(inside, ast.Tuple):
            parts = inside.elts
    kept = [part for part in parts if not (isinstance(part, ast.Constant) and part.value is None)]
    return kept[0] if len(kept) == 1 else annotation


def _plain_type(node: ast.expr) -> ast.expr:
    """Return the converter of a type: argparse gets `str` for everything that is no number."""
    name = call_name(node)
    return ast.Name(id=name if name in ("int", "float") else "str", ctx=ast.Load())


def _type_name(node: ast.expr | None) -> str:
    return call_name(node) or ast.unparse(node)[:60] if node is not None else "str"


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


def _literal_text(node: ast.expr | None) -> str:
    """Return the literal pieces of a text: enough to see a deprecation and the flags it names."""
    if node is None:
        return ""
    return "".join(
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )


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


def _is_group(node: ast.expr, parsers: set[str]) -> bool:
    owner, _, method = (
        call_name(node.func).rpartition(".") if isinstance(node, ast.Call) else ("",) * 3
    )
    return owner in parsers and method in ("add_argument_group", "add_mutually_exclusive_group")


def _uses(statement: ast.stmt, parsers: set[str]) -> bool:
    return any(isinstance(node, ast.Name) and node.id in parsers for node in ast.walk(statement))


def _json(value: Any) -> JsonValue:
    """Return a value as JSON has it: sets sorted, enumeration members by their value."""
    if isinstance(value, EnumMember):
        return _json(value.value)
    if isinstance(value, (set, frozenset)):
        return sorted((_json(item) for item in value), key=str)
    if isinstance(value, (list, tuple)):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _json(item) for key, item in value.items()}
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise Unreadable(f"{type(value).__name__} is no plain value")
