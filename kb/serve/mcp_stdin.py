"""Standard input in, the same in its place with each half of a surrogate pair replaced.

A log that an agent cut inside an emoji holds half a pair, which JSON can say (`\\ud83d`) and UTF-8
cannot. The SDK drops such a message without an answer, and the agent would wait for ever.
"""

from __future__ import annotations

import os
import re
import threading
from contextlib import suppress

__all__ = ["mend_stdin", "without_half_pairs"]

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
# Every escape, so that `\\ud83d`, a backslash and then letters, is not taken for one.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|.)",
    re.DOTALL,
)


def without_half_pairs(line: bytes) -> bytes:
    """Return a line of JSON with the escape of every lone surrogate made U+FFFD."""
    if not _SURROGATE.search(line):
        return line
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found["half"] else found[0], line)


def mend_stdin() -> None:
    """Put a pipe in the place of file descriptor 0 and fill it from what was there.

    To be called once, before anything is read from `sys.stdin`.
    """
    given = os.dup(0)
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.close(reading)
    threading.Thread(target=_pump, args=(given, writing), daemon=True).start()


def _pump(given: int, writing: int) -> None:
    # A broken pipe: the server has ended before its client did.
    with suppress(BrokenPipeError), open(given, "rb") as lines, open(writing, "wb") as mended:
        for line in lines:
            mended.write(without_half_pairs(line))
            mended.flush()
