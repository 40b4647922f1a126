"""`kb doctor`: is a launch command right for a release of SGLang, flag by flag."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from kb.cli.parsers import FOUND, NOT_FOUND, Subparsers, add_command, add_json

__all__ = ["add_doctor_parser"]


def add_doctor_parser(commands: Subparsers) -> None:
    """Register `kb doctor` with the subcommands of `kb`."""
    parser = add_command(
        commands,
        "doctor",
        "Check a launch command against a release of SGLang: its flags and SGLANG_ variables.",
        _run_doctor,
        "kb doctor 'python3 -m sglang.launch_server --model-path M --tp 8' --version 0.5.9",
        "kb doctor --json < launch.sh",
        "kb doctor < deployment.yaml",
        more="Exit code 0: every flag is accepted and every variable is read; 1: one is not.",
    )
    parser.add_argument(
        "text",
        nargs="?",
        metavar="COMMAND",
        help="the command in quotes; without it standard input is read",
    )
    parser.add_argument("--version", metavar="V", help="release of SGLang (default: the newest)")
    add_json(parser, "flags[] and command")
    parser.add_argument(
        "--language", choices=("en", "ko"), default="en", help="of the notes (default: en)"
    )


def _run_doctor(args: argparse.Namespace) -> int:
    from kb.answer.diagnosis import diagnose

    given = args.text
    if given is None:
        # Bytes that are not UTF-8 are shown as such, as `kb ask` does.
        given = sys.stdin.buffer.read().decode("utf-8-sig", "replace")
    examination = diagnose(given, args.version, args.language)
    if args.json:
        print(json.dumps(asdict(examination.diagnosis), ensure_ascii=False, indent=2))
    else:
        print(examination.text)
    return FOUND if examination.is_fine else NOT_FOUND
