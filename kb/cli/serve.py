"""`kb serve`: the web chat and the HTTP API, until they are stopped."""

from __future__ import annotations

import argparse
from pathlib import Path

from kb.cli.parsers import FOUND, Subparsers, add_command, add_settings, configured
from kb.errors import InputError
from kb.settings import Settings

__all__ = ["add_serve_parser"]


def add_serve_parser(commands: Subparsers) -> None:
    """Register `kb serve` with the subcommands of `kb`."""
    parser = add_command(
        commands,
        "serve",
        "Start the web chat and the HTTP API.",
        _run_serve,
        "kb serve",
        "kb serve --port 8080 --allow-origin https://docs.example.com",
        "kb serve --root-path /kb",
        "kb serve --print-csp https://kb.example.com --portal site",
    )
    add_settings(parser)
    parser.add_argument(
        "--print-csp",
        nargs="?",
        const="",
        metavar="ADDRESS",
        help="print the Content-Security-Policy for pages with the widget, and serve nothing;"
        " ADDRESS is where browsers reach this server (default: host, port and root path)",
    )
    parser.add_argument(
        "--print-systemd-unit", action="store_true", help="print a unit for systemd, and no more"
    )
    parser.add_argument(
        "--print-containerfile", action="store_true", help="print a Containerfile, and no more"
    )
    parser.add_argument(
        "--portal",
        type=Path,
        metavar="FOLDER",
        help="with --print-csp, a built site; its own inline scripts and styles are allowed too",
    )


def _run_serve(args: argparse.Namespace) -> int:
    if args.print_systemd_unit or args.print_containerfile:
        from kb.serve.deployment import CONTAINERFILE, SYSTEMD_UNIT

        print(SYSTEMD_UNIT if args.print_systemd_unit else CONTAINERFILE, end="")
        return FOUND
    effective = configured(args)
    if args.print_csp is not None:
        return _print_csp(args, effective.settings)
    if args.portal is not None:
        raise InputError("--portal is for the policy; give --print-csp too")
    from kb.serve.server import serve

    serve(effective.settings, index=effective.index)
    return FOUND


def _print_csp(args: argparse.Namespace, settings: Settings) -> int:
    from kb.serve.widget import hash_inline, portal_policy

    inline = None if args.portal is None else hash_inline(args.portal)
    address = args.print_csp or f"http://{settings.host}:{settings.port}{settings.root_path}"
    print(portal_policy(address, inline))
    return FOUND
