"""Looks for inputs whose time grows faster than they do: pieces of the corpus, repeated.

    python -m tests.fuzz.slow paste [FOLDER…] [--seconds 600]     # paste, command or markdown

A pattern that backtracks shows itself when the piece that it stumbles over comes again and again.
Prints each find; needs nothing installed. What is found is mended and becomes a test.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"
SIZE = 30_000  # bytes; the input is tried at this size and at four times it
LINEAR = 4
SUSPECT = 2.0  # times the linear growth
LEAST_SECONDS = 0.05  # shorter runs measure noise


def pieces(folders: list[Path], rng: random.Random) -> Iterator[bytes]:
    """Yield parts of the inputs in `folders` without end: lines, runs of them, and short cuts."""
    inputs = [path.read_bytes() for folder in folders for path in sorted(folder.iterdir())]
    while True:
        text = rng.choice(inputs)
        if not text:
            continue
        if rng.random() < 0.5:
            lines = text.split(b"\n")
            start = rng.randrange(len(lines))
            piece = b"\n".join(lines[start : start + rng.choice((1, 1, 2, 5))])
        else:
            start = rng.randrange(len(text))
            piece = text[start : start + rng.choice((1, 2, 3, 5, 8, 20, 60))]
        yield piece + rng.choice((b"", b"", b"\n", b" "))


def seconds(target: Callable[[bytes], None], raw: bytes) -> float:
    """Return the processor time of one run."""
    started = time.process_time()
    target(raw)
    return time.process_time() - started


def growth(target: Callable[[bytes], None], head: bytes, piece: bytes) -> tuple[float, float]:
    """Return the time at the larger size, and how much faster than the input it grew."""
    repeated = head + piece * (LINEAR * SIZE // max(1, len(piece)) + 1)
    large = seconds(target, repeated[: LINEAR * SIZE])
    if large < LEAST_SECONDS:
        return large, 0.0
    small = min(seconds(target, repeated[:SIZE]) for _ in range(2))
    return large, large / max(small, 1e-4) / LINEAR


def main() -> None:
    """Search for the given time."""
    parser = argparse.ArgumentParser(prog="tests.fuzz.slow")
    parser.add_argument("name", choices=TARGETS)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    target = TARGETS[args.name]
    target(b"x")
    end = time.monotonic() + args.seconds
    n = 0
    heads = pieces(args.folders or [CORPUS / args.name], rng)
    for piece in pieces(args.folders or [CORPUS / args.name], rng):
        if time.monotonic() > end:
            break
        if not piece:
            continue
        head = next(heads) if rng.random() < 0.3 else b""
        large, times = growth(target, head, piece)
        n += 1
        if times >= SUSPECT and growth(target, head, piece)[1] >= SUSPECT:
            print(f"{large:.2f} s, {times:.1f} times linear: {head!r} + {piece!r}", flush=True)
    print(f"{n} inputs tried")


if __name__ == "__main__":
    main()
