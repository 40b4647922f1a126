"""`kb serve`: the web chat and the HTTP API, until they are stopped."""

from __future__ import annotations

import argparse
from pathlib import Path

from kb.cli.parsers import FOUND, Subparsers, add_command, add_index
from kb.errors import InputError

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
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=7860, help="port to listen on (7860)")
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="an origin whose pages may frame the chat and call the API; may be repeated"
        " (default: KB_ALLOWED_ORIGINS, else none)",
    )
    parser.add_argument(
        "--root-path", metavar="PATH", help="sub-path of a reverse proxy (KB_ROOT_PATH)"
    )
    parser.add_argument(
        "--rate-limit",
        type=int,
        metavar="N",
        help="requests of one address a minute, 0: no limit (KB_RATE_LIMIT, else 240)",
    )
    parser.add_argument(
        "--feedback",
        metavar="URL_OR_FILE",
        help="keep votes and masked lines of unanswered questions in a SQLite file or at a"
        " postgresql:// URL (KB_FEEDBACK, else nothing is kept)",
    )
    parser.add_argument(
        "--print-csp",
        nargs="?",
        const="",
        metavar="ADDRESS",
        help="print the Content-Security-Policy for pages with the widget, and serve nothing;"
        " ADDRESS is where browsers reach this server (default: host, port and root path)",
    )
    parser.add_argument(
        "--portal",
        type=Path,
        metavar="FOLDER",
        help="with --print-csp, a built site; its own inline scripts and styles are allowed too",
    )
    add_index(parser)


def _run_serve(args: argparse.Namespace) -> int:
    import os

    from kb.feedback.commands import ENVIRONMENT
    from kb.serve.access import Access
    from kb.serve.chat import serve

    access = Access.from_environment(
        os.environ,
        allowed_origins=args.allow_origin,
        root_path=args.root_path,
        requests_per_minute=args.rate_limit,
    )
    if args.print_csp is not None:
        return _print_csp(args, access.root_path)
    if args.portal is not None:
        raise InputError("--portal is for the policy; give --print-csp too")
    serve(
        host=args.host,
        port=args.port,
        index=args.index,
        access=access,
        feedback=args.feedback or os.environ.get(ENVIRONMENT),
    )
    return FOUND


def _print_csp(args: argparse.Namespace, root_path: str) -> int:
    from kb.serve.widget import hash_inline, portal_policy

    inline = None if args.portal is None else hash_inline(args.portal)
    address = args.print_csp or f"http://{args.host}:{args.port}{root_path}"
    print(portal_policy(address, inline))
    return FOUND
