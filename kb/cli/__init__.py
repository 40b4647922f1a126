"""`kb`: the knowledge base from a terminal. Results on stdout, talk on stderr.

Exit codes: 0 found or done, 1 not found or problems found, 2 could not be asked or done.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code and prints no traceback for a KBError."""
    # Every group of commands imports `kb.cli.parsers`, and the program imports every group.
    from kb.cli.program import main as run

    return run(argv)
