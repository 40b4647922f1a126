"""`kb gaps`: kept feedback in, a Markdown report out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kb.cli.parsers import FOUND, Subparsers, add_command, add_settings, configured
from kb.errors import InputError
from kb.feedback.gaps import stored_gaps
from kb.feedback.report import gaps_report
from kb.feedback.store import open_store

__all__ = ["add_gaps_parser"]


def add_gaps_parser(commands: Subparsers) -> None:
    """Register `kb gaps` with the subcommands of `kb`."""
    parser = add_command(
        commands,
        "gaps",
        "Report what readers asked that the documents don't answer, with drafts to start from.",
        _run_gaps,
        "kb gaps --feedback feedback.db",
        "kb gaps --feedback postgresql://kb@db/kb --output gaps.md",
    )
    add_settings(parser, "feedback")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="the report (default: standard output)"
    )
    parser.add_argument(
        "--all", action="store_true", help="also what maintainers have marked as done or ignored"
    )


def _run_gaps(args: argparse.Namespace) -> int:
    place = configured(args).settings.feedback
    if not place:
        raise InputError(
            "no feedback was named; give --feedback and the file or URL that `kb serve --feedback`"
            " was given, or set KB_FEEDBACK"
        )
    store = open_store(place, create=False)
    report = gaps_report(stored_gaps(store, with_closed=args.all))
    store.close()
    if args.output is None:
        sys.stdout.write(report)
        return FOUND
    try:
        args.output.write_text(report, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{args.output} cannot be written ({error}); give another file") from error
    return FOUND
