"""Reads one release of SGLang, from its wheel or folder, without importing any of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kb.catalog.extract_deprecations import apply_deprecations
from kb.catalog.extract_flags import extract_flags
from kb.catalog.extract_messages import MessageReader
from kb.catalog.extract_sources import Sources, UnknownForm
from kb.catalog.extract_values import Evaluator
from kb.catalog.extract_variables import VariableReader
from kb.catalog.release_set import Extraction

__all__ = ["ReadRelease", "read_release"]


@dataclass(frozen=True, slots=True)
class ReadRelease:
    """What was read of a release, and what could not be."""

    extraction: Extraction
    unknown: tuple[UnknownForm, ...]  # forms the extractor does not know, by file and line
    wordless: int  # calls that raise, log or print values without any text


def read_release(path: Path) -> ReadRelease:
    """Read a wheel, sdist or unpacked folder; CatalogError if it is none."""
    sources = Sources.from_path(path)
    evaluator = Evaluator(sources)
    flags = extract_flags(sources, evaluator)
    variables = VariableReader(sources, evaluator)
    messages = MessageReader(sources)
    for file, tree in sources.walk():
        variables.read(file, tree)
        messages.read(file, tree)
    found = variables.result()
    at_start = [
        template
        for template, (_, file) in messages.found.items()
        if file.startswith(("srt/server_args", "srt/arg_groups/"))
    ]
    apply_deprecations(flags, found, sorted(at_start))
    extraction = Extraction(
        version=sources.version,
        date=sources.date,
        flags=flags,
        variables=found,
        messages=messages.result(),
    )
    return ReadRelease(extraction, tuple(sorted(sources.unknown, key=str)), messages.wordless)
