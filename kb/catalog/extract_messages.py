"""The texts one release raises, logs, prints or answers with, as templates."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from kb.catalog.extract_names import call_name, children
from kb.catalog.extract_sources import Sources
from kb.catalog.message_texts import (
    VARIES,
    choices_of,
    joined,
    percent_template,
    says_something,
    template_of,
    texts_of,
)

__all__ = ["VARIES", "MessageReader"]


_LEVELS = ("debug", "info", "warning", "warn", "error", "exception", "critical", "fatal")
_LEVEL_NAMES = {"warn": "warning", "exception": "error", "fatal": "critical"}
_RAISED = re.compile(r"(?:Error|Exception|Exit|Abort)$")
_ANSWERED = re.compile(r"error_response|ErrorResponse|FINISH_ABORT|finish_with_abort|create_error")
_SHOWN = re.compile(r"(?:^|_)(?:log|print|warn|warning)(?:_|$)")
_BUILT = re.compile(
    r"(?:^|_)(?:msg|message|error|err|warning|hint|reason|detail|text)s?$", re.IGNORECASE
)
_SHOWING = (ast.Call, ast.Assert, ast.Assign, ast.AugAssign)
_BINDING = (ast.AnnAssign, ast.For, ast.AsyncFor, ast.NamedExpr)
_ANYTHING: ast.expr = ast.Name(id="…")  # a value that is not known
# Where a text stands in several places, the gravest of these kinds is kept.
_PRIORITY = (
    "raise",
    "assert",
    "response",
    "critical",
    "error",
    "warning",
    "info",
    "debug",
    "print",
    "text",
)


class MessageReader:
    """Collects the messages of a release, module by module."""

    def __init__(self, sources: Sources) -> None:
        """Read from `sources`, whose report takes what shows no text at all."""
        self.sources = sources
        self.found: dict[str, tuple[str, str]] = {}  # template → (kind, file)
        self._inside_errors: set[int] = set()  # nodes of exception classes of the module at hand
        self.wordless = 0  # calls that show values only: nothing to recognise them by

    def read(self, file: str, tree: ast.Module) -> None:
        """Add every text a module shows."""
        self._inside_errors = set()
        self._scope(tree.body, file, {})

    def result(self) -> dict[str, tuple[str, str]]:
        """Return for each template its kind and the file it stands in."""
        return self.found

    def _scope(
        self, body: Iterable[ast.stmt], file: str, outer: Mapping[str, list[ast.expr]]
    ) -> None:
        """Read statements that share their local names; functions inside have their own."""
        inside: list[ast.AST] = []
        functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
        stack: list[ast.AST] = list(body)
        while stack:
            node = stack.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                functions.append(node)
                stack.extend(node.decorator_list)
            else:
                if isinstance(node, ast.ClassDef) and _is_error(node):
                    self._inside_errors |= {id(inner) for inner in ast.walk(node)}
                elif isinstance(node, (*_SHOWING, *_BINDING)):
                    inside.append(node)
                stack.extend(children(node))
        names = dict(outer)
        for node in inside:
            for target, value in _bindings(node):
                names[target] = [*names.get(target, []), value]
        for node in inside:
            self._node(node, file, names)
        for function in functions:
            arguments = function.args
            every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
            given = {argument.arg: [_ANYTHING] for argument in every}
            self._scope(function.body, file, {**names, **given})

    def _node(self, node: ast.AST, file: str, names: Mapping[str, list[ast.expr]]) -> None:
        if isinstance(node, ast.Call):
            kind = _kind_of(node)
            if kind == "super" and id(node) in self._inside_errors:
                kind = "raise"
            if kind is not None and kind != "super":
                self._show(kind, node, file, names)
        elif isinstance(node, ast.Assert) and node.msg is not None:
            self._keep("assert", texts_of(node.msg, names), file)
        elif isinstance(node, (ast.Assign, ast.AugAssign)) and _is_built(node):
            texts = texts_of(node.value, names)
            if isinstance(node, ast.AugAssign):
                texts = [VARIES + text for text in texts]
            self._keep("text", texts, file)

    def _show(
        self, kind: str, call: ast.Call, file: str, names: Mapping[str, list[ast.expr]]
    ) -> None:
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        texts: list[str] = []
        if kind in _LEVELS and call.args:
            # logger.info("%s loaded", name): the rest fills the slots of the first
            texts = texts_of(call.args[0], names)
            if len(call.args) > 1:
                texts = [percent_template(text) for text in texts]
        if not any(says_something(text) for text in texts):
            texts = [text for value in values for text in texts_of(value, names)]
        if kind == "print" and len(call.args) > 1:
            texts = [joined(parts) for parts in choices_of([texts_of(a, names) for a in call.args])]
        if not self._keep(kind, texts, file):
            self.wordless += 1

    def _keep(self, kind: str, texts: Iterable[str], file: str) -> bool:
        kept = False
        for text in texts:
            template = template_of(text)
            if not says_something(template):
                continue
            kept = True
            known = self.found.get(template)
            if known is None or _rank(kind, file) < _rank(*known):
                self.found[template] = (kind, file)
        return kept


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the local names a statement binds, each with its value."""
    if isinstance(node, ast.Assign):
        pairs = [(target, node.value) for target in node.targets]
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        pairs = [(node.target, node.value)]
    elif isinstance(node, (ast.For, ast.AsyncFor)):
        pairs = [(node.target, _ANYTHING)]
    else:
        return
    for target, value in pairs:
        if isinstance(target, ast.Name):
            yield target.id, value
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                if isinstance(part, ast.Name):
                    yield part.id, _ANYTHING


def _rank(kind: str, file: str) -> tuple[bool, int, str]:
    """Order the places of one text: the server before its kernels and the diffusion program."""
    return not file.startswith("srt/"), _PRIORITY.index(kind), file


def _kind_of(call: ast.Call) -> str | None:
    """Return how a call shows its text: as an error, a log line, a print; None if it does not."""
    owner, _, name = call_name(call.func).rpartition(".")
    if not name:  # logging.getLogger("x").info(…), super().__init__(…)
        if not isinstance(call.func, ast.Attribute):
            return None
        name = call.func.attr
        inner = call.func.value
        owner = call_name(inner.func) if isinstance(inner, ast.Call) else ""
        if name == "__init__" and owner == "super":
            return "super"
    if _RAISED.search(name) or call_name(call.func) in ("sys.exit", "exit"):
        return "raise"
    if _ANSWERED.search(name):
        return "response"
    level = next((level for level in _LEVELS if level in name.lower().split("_")), None)
    if level and ("log" in owner.lower() or owner.endswith("parser") or _SHOWN.search(name)):
        return _LEVEL_NAMES.get(level, level)
    if level and not owner and name.endswith("_once"):
        return _LEVEL_NAMES.get(level, level)
    if name == "warn" or call_name(call.func) == "warnings.warn":
        return "warning"
    if name == "log" and "log" in owner.lower():
        return "info"
    if name == "write" and owner in ("sys.stderr", "sys.stdout"):
        return "print"
    if _SHOWN.search(name) and not owner.endswith(("math", "np", "torch")):
        return "print"
    return None


def _is_error(owner: ast.ClassDef) -> bool:
    return any(_RAISED.search(call_name(base)) for base in owner.bases)


def _is_built(node: ast.Assign | ast.AugAssign) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(
        _BUILT.search(target.id if isinstance(target, ast.Name) else target.attr)
        for target in targets
        if isinstance(target, (ast.Name, ast.Attribute))
    )
