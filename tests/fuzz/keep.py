"""Keep of what a fuzzing run collected the smallest inputs that reach all the steps it reached.

    python -m tests.fuzz.keep paste FOLDER…     # into tests/fuzz/corpus/paste; the tests replay it

A step is a pair of lines of this project that follow each other. Inputs of at most `MAX_BYTES`
are considered, the smallest first, so that the corpus stays small. Needs nothing installed.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from tests.fuzz.targets import TARGETS

MAX_BYTES = 1_500
CORPUS = Path(__file__).parent / "corpus"
PROJECT = str(Path(__file__).parents[2] / "kb")


def steps_of(name: str, raw: bytes) -> set[tuple[str, int, int]]:
    """Return (file, line, next line) of what an input makes run."""
    found: set[tuple[str, int, int]] = set()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(PROJECT):
            return None
        last = frame.f_lineno

        def lines(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal last
            if event == "line":
                found.add((file, last, frame.f_lineno))
                last = frame.f_lineno
            return lines

        return lines

    sys.settrace(trace)
    try:
        TARGETS[name](raw)
    finally:
        sys.settrace(None)
    return found


def main() -> None:
    """Add to the kept corpus of a target what reaches more than it does."""
    name, folders = sys.argv[1], [Path(argument) for argument in sys.argv[2:]]
    kept = CORPUS / name
    kept.mkdir(parents=True, exist_ok=True)
    TARGETS[name](b"x")  # what is made once is no step of an input
    reached: set[tuple[str, int, int]] = set()
    for path in kept.iterdir():
        reached |= steps_of(name, path.read_bytes())
    paths = [path for folder in folders for path in folder.iterdir()]
    inputs = sorted(
        {path.read_bytes() for path in paths if path.stat().st_size <= MAX_BYTES}, key=len
    )
    for raw in inputs:
        new = steps_of(name, raw) - reached
        if new:
            reached |= new
            (kept / hashlib.sha256(raw).hexdigest()[:16]).write_bytes(raw)
    print(f"{name}: {len(list(kept.iterdir()))} inputs reach {len(reached)} steps")


if __name__ == "__main__":
    main()
