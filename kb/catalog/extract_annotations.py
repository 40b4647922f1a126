"""Types of fields as their flags need them: metadata, optional types, converters."""

from __future__ import annotations

import ast

from kb.catalog.extract_names import call_name

__all__ = ["annotated", "plain_type", "without_none"]


def annotated(annotation: ast.expr) -> tuple[ast.expr, ast.expr | None]:
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


def without_none(annotation: ast.expr) -> ast.expr:
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


def plain_type(node: ast.expr) -> ast.expr:
    """Return the converter of a type: argparse gets `str` for everything that is no number."""
    name = call_name(node)
    return ast.Name(id=name if name in ("int", "float") else "str", ctx=ast.Load())
