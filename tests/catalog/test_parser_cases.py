from __future__ import annotations

from pathlib import Path

import pytest

from kb.catalog import Catalog, check_flag

CATALOG = Catalog.load()
CASES = [
    line.split()
    for line in (Path(__file__).parent / "parser_cases.txt")
    .read_text(encoding="utf-8")
    .splitlines()
    if line and not line.startswith("#")
]
PARSER_OF_STATUS = {
    "accepted": "accepted",
    "deprecated": "accepted",
    "ambiguous": "ambiguous",
    "not_yet": "unrecognized",
    "removed": "unrecognized",
    "unknown": "unrecognized",
    "foreign": "unrecognized",
}


@pytest.mark.parametrize(("release", "flag", "parser", "status", "use", "how"), CASES)
def test_the_verdict_is_what_the_parser_of_the_release_does(
    release, flag, parser, status, use, how
):
    verdict = check_flag(CATALOG, flag, release)
    assert (verdict.status, verdict.use or "-") == (status, use)
    refused = verdict.reason.startswith("flag.refused")
    assert ("stops" if refused else PARSER_OF_STATUS[verdict.status]) == parser
    assert how in ("run", "read")


def test_the_cases_span_the_three_eras():
    position = CATALOG.position
    eras = {"A": 0, "B": 0, "C": 0}
    for release, *_ in CASES:
        if position(release) <= position("0.5.13.post1"):
            eras["A"] += 1
        elif position(release) <= position("0.5.19"):
            eras["B"] += 1
        else:
            eras["C"] += 1
    assert min(eras.values()) >= 8
