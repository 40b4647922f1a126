"""`kb embed`: a share of a build that is under way in a database, embedded here."""

from __future__ import annotations

import argparse

from kb.cli.build import progress_bar
from kb.cli.parsers import FOUND, Subparsers, add_command, add_settings, configured
from kb.errors import InputError

__all__ = ["add_embed_parser"]


def add_embed_parser(commands: Subparsers) -> None:
    """Register `kb embed` with the subcommands of `kb`."""
    parser = add_command(
        commands,
        "embed",
        "Embed a share of what `kb build --index postgresql://…` has to, beside it.",
        _run_embed,
        "kb embed --index postgresql://kb@db/kb --corpus docs",
        more="Run it on as many machines as there are, as often as you like.",
    )
    add_settings(parser, "index", "corpora")


def _run_embed(args: argparse.Namespace) -> int:
    from kb.postgres.connections import is_database
    from kb.postgres.embedding import embed_share

    settings = configured(args).settings
    if not is_database(settings.index) or len(settings.corpora) != 1:
        raise InputError("give --index with the postgresql:// URL, and --corpus once")
    done = embed_share(str(settings.index), settings.corpora[0], progress=progress_bar)
    print(f"{done} texts embedded here")
    return FOUND
