"""`kb lint`: a folder of Markdown in, findings and an exit code for CI out."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from kb.cli.parsers import FOUND, NOT_FOUND, Subparsers, add_command, add_json, add_language
from kb.errors import InputError
from kb.settings import content_folder

__all__ = ["add_lint_parser"]


def add_lint_parser(commands: Subparsers) -> None:
    """Register `kb lint` with the subcommands of `kb`."""
    parser = add_command(
        commands,
        "lint",
        "Check Markdown documents, one language or two; exit code 1 where something is wrong.",
        _run_lint,
        "kb lint",
        "kb lint docs --json",
        "kb lint docs --no-flags --ignore heading-jump",
    )
    parser.add_argument(
        "folder", type=Path, nargs="?", help="of Markdown files (default: the shipped content)"
    )
    add_json(parser, "the findings")
    add_language(parser, "look at its pages alone")
    parser.add_argument(
        "--strict",
        action="store_true",
        help="also report flags no release of SGLang has had, and new ones without their version"
        " (always on for the shipped content)",
    )
    parser.add_argument(
        "--no-flags", action="store_true", help="leave SGLang's flags and variables alone"
    )
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="RULE",
        help="leave a rule out, by its name in the findings; may be repeated",
    )


def _run_lint(args: argparse.Namespace) -> int:
    from kb.catalog import Catalog
    from kb.lint.linter import RULES, lint, rule_name

    names = [rule_name(rule) for rule in RULES]
    for name in args.ignore:
        if name not in names:
            raise InputError(
                f"--ignore {name}: there is no such rule; expected one of {', '.join(names)}"
            )
    shipped = content_folder()
    folder = args.folder or shipped
    findings = lint(
        folder,
        catalog=None if args.no_flags else Catalog.load(),
        strict=args.strict or folder.resolve() == shipped.resolve(),
        language=args.language,
        ignore=args.ignore,
    )
    if args.json:
        report = {"folder": str(folder), "findings": [asdict(finding) for finding in findings]}
        sys.stdout.write(json.dumps(report, ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.write("".join(f"{finding}\n" for finding in findings))
        n_files = len({finding.path for finding in findings})
        sys.stderr.write(
            f"{len(findings)} problems in {n_files} files of {folder}\n"
            if findings
            else f"{folder} is clean\n"
        )
    return NOT_FOUND if findings else FOUND
