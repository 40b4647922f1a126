"""The options of the server's parser in one release: all three eras of their definition."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from kb.catalog.extract_annotations import annotated, plain_type, without_none
from kb.catalog.extract_names import Definition, call_name, literal_text, names_of, source_of
from kb.catalog.extract_options import Field, OptionReader, flag_of
from kb.catalog.extract_sources import Sources
from kb.catalog.extract_values import Evaluator, Scope, UnreadableError
from kb.catalog.forms import SERVE_ONLY, FlagForm

__all__ = ["extract_flags"]

FILE = "srt/server_args.py"
SERVE = "cli/serve.py"  # `sglang serve`, which takes some flags out before the parser sees them


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
        self.options = OptionReader(sources, evaluator)

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
        self.options.renamed = _renamed_fields(found.node)
        self._register(register, FILE)
        self._add_serve_only()
        return self.flags

    def _read_fields(self, owner: Definition) -> None:
        assert isinstance(owner.node, ast.ClassDef)
        for statement in owner.node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                name = statement.target.id
                self.options.fields.setdefault(
                    name, Field(name, statement.annotation, statement.value, owner.file)
                )

    def _add_serve_only(self) -> None:
        """Add the flags that `sglang serve` compares its arguments with, if the parser has none."""
        known = {alias for form in self.flags.values() for alias in form.aliases} | set(self.flags)
        for node in ast.walk(self.sources.tree(SERVE) or ast.Module([], [])):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
                flag = literal_text(node.comparators[0])
                if flag.startswith("--") and len(flag) > 2 and flag not in known:
                    field = flag[2:].replace("-", "_")
                    self.flags[flag] = FlagForm(field, kind=SERVE_ONLY, type="str")

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
            for entry in self.options.fields.values():
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

    def _add_field(self, entry: Field) -> None:
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
        if self.options.known(keywords.get("no_cli"), scope, False):
            return
        options = [self.options.known(keywords.get("cli_name"), scope, None) or flag_of(entry.name)]
        options += self.options.known(keywords.get("aliases"), scope, None) or []
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
        field = self.options.known(keywords.pop("dest", None), scope, name)
        self._declare(options, keywords, field, scope, call.lineno)

    def _declare(
        self,
        options: list[str],
        keywords: Mapping[str, ast.expr],
        destination: str,
        scope: Scope,
        line: int,
    ) -> None:
        name, form = self.options.read(options, keywords, destination, scope, line)
        self.flags[name] = form

    def _report(self, node: ast.AST, what: str, file: str = FILE) -> None:
        self.sources.report(file, getattr(node, "lineno", 1), what)


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
