"""Values in, cells and tables of Markdown out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kb.evaluation.metrics import Proportion

__all__ = ["Row", "percent", "share", "table"]

Row = Sequence[object]


def table(head: Row, rows: Iterable[Row]) -> str:
    """Return a table, numbers to the right; the first column is to the left."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def percent(value: float) -> str:
    """Return a share with one decimal."""
    return f"{value:.1%}"


def share(value: Proportion) -> str:
    """Return its value, a dash where there was nothing to count."""
    return percent(value.value) if value.n else "-"
