"""`kb mcp`: the knowledge base for coding agents."""

from __future__ import annotations

import argparse

from kb.cli.parsers import FOUND, Subparsers, add_command, add_settings, configured
from kb.errors import InputError

__all__ = ["add_mcp_parser"]


def add_mcp_parser(commands: Subparsers) -> None:
    """Register `kb mcp` with the subcommands of `kb`."""
    parser = add_command(
        commands,
        "mcp",
        "Serve coding agents by the Model Context Protocol, on standard input and output.",
        _run_mcp,
        "kb mcp",
        "kb mcp --http --port 7861",
        "kb mcp --http --host 0.0.0.0 --allow-host kb.example.com",
    )
    parser.add_argument("--http", action="store_true", help="serve streamable HTTP at /mcp instead")
    # Apart from those of `kb serve`, which may run on the same machine by the same settings.
    parser.add_argument(
        "--host", dest="http_host", help="address to listen on, with --http (127.0.0.1)"
    )
    parser.add_argument(
        "--port", dest="http_port", type=int, help="port to listen on, with --http (7861)"
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        metavar="NAME",
        help="a further name that clients call this machine by, with --http; can be repeated",
    )
    add_settings(parser, "index", "corpora", "hide_addresses", "max_paste_chars")


def _run_mcp(args: argparse.Namespace) -> int:
    from kb.serve.mcp import serve_http, serve_stdio

    effective = configured(args)
    if args.http:
        serve_http(
            args.http_host or "127.0.0.1",
            7861 if args.http_port is None else args.http_port,
            effective.index,
            allowed_hosts=args.allow_host or (),
            settings=effective.settings,
        )
    elif args.http_host is not None or args.http_port is not None or args.allow_host:
        raise InputError("--host, --port and --allow-host are for HTTP; give --http too")
    else:
        serve_stdio(effective.index, settings=effective.settings)
    return FOUND
