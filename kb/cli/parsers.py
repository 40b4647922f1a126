"""What the commands of `kb` share: how one is registered, and the arguments many of them take."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from kb.settings.model import About, about
from kb.settings.sources import CONFIG, Configured, read_settings

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
    "add_settings",
    "configured",
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


def add_settings(parser: argparse.ArgumentParser, *names: str) -> None:
    """Let the command be told the settings `names`, all of them where none is named.

    What is given stays text, to be read by `read_settings` beside environment and file.
    """
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help=f"TOML file with settings ({CONFIG})"
    )
    for known in about():
        if known.flag is None or (names and known.name not in names):
            continue
        arguments: dict[str, Any] = {"metavar": known.flag.strip("-").split("-")[-1].upper()}
        if known.kind.is_switch:
            arguments = {"action": argparse.BooleanOptionalAction, "default": None}
        elif known.kind.is_list:
            arguments |= {"action": "append"}
        meaning = f"{known.meaning} ({known.variable}{_default(known)})"
        parser.add_argument(known.flag, dest=known.name, help=meaning, **arguments)


def _default(known: About) -> str:
    if known.default in (None, (), "", False):
        return ""
    return (
        f"; default: {known.default:g}"
        if isinstance(known.default, float)
        else f"; default: {known.default}"
    )


def configured(args: argparse.Namespace) -> Configured:
    """Return the settings in effect for a command with `add_settings`."""
    return read_settings(vars(args), os.environ, args.config)


def add_language(
    parser: argparse.ArgumentParser, what: str = "of the answer (default: that of the question)"
) -> None:
    """Let the command be told a language; `what` says of what."""
    parser.add_argument("--language", choices=("ko", "en"), help=what)


def add_json(parser: argparse.ArgumentParser, what: str) -> None:
    """Let the command print `what` as JSON."""
    parser.add_argument("--json", action="store_true", help=f"print {what} as JSON")
