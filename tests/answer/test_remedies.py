"""A section's remedy is made in the user's own command: cases in fixtures/remedies.txt, laws."""

from __future__ import annotations

import pytest
from case_files import cases, pastes
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.answer.launch_command import advise, apply_remedy, find_command, remedies_from_section
from kb.catalog.catalog import Catalog
from kb.types import CommandChange

CATALOG = Catalog.load()
LEAD_IN = "**What to do**\n\n"


def shown(change: CommandChange) -> str:
    if change.old is None:
        return f"+ {change.new}"
    return f"- {change.old}" if change.new is None else f"{change.old} → {change.new}"


@pytest.mark.parametrize(
    ("paste", "parts"),
    [pytest.param(paste, parts, id=title) for title, paste, parts in cases("remedies.txt")],
)
def test_case(paste: str, parts: dict[str, str]) -> None:
    command = find_command(paste)
    assert command is not None
    advice = advise(command, parts["section"], CATALOG, parts["version"], "ko", paste)
    if "none" in parts:
        assert advice.command is None
        return
    assert advice.command is not None
    assert advice.command.given == command.text
    assert advice.command.suggested == parts["suggested"]
    assert "\n".join(map(shown, advice.command.changes)) == parts["changes"]
    assert len(advice.notes) == int(parts.get("notes", "0"))


def test_what_holds_already_is_said() -> None:
    command = find_command("sglang serve --model-path m --chunked-prefill-size 2048")
    assert command is not None
    section = f"{LEAD_IN}1. `--chunked-prefill-size 4096`, then `--chunked-prefill-size 2048`"
    advice = advise(command, section, CATALOG, "0.5.9", "en")
    assert advice.command is None
    assert advice.notes[0] == (
        "`--chunked-prefill-size 2048` is already at or past `--chunked-prefill-size 4096`,"
        " so the next remedy counts."
    )


def test_without_a_version_the_newest_release_decides() -> None:
    section = (
        f"{LEAD_IN}1. `--cuda-graph-max-bs-decode 16` (0.5.14+), `--cuda-graph-max-bs 16` (≤0.5.19)"
    )
    remedies = remedies_from_section(section, CATALOG, None)
    assert [remedy.text for remedy in remedies] == ["--cuda-graph-max-bs-decode 16"]


def test_where_the_server_chose_the_value_the_line_that_says_it_is_named() -> None:
    command = find_command("sglang serve --model-path m")
    assert command is not None
    section = f"{LEAD_IN}1. `--mem-fraction-static 0.8`, then `--mem-fraction-static 0.7`"
    (note,) = advise(command, section, CATALOG, "0.5.9", "en").notes
    assert "`mem_fraction_static=`" in note
    assert "0.8 or less" in note


def test_earlier_steps_are_pointed_to() -> None:
    command = find_command("sglang serve --model-path m")
    assert command is not None
    section = f"{LEAD_IN}1. Read the log.\n2. `--disable-custom-all-reduce`"
    section = f"## Peer access fails {{#p2p .consequence}}\n\n{section}"
    (note,) = advise(command, section, CATALOG, "0.5.9", "en").notes
    assert "step 2 of “What to do” in the section “Peer access fails”" in note
    (note,) = advise(command, section, CATALOG, "0.5.9", "ko", title="통신이 실패해요").notes
    assert note.startswith("“통신이 실패해요” 항목의 해결 순서 가운데 2번")


SECTION = """**What to do**

1. `--chunked-prefill-size 4096`, then `--chunked-prefill-size 2048`
2. Remove `--enable-torch-compile`, `--disable-cuda-graph` and `--attention-backend`.
3. `NCCL_P2P_DISABLE=1`, `--shm-size 32g` or `--mem-fraction-static 0.8`: one of them
"""


@given(pastes)
@settings(max_examples=400, deadline=None)
def test_everything_but_the_changes_stays_as_it_is(paste: str) -> None:
    command = find_command(paste)
    if command is None:
        return
    advice = apply_remedy(command, SECTION, CATALOG, "0.5.9")
    if advice is None:
        return
    assert advice.given == command.text
    mended = advice.suggested
    for change in advice.changes:
        if change.old is None:
            assert change.new is not None
            assert change.new in mended
            mended = mended.replace(change.new, "", 1)
        elif change.new is None:
            assert change.old in advice.given
        else:
            assert change.new in mended
    # What is left besides the gap of the addition is the user's text, in its order.
    if all(change.old is None for change in advice.changes):
        rest = iter(mended)
        assert all(char in rest for char in advice.given)


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_section_is_read(markdown: str) -> None:
    remedies_from_section(markdown, CATALOG, "0.5.9")


_pieces = st.sampled_from(
    [
        "1. ", "`", "--mem-fraction-static", " 0.8", "=", "(0.5.9+)", "\n", "A=1", "(≤0.5.9)", "- ",
        "Remove ", "을 빼세요", "**What to do**\n\n", "--", "'", ": ", ", then ", " and ", "오류",
    ]
)  # fmt: skip


@given(st.lists(_pieces, max_size=20))
@settings(max_examples=200, deadline=None)
def test_any_list_of_remedies_is_read(pieces: list[str]) -> None:
    command = find_command("sglang serve --model-path m --mem-fraction-static 0.9")
    assert command is not None
    advise(command, LEAD_IN + "".join(pieces), CATALOG, None, "ko")
