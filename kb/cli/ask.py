"""`kb ask` and `kb search`: a paste or a question in, sections out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from kb.cli.parsers import (
    FOUND,
    NOT_FOUND,
    Subparsers,
    add_command,
    add_json,
    add_language,
    add_settings,
    configured,
)

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

__all__ = ["add_ask_parser", "add_search_parser"]


def add_ask_parser(commands: Subparsers) -> None:
    """Register `kb ask` with the subcommands of `kb`."""
    parser = add_command(
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
    parser.add_argument(
        "--sglang-version",
        "--version",
        dest="sglang_version",
        metavar="V",
        help="your release of SGLang, if known",
    )
    parser.add_argument("--page", help="address of the page you read, or the id of its section")
    add_json(parser, "the Answer")
    add_language(parser)
    add_settings(parser, "index", "corpora", "hide_addresses")


def add_search_parser(commands: Subparsers) -> None:
    """Register `kb search` with the subcommands of `kb`."""
    parser = add_command(
        commands,
        "search",
        "List the sections nearest to a text.",
        _run_search,
        'kb search "서버가 멈춰요"',
        "kb search -k 10 --json NCCL < error.log",
    )
    parser.add_argument("text", nargs="*", help="what to look for; joined with standard input")
    parser.add_argument("-k", type=int, default=5, metavar="N", help="how many (default: 5)")
    add_json(parser, "the sections")
    add_language(parser)
    add_settings(parser, "index", "corpora", "hide_addresses")


def _run_ask(args: argparse.Namespace) -> int:
    from kb.answer.render import answer_to_text

    text = _text(args.text)
    with closing(_base(args)) as base:
        answer = base.ask(
            text, args.question, args.language, version=args.sglang_version, page=args.page
        )
    if args.json:
        print(json.dumps(answer.to_dict(), ensure_ascii=False, indent=2))
    else:
        print(answer_to_text(answer))
    return FOUND if answer.found else NOT_FOUND


def _run_search(args: argparse.Namespace) -> int:
    from dataclasses import asdict

    with closing(_base(args)) as base:
        sections = base.search(_text(args.text), args.k, args.language)
    if args.json:
        print(json.dumps([asdict(section) for section in sections], ensure_ascii=False, indent=2))
    else:
        for section in sections:
            where = f"{section.source.path}:{section.source.start_line}"
            print(f"{section.score:7.3f}  {section.id}  {section.title}  ({where})")
    return FOUND if sections else NOT_FOUND


def _base(args: argparse.Namespace) -> KnowledgeBase:
    from kb.knowledge_base import KnowledgeBase

    effective = configured(args)
    return KnowledgeBase.load(effective.index, settings=effective.settings)


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
