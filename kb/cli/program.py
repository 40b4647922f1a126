"""The whole command line: arguments in, the command's exit code out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from kb.cli.ask import add_ask_parser, add_search_parser
from kb.cli.build import add_build_parser
from kb.cli.catalog import add_catalog_parser, add_flags_parser, protect_flag_name
from kb.cli.doctor import add_doctor_parser
from kb.cli.embed import add_embed_parser
from kb.cli.mcp import add_mcp_parser
from kb.cli.parsers import FAILED, FOUND, Parser, examples
from kb.cli.serve import add_serve_parser
from kb.cli.settings import add_settings_parser
from kb.errors import KBError
from kb.evaluation.commands import add_eval_parser
from kb.feedback.commands import add_gaps_parser
from kb.lint.commands import add_lint_parser
from kb.pages.commands import add_pages_parser
from kb.version import __version__

__all__ = ["main"]

# In the order of the help text.
_COMMANDS = (
    add_ask_parser,
    add_search_parser,
    add_build_parser,
    add_embed_parser,
    add_serve_parser,
    add_settings_parser,
    add_mcp_parser,
    add_gaps_parser,
    add_eval_parser,
    add_doctor_parser,
    add_flags_parser,
    add_catalog_parser,
    add_lint_parser,
    add_pages_parser,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code and prints no traceback for a KBError."""
    arguments = protect_flag_name(list(sys.argv[1:] if argv is None else argv))
    try:
        args = _parser().parse_args(arguments)
        return int(args.run(args))
    except KBError as error:
        print(f"kb: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:  # the reader, `head` perhaps, has seen enough
        sys.stderr.close()
        return FOUND
    except KeyboardInterrupt:
        print("kb: stopped", file=sys.stderr)
        return FAILED


def _parser() -> Parser:
    parser = Parser(
        prog="kb",
        description="Troubleshooting knowledge base for SGLang servers.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=examples(
            "kb ask < error.log", 'kb ask "CUDA out of memory" --language ko', "kb serve"
        ),
    )
    parser.add_argument("--version", action="version", version=f"kb {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add_parser in _COMMANDS:
        add_parser(commands)
    return parser
