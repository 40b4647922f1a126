"""`kb`: the knowledge base from a terminal. Results on stdout, talk on stderr.

Exit codes: 0 found or done, 1 not found or problems found, 2 could not be asked or done.
"""

from __future__ import annotations

from kb.cli.program import main

__all__ = ["main"]
