"""`kb eval`: labelled cases from a file or folder in, metrics out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kb.cli.parsers import FOUND, Subparsers, add_command, add_index, add_json, add_language
from kb.errors import InputError
from kb.evaluation.asked import read_asked
from kb.evaluation.golden import Case, read_golden, read_jsonl
from kb.knowledge_base import KnowledgeBase
from kb.version import __version__

__all__ = ["add_eval_parser", "read_cases"]

_SHOWN = (
    ("top1", "right section first"),
    ("top3", "right section among the first three"),
    ("in_scope_refused", "refused although in scope"),
    ("out_of_scope_refused", "refused because out of scope"),
    ("flags_printed", "an expected flag printed"),
    ("decisive_matched", "deciding line among the matched lines"),
)


def add_eval_parser(commands: Subparsers) -> None:
    """Register `kb eval` with the subcommands of `kb`."""
    parser = add_command(
        commands,
        "eval",
        "Measure the answers on labelled cases.",
        _run_eval,
        "kb eval tests/golden",
        "kb eval cases.jsonl --language ko --json --details outcomes.jsonl",
    )
    parser.add_argument("cases", type=Path, help="a .jsonl file or a folder of golden cases")
    add_language(parser, "of questions and answers")
    add_json(parser, "the metrics")
    parser.add_argument("--details", type=Path, metavar="FILE", help="write one JSON line a case")
    parser.add_argument("--ablate", action="store_true", help="also run the legs apart")
    parser.add_argument(
        "--report",
        type=Path,
        metavar="FOLDER",
        help="write REPORT.md with its plot there, and nothing else",
    )
    parser.add_argument(
        "--noise",
        type=int,
        default=5_000,
        metavar="LINES",
        help="healthy lines around each log in the report (default: 5000)",
    )
    add_index(parser)


def read_cases(path: Path) -> list[Case]:
    """Read a golden folder, one of questions, or a JSONL file; InputError where it is neither."""
    if (path / "in_scope.yaml").is_file():
        return read_asked(path)
    if path.is_dir():
        return read_golden(path)
    if path.is_file():
        return read_jsonl(path)
    raise InputError(f"{path} does not exist; give a .jsonl file or a folder of golden cases")


def _run_eval(args: argparse.Namespace) -> int:
    from kb.evaluation.runner import ablation, report, run_cases

    cases = read_cases(args.cases)
    base = KnowledgeBase.load(args.index)
    if args.report:
        return _write_report(args, base, cases)
    table = {case.id: case for case in cases}
    outcomes = run_cases(base, cases, args.language)
    result = report(outcomes, table)
    alone = run_cases(base, cases, args.language, "log_alone")
    result["log_alone"] = {
        name: value
        for name, value in report(alone, table).items()
        if name in ("n", "top1", "top3", "mrr", "in_scope_refused")
    }
    if args.ablate:
        result["ablation"] = ablation(base, cases, args.language)
    if args.details:
        lines = (json.dumps(asdict(o) | {"rank": o.rank}, ensure_ascii=False) for o in outcomes)
        args.details.write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = json.dumps(result, ensure_ascii=False, indent=2) if args.json else _as_text(result)
    sys.stdout.write(text + "\n")
    return FOUND


def _write_report(args: argparse.Namespace, base: KnowledgeBase, cases: list[Case]) -> int:
    from kb.evaluation.examples import RememberingEncoder
    from kb.evaluation.quality import ask_all_ways, measure_noise, of_left_out
    from kb.evaluation.quality_report import Configuration, write_report
    from kb.retrieval.fusion import WEIGHTS_FILE
    from kb.retrieval.index_folder import read_manifest

    made_by = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))["made_by"]
    manifest = read_manifest(Path(args.index or base.settings.index))
    base = KnowledgeBase(base.index, RememberingEncoder(base.encoder), base.settings)
    asked = ask_all_ways(base, cases, _progress("asked"))
    noise = measure_noise(base, cases, args.noise, progress=_progress("buried in noise"))
    configuration = Configuration(
        kb_version=__version__,
        encoder=base.index.encoder.name,
        content=manifest["content"],
        index=manifest["checksum"],
        cases=args.cases.as_posix(),
        weights=made_by,
    )
    path = write_report(args.report, configuration, asked, noise, of_left_out(asked, made_by))
    sys.stdout.write(f"{path}\n")
    return FOUND


def _progress(what: str) -> Callable[[int, int], None]:
    def show(done: int, total: int) -> None:
        if sys.stderr.isatty() or done == total:
            end = "\n" if done == total else ""
            sys.stderr.write(f"\r{what}: {done} of {total} cases{end}")
            sys.stderr.flush()

    return show


def _as_text(result: dict[str, Any]) -> str:
    rows = [f"{result['n']} cases, MRR {result['mrr']:.3f}"]
    for name, meaning in _SHOWN:
        interval = result["intervals"][name]
        rows.append(
            f"  {result[name]:6.1%}  {meaning}"
            f"  (95 %: {interval['low']:.1%} to {interval['high']:.1%}, n={interval['n']})"
        )
    alone = result["log_alone"]
    rows.append(f"  {alone['top1']:6.1%}  right section first from the log alone (n={alone['n']})")
    for name, row in result.get("ablation", {}).items():
        rows.append(f"  {row['top1']:6.1%}  {row['top3']:6.1%}  {row['mrr']:.3f}  legs: {name}")
    return "\n".join(rows)
