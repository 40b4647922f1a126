"""`kb flags` and `kb catalog`: arguments and actions; results on stdout, talk on stderr."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kb.catalog.catalog import Catalog
from kb.catalog.flags import FlagVerdict, check_flag, flag_note
from kb.catalog.forms import FlagHistory, JsonValue, VariableHistory
from kb.catalog.variables import check_variable
from kb.settings import content_folder
from kb.strings import text
from kb.types import Language

__all__ = ["add_catalog_parser", "add_flags_parser", "protect_flag_name"]

_VALUED = ("--version", "--language", "--catalog")  # options of `kb flags` with a value
_SWITCHES = ("--json", "-h", "--help")
MAX_CHOICES_SHOWN = 60


def protect_flag_name(argv: Sequence[str]) -> list[str]:
    """Return the arguments with `--` before the NAME of `kb flags NAME`.

    NAME is a flag itself and would be taken for an option: `kb flags --tp --version 0.5.9`.
    """
    given = list(argv)
    if not given or given[0] != "flags" or "--" in given:
        return given
    own: list[str] = []
    names: list[str] = []
    rest = iter(given[1:])
    for argument in rest:
        if argument in _SWITCHES or ("=" in argument and argument.partition("=")[0] in _VALUED):
            own.append(argument)
        elif argument in _VALUED:
            own.extend([argument, *([value] if (value := next(rest, None)) is not None else [])])
        else:
            names.append(argument)
    return ["flags", *own, "--", *names] if names else given


def add_flags_parser(subparsers: Any) -> None:
    """Register `kb flags NAME [--version V] [--json] [--language ko|en]`."""
    parser = subparsers.add_parser(
        "flags",
        help="a flag or environment variable over the releases of SGLang",
        description="Say whether a version of SGLang accepts a flag (or reads an environment"
        " variable), what to write instead, and its history. Exit code 0: accepted or"
        " deprecated; 1: anything else; 2: the version is none.",
    )
    parser.add_argument("name", metavar="NAME", help="--flag, server_args field, VARIABLE")
    parser.add_argument("--version", metavar="V", help="of SGLang; default: the newest known")
    parser.add_argument("--language", choices=("ko", "en"), default="en")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--catalog", type=Path, metavar="FOLDER", help="default: the shipped one")
    parser.set_defaults(run=_run_flags)


def add_catalog_parser(subparsers: Any) -> None:
    """Register `kb catalog extract WHEEL_OR_FOLDER…` and `kb catalog count`."""
    parser = subparsers.add_parser(
        "catalog",
        help="read releases of SGLang into the catalogue",
        description="The catalogue of SGLang's flags, environment variables and messages.",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    extract = actions.add_parser(
        "extract",
        help="add releases, read from their wheels without importing them",
        description="Read released sglang wheels, sdists or unpacked folders and add them to the"
        " catalogue. Forms that cannot be read are named on stderr. Get a wheel with:"
        " pip download --no-deps --only-binary :all: --ignore-requires-python sglang==VERSION",
    )
    extract.add_argument("paths", nargs="+", type=Path, metavar="WHEEL_OR_FOLDER")
    extract.add_argument("--output", type=Path, metavar="FOLDER", help="default: the shipped one")
    extract.set_defaults(run=_run_extract)
    count = actions.add_parser("count", help="releases, flags, variables and messages in it")
    count.add_argument("--catalog", type=Path, metavar="FOLDER", help="default: the shipped one")
    count.add_argument("--json", action="store_true", help="print one JSON object")
    count.set_defaults(run=_run_count)


def _run_flags(args: argparse.Namespace) -> int:
    catalog = Catalog.load(args.catalog)
    is_variable = not args.name.startswith("-") and args.name.partition("=")[0].isupper()
    check = check_variable if is_variable else check_flag
    verdict = check(catalog, args.name, args.version)
    table = catalog.variables if is_variable else catalog.flags
    history = table.get(verdict.name or "")
    if args.json:
        _write(json.dumps(_as_json(verdict, history, args.language), ensure_ascii=False, indent=2))
    else:
        _write("\n".join(_as_text(verdict, history, args.language)))
    return 0 if verdict.status in ("accepted", "deprecated") else 1


def _run_extract(args: argparse.Namespace) -> int:
    from kb.catalog.extract import read_release
    from kb.catalog.release_set import ReleaseSet

    folder = args.output or content_folder() / "catalog"
    releases = ReleaseSet.read(folder)
    for path in args.paths:
        read = read_release(path)
        releases.add(read.extraction)
        found = read.extraction
        for form in read.unknown:
            sys.stderr.write(f"sglang {found.version}: {form}\n")
        sys.stderr.write(
            f"sglang {found.version}: {len(found.flags)} flags, {len(found.variables)} variables,"
            f" {len(found.messages)} messages; {len(read.unknown)} forms not read,"
            f" {read.wordless} calls that show values only\n"
        )
    releases.write(folder)
    _write(str(folder))
    return 0


def _run_count(args: argparse.Namespace) -> int:
    catalog = Catalog.load(args.catalog)
    counts = {
        "releases": len(catalog.releases),
        "oldest": catalog.releases[0],
        "newest": catalog.newest,
        "flags": len({history.name for history in catalog.flags.values()}),
        "spellings": len(catalog.flags),
        "variables": len(catalog.variables),
        "messages": len(catalog.messages),
    }
    lines = (f"{name}: {value}" for name, value in counts.items())
    _write(json.dumps(counts) if args.json else "\n".join(lines))
    return 0


def _as_json(
    verdict: FlagVerdict, history: FlagHistory | VariableHistory | None, language: Language
) -> dict[str, Any]:
    shown = asdict(verdict)
    del shown["reason"], shown["form"]
    shown["note"] = flag_note(verdict, language).note
    shown["history"] = [
        {"first": run.first, "last": run.last, **asdict(run.form)}
        for run in (history.runs if history else ())
    ]
    return shown


def _as_text(
    verdict: FlagVerdict, history: FlagHistory | VariableHistory | None, language: Language
) -> list[str]:
    lines = [flag_note(verdict, language).note]
    if verdict.status in ("accepted", "deprecated"):
        lines.append(text("flags.default", language, value=_shown(verdict.default)))
    if verdict.choices:
        some = [_shown(choice) for choice in verdict.choices[:MAX_CHOICES_SHOWN]]
        lines.append(text("flags.choices", language, values=", ".join(some)))
    if history is not None:
        lines.append(text("flags.history", language, name=history.name))
        lines.extend(_history_lines(history, language))
    return lines


def _history_lines(history: FlagHistory | VariableHistory, language: Language) -> list[str]:
    """Return a line for each stretch in which what an operator sees stays the same."""
    rows: list[tuple[str, str, str]] = []
    for run in history.runs:
        facts = [run.form.type or "switch"] if isinstance(history, FlagHistory) else []
        if run.form.expression or run.form.default is not None:
            value = run.form.expression or _shown(run.form.default)
            facts.append(text("flags.default", language, value=value))
        if run.form.deprecated:
            facts.append("deprecated")
        if run.form.replaced_by:
            facts.append("→ " + " ".join(run.form.replaced_by))
        said = ", ".join(facts)
        if rows and rows[-1][2] == said:
            rows[-1] = (rows[-1][0], run.last, said)
        else:
            rows.append((run.first, run.last, said))
    return [f"  {first} … {last}: {said}".rstrip(": ") for first, last, said in rows]


def _shown(value: JsonValue) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _write(result: str) -> None:
    sys.stdout.write(result + "\n")
