"""Versions are read out of pastes: cases in fixtures/versions.txt, the tables, the laws."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.catalog.catalog import Catalog
from kb.catalog.version_files import SOURCE_FILES
from kb.catalog.version_forms import FORMS
from kb.catalog.versions import assumed_release, find_version
from kb.types import MessageMatch, VersionRange

CATALOG = Catalog.load()
FIXTURE = Path(__file__).parent / "fixtures" / "versions.txt"


def cases() -> Iterator[tuple[str, list[str], dict[str, str]]]:
    for block in FIXTURE.read_text(encoding="utf-8").split("=== ")[1:]:
        title, rest = block.split("\n", 1)
        paste, *parts = rest.split("--- ")
        named = {key: body.strip() for key, _, body in (part.partition("\n") for part in parts)}
        yield title, paste.removesuffix("\n").split("\n"), named


def shown(found: VersionRange) -> str:
    return f"{found.low or ''} – {found.high or ''}".strip()


@pytest.mark.parametrize(
    ("lines", "expected"),
    [pytest.param(lines, parts, id=title) for title, lines, parts in cases()],
)
def test_case(lines: list[str], expected: dict[str, str]) -> None:
    found = find_version(lines, CATALOG)
    assert found.contradiction == expected.get("contradiction")
    if "value" in expected:
        assert found.value == found.low == found.high == expected["value"]
    elif "range" in expected:
        assert found.value is None
        assert shown(found) == expected["range"]
    else:
        assert found == VersionRange(None, None, None)
    for item in found.evidence:
        assert item.text in lines[item.line - 1] or "\n" in item.text


def test_the_callers_version_wins_and_what_the_log_says_against_it_is_told() -> None:
    lines = ["[2026-03-01 10:00:00 TP0] Decode batch, #running-req: 6, #token: 1920"]
    found = find_version(lines, CATALOG, stated="v0.5.2")
    assert (found.value, found.contradiction) == ("0.5.2", "0.5.2")
    assert (found.evidence[0].line, found.evidence[0].kind) == (0, "stated")
    assert find_version(lines, CATALOG, stated="0.5.9").contradiction is None


@pytest.mark.parametrize(
    ("stated", "value", "said"),
    [
        ("0.5.99", "0.5.23", "0.5.99"),
        ("0.5.24.dev3+gabc123", "0.5.23", "0.5.24.dev3+gabc123"),
        ("0.5.10.dev3", "0.5.10", "0.5.10.dev3"),
        ("0.4.99", "0.4.10.post2", "0.4.99"),
        ("0.5.9+cu129", "0.5.9", None),
        ("v0.5.9", "0.5.9", None),
    ],
)
def test_a_version_that_is_no_known_release_is_judged_by_the_nearest(stated, value, said) -> None:
    found = find_version([], CATALOG, stated=stated)
    assert (found.value, found.said) == (value, said)
    written = find_version([f"sglang=={stated}"], CATALOG)
    assert (written.value, written.said) == ((value, said) if stated != "0.4.99" else (None, None))


def test_a_callers_version_that_is_none_is_not_believed() -> None:
    assert find_version([], CATALOG, stated="latest").value is None


def test_recognised_messages_bound_the_version() -> None:
    message = MessageMatch("x …", "srt/x.py", "0.4.7", "0.5.2")
    found = find_version(["x 1"], CATALOG, messages=[(1, message)])
    assert shown(found) == "0.4.7 – 0.5.2"
    assert found.evidence[0].kind == "message"


def configuration(version: str, form: str) -> str:
    """Write the configuration line as `version` would: the keys of all its flags."""
    keys = {
        "tensor_parallel_size": "tp_size",
        "data_parallel_size": "dp_size",
        "pipeline_parallel_size": "pp_size",
        "expert_parallel_size": "ep_size",
    }
    fields = dict.fromkeys(
        keys.get(flag.field, flag.field)
        for _, flag in CATALOG.options(version).values()
        if not flag.deprecated and not flag.refused and flag.field not in ("help", "config")
    )
    if form == "dict":
        return "server_args={" + ", ".join(f"'{key}': None" for key in fields) + "}"
    return "server_args=ServerArgs(" + ", ".join(f"{key}=None" for key in fields) + ")"


@pytest.mark.parametrize("version", ["0.4.6.post5", "0.5.3", "0.5.9", "0.5.16", "0.5.19", "0.5.22"])
def test_a_whole_configuration_line_names_its_release(version: str) -> None:
    form = "dict" if CATALOG.position(version) >= CATALOG.position("0.5.19") else "call"
    found = find_version([configuration(version, form)], CATALOG)
    assert found.value == version


@given(st.sampled_from(["0.4.3", "0.5.2", "0.5.13"]), st.integers(40, 9_000))
@settings(max_examples=60, deadline=None)
def test_a_configuration_line_cut_off_anywhere_still_allows_its_release(
    version: str, length: int
) -> None:
    found = find_version([configuration(version, "call")[:length]], CATALOG)
    low = 0 if found.low is None else CATALOG.position(found.low)
    high = len(CATALOG.releases) if found.high is None else CATALOG.position(found.high)
    assert low <= CATALOG.position(version) <= high


def test_the_release_to_judge_by_is_the_newest_possible() -> None:
    assert assumed_release(VersionRange(None, "0.4.7", "0.5.2"), CATALOG) == "0.5.2"
    assert assumed_release(VersionRange("0.4.9", "0.4.9", "0.4.9"), CATALOG) == "0.4.9"
    assert assumed_release(VersionRange(None, "0.5.4", None), CATALOG) is None


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_form_is_bounded_by_releases_in_order(form: object) -> None:
    low, high = form.low, form.high  # type: ignore[attr-defined]
    assert low or high
    places = [CATALOG.position(bound) for bound in (low, high) if bound]
    assert places == sorted(places)
    assert high != CATALOG.newest


def test_source_files_are_bounded_by_releases_in_order() -> None:
    for path, (low, high) in SOURCE_FILES.items():
        places = [CATALOG.position(bound) for bound in (low, high) if bound]
        assert places, path
        assert places == sorted(places), path


def test_no_form_rules_out_a_release_that_has_the_message() -> None:
    if (CATALOG.folder / "messages.jsonl").stat().st_size < 2:
        pytest.skip("the catalogue holds no messages")
    compared = 0
    for form in FORMS:
        holding = [item for item in CATALOG.messages if form.literal in item.template]
        if not holding or form.pattern:
            continue
        compared += 1
        first = min(CATALOG.position(item.first) for item in holding)
        last = max(CATALOG.position(item.last) for item in holding)
        assert CATALOG.position(form.low or CATALOG.releases[0]) <= first, form.name
        assert CATALOG.position(form.high or CATALOG.newest) >= last, form.name
    assert compared > 20


fragments = st.sampled_from(
    [
        "sglang", "SGLang", "==", ":", " ", "0.5.9", "v0.5.3", "version", "버전은", "에서", "from ",
        " to ", "vllm", "lmsysorg/sglang:", "[2025-08-02 19:24:30 TP3] ", "Decode batch, #running",
        "server_args={'a': ", "server_args=ServerArgs(tp_size=", "usage: sglang serve [--x {a,",
        "sglang/srt/utils.py", "'version': '0.5.9'", "model_path", "Name: sglang\n", "99999-99-99",
        "[2025-99-99 00:00:00] ", "0.5.9999999999999999999999", "١.٢.٣", "0.5.9+cu" + "1" * 50,
    ]
)  # fmt: skip


@given(st.lists(st.lists(fragments | st.text(max_size=9), max_size=9).map("".join), max_size=12))
@settings(max_examples=400, deadline=None)
def test_never_raises_and_stays_within_the_catalogue(lines: list[str]) -> None:
    found = find_version(lines, CATALOG)
    for bound in (found.value, found.low, found.high, found.contradiction):
        assert bound is None or bound in CATALOG.releases
    if found.low and found.high:
        assert CATALOG.position(found.low) <= CATALOG.position(found.high)
    for item in found.evidence:
        assert 1 <= item.line <= len(lines)


@given(st.text(max_size=40))
@settings(deadline=None)
def test_any_stated_version_is_answered(stated: str) -> None:
    find_version([], CATALOG, stated=stated)


@pytest.mark.parametrize(
    "line",
    [
        "[2025-12-12 08:43:59 TP0] Decode batch, #running-req: 6, #token: 1920, token usage: 0.94",
        '  File "/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py", line 1787, in run',
        "sglang: 0.5.99 version 0.5.99",
        "server_args={'a': {",
        "usage: sglang serve [--a ",
    ],
)
def test_time_is_linear_in_the_paste(line: str) -> None:
    def seconds(count: int) -> float:
        started = time.perf_counter()
        find_version([line] * count, CATALOG)
        return time.perf_counter() - started

    seconds(10)
    assert seconds(20_000) < 40 * max(seconds(2_000), 0.01)
