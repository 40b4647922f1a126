"""`kb gaps`: kept feedback in, a Markdown report out."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from kb.errors import InputError
from kb.feedback.gaps import gaps_report
from kb.feedback.store import open_store

__all__ = ["ENVIRONMENT", "add_gaps_parser", "run_gaps"]

ENVIRONMENT = "KB_FEEDBACK"  # a URL with a password belongs here: flags can be read by other users


def add_gaps_parser(parser: argparse.ArgumentParser) -> None:
    """Register the arguments of `kb gaps` on `parser`."""
    parser.add_argument(
        "--feedback",
        metavar="URL_OR_FILE",
        help=f"where `kb serve --feedback` keeps it (default: {ENVIRONMENT})",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="the report (default: standard output)"
    )


def run_gaps(args: argparse.Namespace) -> int:
    """Write the report; returns exit code 0. Raises FeedbackError, InputError."""
    place = args.feedback or os.environ.get(ENVIRONMENT)
    if not place:
        raise InputError(
            "no feedback was named; give --feedback and the file or URL that `kb serve --feedback`"
            f" was given, or set {ENVIRONMENT}"
        )
    store = open_store(place, create=False)
    report = gaps_report(store.unanswered(), store.votes())
    store.close()
    if args.output is None:
        sys.stdout.write(report)
        return 0
    try:
        args.output.write_text(report, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{args.output} cannot be written ({error}); give another file") from error
    return 0
