"""`kb build`: a folder of Markdown in, an index out."""

from __future__ import annotations

import argparse
import sys

from kb.cli.parsers import FOUND, Subparsers, add_command, add_settings, configured
from kb.corpus.parallel import all_processors
from kb.errors import InputError
from kb.settings.sources import DEFAULT

__all__ = ["add_build_parser", "progress_bar"]


def add_build_parser(commands: Subparsers) -> None:
    """Register `kb build` with the subcommands of `kb`."""
    parser = add_command(
        commands,
        "build",
        "Index a folder of Markdown; only what changed is embedded again.",
        _run_build,
        "kb build --content docs --index docs-index",
        "kb build --content docs --index docs-index --encoder BAAI/bge-m3",
        "kb build --content docs --index postgresql://kb@db/kb --corpus docs --reader portal",
    )
    add_settings(parser, "content", "index", "corpora", "encoder")
    parser.add_argument(
        "--processes",
        type=int,
        default=all_processors(),
        metavar="N",
        help="processes that read and cut many pages, by default one a processor (%(default)s)",
    )
    parser.add_argument(
        "--reader",
        action="append",
        default=[],
        metavar="ROLE",
        help="a role of the database that may read the corpus from now on; may be repeated",
    )


def _run_build(args: argparse.Namespace) -> int:
    from kb.knowledge_base import KnowledgeBase

    effective = configured(args)
    settings, index = effective.settings, effective.settings.index
    if effective.index is None and effective.sources["content"] != DEFAULT:
        raise InputError("--content without --index would replace the shipped index; give --index")
    if len(settings.corpora) > 1:
        raise InputError("a build publishes one corpus; give --corpus once")
    built = KnowledgeBase.build(
        settings.content,
        index,
        encoder=settings.encoder,
        progress=progress_bar,
        settings=settings,
        corpus=settings.corpora[0] if settings.corpora else None,
        readers=args.reader,
        processes=args.processes,
    )
    status = built.index.status
    if status.generations is None:
        print(f"{built.index.n_sections} sections at {index}")
    else:
        for corpus, generation in status.generations.items():
            print(f"{built.index.n_sections} sections in {corpus}, generation {generation}")
    built.close()
    return FOUND


def progress_bar(done: int, total: int) -> None:
    """Draw a bar on stderr, where that is a terminal or at the end."""
    if sys.stderr.isatty() or done == total:
        filled = 30 * done // max(total, 1)
        end = "\n" if done == total else ""
        bar = "#" * filled + "." * (30 - filled)
        print(f"\rembedding [{bar}] {done}/{total}", end=end, file=sys.stderr, flush=True)
