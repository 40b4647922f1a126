"""The short version of `soak.py`: the same asks, in this process."""

from __future__ import annotations

from itertools import islice

from tests.robustness.faults import fault
from tests.robustness.soak import GROWTH_MB, mixed_asks, usage


@fault(
    "asks without end, none alike (short here; `python -m tests.robustness.soak` for minutes)",
    "memory and file handles stay as they are after the first",
)
def test_many_different_asks_leave_memory_and_handles_as_they_are(shipped):
    asks = mixed_asks()
    for body in islice(asks, 25):
        shipped.ask(body["paste"], body["question"], body["language"])
    before = usage()
    for body in islice(asks, 50):
        shipped.ask(body["paste"], body["question"], body["language"])
    after = usage()
    assert after.handles <= before.handles
    assert after.resident_mb - before.resident_mb < GROWTH_MB
