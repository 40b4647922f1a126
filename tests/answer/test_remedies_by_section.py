"""What each shipped section does to a launch command: reviewed in a table, and by laws."""

from __future__ import annotations

import re

import pytest
from remedy_table import PLAIN, RELEASES, TABLE, advice, full_command, sections, table

from kb.answer.check_command import examine
from kb.answer.launch_command import find_command
from kb.answer.remedies import remedies_from_section
from kb.answer.remedy_items import remedy_items
from kb.catalog.catalog import Catalog
from kb.catalog.variables import check_variable

CATALOG = Catalog.load()
# Those that change a command in some release.
CHANGING = [section for section in sections().values() if remedy_items(section.markdown)]
SINCE = CATALOG.position("0.4.3")
# Lower than any section asks for; no remedy may raise them.
LOW = {
    "--mem-fraction-static": 0.4,
    "--chunked-prefill-size": 256,
    "--max-prefill-tokens": 512,
    "--max-running-requests": 1,
    "--cuda-graph-max-bs": 1,
    "--cuda-graph-max-bs-decode": 1,
    "--cuda-graph-max-bs-prefill": 64,
}
MAX_STEPS = 20


def test_the_table_is_as_it_was_reviewed() -> None:
    assert table(CATALOG) == TABLE.read_text(encoding="utf-8"), (
        "read each line that differs; if all are right, write it anew as remedy_table.py says"
    )


def test_the_table_has_every_section() -> None:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if re.match(r"[a-z]", line)] == list(sections())


def test_both_languages_have_the_same_remedies() -> None:
    korean = sections("ko")
    for name, section in sections().items():
        assert remedy_items(section.markdown) == remedy_items(korean[name].markdown), name
        for release in RELEASES:
            assert remedies_from_section(
                section.markdown, CATALOG, release
            ) == remedies_from_section(korean[name].markdown, CATALOG, release), name


@pytest.mark.parametrize("section", CHANGING, ids=lambda section: section.id)
def test_what_is_suggested_is_accepted_in_that_release(section) -> None:
    for release in CATALOG.releases[SINCE:]:
        advised = advice(section, PLAIN, CATALOG, release).command
        if advised is None:
            continue
        command = find_command(advised.suggested)
        assert command is not None
        for checked in examine(command, CATALOG, release, "en"):
            assert checked.is_fine, (release, checked.note)
        for variable in command.variables:
            if variable.flag.startswith("SGL"):
                status = check_variable(CATALOG, variable.flag, release).status
                assert status == "accepted", (release, variable.flag)


@pytest.mark.parametrize("section", CHANGING, ids=lambda section: section.id)
def test_following_the_advice_comes_to_an_end(section) -> None:
    for release in RELEASES:
        command, steps = PLAIN, 0
        while advised := advice(section, command, CATALOG, release).command:
            command = advised.suggested
            steps += 1
            assert steps < MAX_STEPS, command


@pytest.mark.parametrize("section", CHANGING, ids=lambda section: section.id)
def test_what_is_lower_already_is_never_raised(section) -> None:
    for release in RELEASES:
        taken = {flag: low for flag, low in LOW.items() if flag in CATALOG.options(release)}
        command = " ".join([PLAIN, *(f"{flag} {low}" for flag, low in taken.items())])
        while advised := advice(section, command, CATALOG, release).command:
            assert not {change.flag for change in advised.changes} & set(taken), advised.changes
            command = advised.suggested


@pytest.mark.parametrize("section", CHANGING, ids=lambda section: section.id)
def test_what_a_section_says_to_leave_out_is_never_put_in(section) -> None:
    named = {
        one.code.split()[0]
        for item in remedy_items(section.markdown)
        if item.action == "remove"
        for written in item.choices
        for one in written
    }
    for release in RELEASES:
        for command in (PLAIN, full_command(section, CATALOG, release)):
            advised = advice(section, command, CATALOG, release).command
            for change in advised.changes if advised else ():
                assert change.flag not in named or change.new is None
