"""`kb settings`: what `kb serve` would be set up by, and where each value comes from."""

from __future__ import annotations

import argparse
import json

from kb.cli.parsers import FOUND, Subparsers, add_command, add_json, add_settings, configured
from kb.settings.show import settings_as_json, settings_as_toml, settings_table

__all__ = ["add_settings_parser"]


def add_settings_parser(commands: Subparsers) -> None:
    """Register `kb settings` with the subcommands of `kb`."""
    parser = add_command(
        commands,
        "settings",
        "Print the settings in effect and where each comes from, secrets hidden.",
        _run_settings,
        "kb settings",
        "kb settings --port 8080 > kb.toml && kb serve --config kb.toml",
        "kb settings --json",
        more="It takes the flags of `kb serve`; what it prints is a file for --config.",
    )
    add_json(parser, "value and source of each")
    parser.add_argument(
        "--table", action="store_true", help="print a Markdown table of all settings there are"
    )
    add_settings(parser)


def _run_settings(args: argparse.Namespace) -> int:
    if args.table:
        print(settings_table())
        return FOUND
    effective = configured(args)
    if args.json:
        print(json.dumps(settings_as_json(effective), ensure_ascii=False, indent=2))
    else:
        print(settings_as_toml(effective))
    return FOUND
