"""All contestants side by side, one Markdown table out.

    python -m pip install -r tests/benchmarks/requirements.txt
    python -m tests.benchmarks [--cases FILE.jsonl] [--work FOLDER] [--output FILE.md]

Each contestant runs in a process of its own, in every variant (splitter, dense or hybrid, both
languages or the query's own, the query as pasted or as this project's reader condenses it); the
table shows its best. `--work` keeps the vectors, so that a second run embeds nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks.table import PEERS, report

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("ours", *PEERS)


def run(name: str, work: Path, *options: str) -> Any:
    """Run one contestant and return what it prints."""
    command = [sys.executable, "-m", "tests.benchmarks.contestant", name, "--work", str(work)]
    done = subprocess.run([*command, *options], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def kept(path: Path, name: str, work: Path, *options: str) -> Any:
    """Return what an earlier run left at `path`, else run and leave it there."""
    if not path.is_file():
        path.write_text(json.dumps(run(name, work, *options)), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


def best_of(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the variant with the best mean of top-1 over the sets and languages."""

    def mean(result: dict[str, Any]) -> float:
        groups: dict[tuple[str, str], list[bool]] = {}
        for answer in result["answers"]:
            key = (answer["set"], answer["language"])
            groups.setdefault(key, []).append(answer["rank"] == 1)
        return sum(sum(group) / len(group) for group in groups.values()) / len(groups)

    return max(results, key=mean)


def main() -> None:
    """Run every contestant and write the report."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks")
    parser.add_argument("--cases", type=Path, help="a further JSONL file of labelled pastes")
    parser.add_argument("--work", type=Path, help="folder that keeps vectors and results")
    parser.add_argument("--output", type=Path, help="default: standard output")
    parser.add_argument("--only", nargs="*", choices=NAMES, default=NAMES)
    args = parser.parse_args()
    work = args.work or Path(tempfile.mkdtemp(prefix="benchmark-"))
    work.mkdir(parents=True, exist_ok=True)
    cases = ["--cases", str(args.cases)] if args.cases else []
    measured: dict[str, Any] = {}
    for name in args.only:
        results = kept(work / f"{name}.json", name, work, *cases)
        best = best_of(results)
        variant = (best["mode"], best["content"], best["text"])
        alone = kept(work / f"{name}-alone.json", name, work, *cases, "--memory", *variant)
        measured[name] = {"best": best, "variants": results, **alone}
    text = report(measured)
    if args.output:
        args.output.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
