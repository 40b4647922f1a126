"""`kb build`: a folder of Markdown in, an index out."""

from __future__ import annotations

import argparse
import sys

from kb.cli.parsers import FOUND, Subparsers, add_command, add_settings, configured
from kb.errors import InputError
from kb.settings.sources import DEFAULT

__all__ = ["add_build_parser"]


def add_build_parser(commands: Subparsers) -> None:
    """Register `kb build` with the subcommands of `kb`."""
    parser = add_command(
        commands,
        "build",
        "Index a folder of Markdown; only what changed is embedded again.",
        _run_build,
        "kb build --content docs --index docs-index",
        "kb build --content docs --index docs-index --encoder BAAI/bge-m3",
    )
    add_settings(parser, "content", "index", "encoder")


def _run_build(args: argparse.Namespace) -> int:
    from kb.knowledge_base import KnowledgeBase

    effective = configured(args)
    settings, index = effective.settings, effective.settings.index
    if effective.index is None and effective.sources["content"] != DEFAULT:
        raise InputError("--content without --index would replace the shipped index; give --index")
    built = KnowledgeBase.build(
        settings.content, index, encoder=settings.encoder, progress=_progress, settings=settings
    )
    print(
        f"{len(built.index.sections)} sections in {len(built.index.chunks)} chunks at {index}",
    )
    return FOUND


def _progress(done: int, total: int) -> None:
    """Draw a bar on stderr, where that is a terminal or at the end."""
    if sys.stderr.isatty() or done == total:
        filled = 30 * done // max(total, 1)
        end = "\n" if done == total else ""
        bar = "#" * filled + "." * (30 - filled)
        print(f"\rembedding [{bar}] {done}/{total}", end=end, file=sys.stderr, flush=True)
