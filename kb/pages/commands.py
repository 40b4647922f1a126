"""`kb pages`: write the made pages into the content, or say whether they are current."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kb.catalog import Catalog
from kb.cli.parsers import FOUND, NOT_FOUND, Subparsers, add_command
from kb.corpus.documents import read_corpus
from kb.pages.changes import changes_page
from kb.pages.contents import contents_page
from kb.settings import content_folder
from kb.strings import text
from kb.types import Language

__all__ = ["add_pages_parser", "made_pages"]

CONTENTS, CHANGES = "contents.md", "version-changes.md"
LANGUAGES: tuple[Language, Language] = ("en", "ko")


def made_pages(content: Path, catalog: Catalog) -> dict[Path, str]:
    """Return the text of each made page by its path in `content`."""
    corpus = read_corpus(content, strict=False)
    pages = {}
    for language in LANGUAGES:
        folder = content / language
        further = f"- [{text('pages.changes_title', language)}]({CHANGES})"
        pages[folder / CONTENTS] = contents_page(corpus, language, further)
        pages[folder / CHANGES] = changes_page(catalog, language)
    return pages


def add_pages_parser(commands: Subparsers) -> None:
    """Register `kb pages` with the subcommands of `kb`."""
    parser = add_command(
        commands,
        "pages",
        "Write the pages that are made: the contents, and what each version changed.",
        _run_pages,
        "kb pages",
        "kb pages --check",
    )
    parser.add_argument(
        "--content", type=Path, metavar="FOLDER", help="with en/ and ko/ (default: the shipped one)"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit code 1 where a page is not current",
    )


def _run_pages(args: argparse.Namespace) -> int:
    stale = [
        (path, made)
        for path, made in made_pages(args.content or content_folder(), Catalog.load()).items()
        if not path.is_file() or path.read_text(encoding="utf-8") != made
    ]
    for path, made in stale:
        if not args.check:
            path.write_text(made, encoding="utf-8", newline="\n")
        sys.stdout.write(f"{path}\n")
    sys.stderr.write(f"{len(stale)} pages {'are not current' if args.check else 'written'}\n")
    return NOT_FOUND if args.check and stale else FOUND
