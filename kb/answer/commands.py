"""`kb doctor`: is a launch command right for a release of SGLang, flag by flag."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from kb.answer.check_command import CheckedOption, examine
from kb.answer.find_command import parse_command
from kb.answer.fix_flags import fix_flags
from kb.catalog.catalog import Catalog
from kb.catalog.versions import assumed_release, find_version
from kb.errors import InputError
from kb.strings import text
from kb.types import CommandAdvice, Language

__all__ = ["add_doctor_parser"]

ALL_FINE, PROBLEMS = 0, 1


def add_doctor_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Register `kb doctor` with the subcommands of `kb`."""
    summary = "Check a launch command against a release of SGLang, flag by flag."
    parser = subparsers.add_parser(
        "doctor",
        help=summary,
        description=f"{summary} Exit code 0: every flag is accepted; 1: one is not, or its value.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="examples:\n"
        "  kb doctor 'python3 -m sglang.launch_server --model-path M --tp 8' --version 0.5.9\n"
        "  kb doctor --json < launch.sh",
    )
    parser.add_argument(
        "text",
        nargs="?",
        metavar="COMMAND",
        help="the command in quotes; without it standard input is read",
    )
    parser.add_argument("--version", metavar="V", help="release of SGLang (default: the newest)")
    parser.add_argument("--json", action="store_true", help="print flags[] and command as JSON")
    parser.add_argument(
        "--language", choices=("en", "ko"), default="en", help="of the notes (default: en)"
    )
    parser.set_defaults(run=_run_doctor)


def _run_doctor(args: argparse.Namespace) -> int:
    language: Language = args.language
    given = args.text
    if given is None:
        # Bytes that are not UTF-8 are shown as such, as `kb ask` does.
        given = sys.stdin.buffer.read().decode("utf-8-sig", "replace")
    command = parse_command(given)
    if command is None or not command.options:
        raise InputError(text("doctor.no_command", language))
    catalog = Catalog.load()
    version = args.version
    if version is None:  # an image tag in the command says it too
        version = assumed_release(find_version(given.split("\n"), catalog), catalog)
    examined = examine(command, catalog, version, language)
    advice = fix_flags(command, catalog, version)
    release = catalog.judge(version).release
    if args.json:
        found = {
            "release": release,
            "flags": [asdict(checked.note) for checked in examined],
            "command": asdict(advice) if advice else None,
        }
        sys.stdout.write(json.dumps(found, ensure_ascii=False, indent=2) + "\n")
    else:
        judged_by = "doctor.judged_by" if version else "doctor.judged_by_newest"
        heading = text(judged_by, language, release=release)
        sys.stdout.write("\n".join([heading, *_lines(examined, advice, language)]) + "\n")
    return ALL_FINE if all(checked.is_fine for checked in examined) else PROBLEMS


def _lines(
    examined: tuple[CheckedOption, ...], advice: CommandAdvice | None, language: Language
) -> list[str]:
    lines = [
        f"  {'ok' if checked.is_fine else '!!'}  {checked.note.flag}  {checked.note.note}"
        for checked in examined
    ]
    if all(checked.is_fine for checked in examined):
        lines.append(text("doctor.all_fine", language))
    if advice is not None:
        lines += ["", text("doctor.suggested", language), advice.suggested]
    return lines
