"""What the commands of `kb` share: how one is registered, and the arguments many of them take."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

__all__ = [
    "FAILED",
    "FOUND",
    "NOT_FOUND",
    "Parser",
    "Subparsers",
    "add_command",
    "add_index",
    "add_json",
    "add_language",
    "examples",
]

FOUND, NOT_FOUND, FAILED = 0, 1, 2  # exit codes

Subparsers = Any  # what `add_subparsers` returns; its class has no public name


class Parser(argparse.ArgumentParser):
    """An argparse parser whose mistakes end with exit code 2 and the way to help."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and how to get help, and end."""
        self.exit(FAILED, f"{self.prog}: {message}\n`{self.prog} -h` shows what is expected\n")


def examples(*lines: str) -> str:
    """Return the part of a help text that shows commands."""
    return "examples:\n" + "\n".join(f"  {line}" for line in lines)


def add_command(
    commands: Subparsers,
    name: str,
    summary: str,
    run: Callable[[argparse.Namespace], int],
    *shown: str,
    more: str = "",
) -> argparse.ArgumentParser:
    """Register a command whose help says `summary`, `more` and the examples `shown`.

    `run` gets the parsed arguments and returns the exit code.
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary} {more}".rstrip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=examples(*shown),
    )
    parser.set_defaults(run=run)
    return parser


def add_index(parser: argparse.ArgumentParser) -> None:
    """Let the command be told which index to use."""
    parser.add_argument(
        "--index", type=Path, metavar="FOLDER", help="index folder (default: the shipped one)"
    )


def add_language(
    parser: argparse.ArgumentParser, what: str = "of the answer (default: that of the question)"
) -> None:
    """Let the command be told a language; `what` says of what."""
    parser.add_argument("--language", choices=("ko", "en"), help=what)


def add_json(parser: argparse.ArgumentParser, what: str) -> None:
    """Let the command print `what` as JSON."""
    parser.add_argument("--json", action="store_true", help=f"print {what} as JSON")
