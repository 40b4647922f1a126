"""Small packages shaped like SGLang's releases, written to a folder for the extractor to read."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from kb.catalog.extract_flags import extract_flags
from kb.catalog.extract_sources import Sources
from kb.catalog.extract_values import Evaluator
from kb.catalog.forms import FlagForm

MINIMAL = """
class ServerArgs:
    model_path: str

    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--model-path", type=str, required=True)
"""


def write_package(folder: Path, version: str = "9.9.1", **modules: str) -> Path:
    """Write modules (`srt__environ="…"` is srt/environ.py) and a version; return the root."""
    modules.setdefault("srt__server_args", MINIMAL)
    modules.setdefault("version", f'__version__ = "{version}"\n')
    for name, text in modules.items():
        file = folder / "sglang" / (name.replace("__", "/") + ".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
    return folder


def read_flags(folder: Path, **modules: str) -> tuple[dict[str, FlagForm], list[str]]:
    """Write modules, extract the flags; return them and what was reported as unknown."""
    sources = Sources.from_path(write_package(folder, **modules))
    flags = extract_flags(sources, Evaluator(sources))
    return flags, [str(form) for form in sources.unknown]
