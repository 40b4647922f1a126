"""The lines of a paste in, what stands in front of nearly all of them out.

`kb.query.log_lines` knows the prefixes of loggers and containers; this is for those it cannot
know: a mail's `> `, the names of machines that pdsh prints.
"""

from __future__ import annotations

import re

from kb.query.log_lines import read_line

__all__ = ["common_prefix"]

# A prefix of no known form: the first word of a paste, where nearly all of its lines begin so.
_PREFIX_TOKEN = re.compile(r"(?:[\w.@-]{1,80}[:|]|[>|]) ")
MIN_PREFIX_LINES, MAX_PREFIX_LINES, PREFIX_SHARE = 3, 200, 0.9


def common_prefix(raw_lines: list[str]) -> str:
    """Return what stands in front of nearly every line, "" where nothing does.

    A level or the name of an exception is no such thing, however often it is printed.
    """
    sample = [line for line in raw_lines[:MAX_PREFIX_LINES] if line and not line.isspace()]
    if len(sample) < MIN_PREFIX_LINES:
        return ""
    found = _PREFIX_TOKEN.match(sample[0])
    if found is None or read_line(1, f"{found[0].strip()} x").role in ("exception", "error"):
        return ""
    token = found[0].rstrip()
    n_with = sum(line.startswith(token) for line in sample)
    return found[0] if n_with >= PREFIX_SHARE * len(sample) else ""
