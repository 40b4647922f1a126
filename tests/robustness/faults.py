"""The table of faults: each test here says what it breaks, what happens, and what is lost.

`python -m tests.robustness.faults` writes FAULTS.md from the tests' own words; a test proves that
the file is current, and running the tests proves the words.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

TABLE = Path(__file__).with_name("FAULTS.md")
HEAD = """# Faults

Each row is a test in this folder that makes the fault for real and checks the other columns;
`python -m tests.robustness.faults` writes this page from them.

| fault | what happens | what is lost | test |
|---|---|---|---|
"""

Test = TypeVar("Test", bound=Callable[..., object])


def fault(what: str, happens: str, lost: str = "nothing") -> Callable[[Test], Test]:
    """Mark a test as the proof of one row of the table."""

    def mark(test: Test) -> Test:
        test.fault = (what, happens, lost)  # type: ignore[attr-defined]
        return test

    return mark


def table() -> str:
    """Return FAULTS.md as the tests of this folder say it."""
    rows = []
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        module = importlib.import_module(f"tests.robustness.{path.stem}")
        for name, test in vars(module).items():
            if hasattr(test, "fault"):
                what, happens, lost = test.fault
                rows.append(f"| {what} | {happens} | {lost} | `{path.stem}.{name}` |\n")
    return HEAD + "".join(rows)


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
