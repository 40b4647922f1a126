"""What an answer says of a version, a command and a long line is what holds for it."""

from __future__ import annotations

import pytest

from kb.answer.for_version import version_facts
from kb.answer.render import answer_to_text
from kb.answer.wording import command_heading, contradiction_text, cut, version_heading
from kb.catalog.catalog import Catalog
from kb.catalog.flags import check_flag, flag_note
from kb.catalog.versions import find_version
from kb.query.paste import read_query
from kb.serve.version_html import numbered_lines, version_html
from kb.types import (
    Answer,
    AnswerSection,
    CommandAdvice,
    CommandChange,
    MatchedLine,
    Source,
    VersionEvidence,
    VersionRange,
)

CATALOG = Catalog.load()
LOG = ["[2026-09-01 10:00:00] server_args={'model_path': 'm', 'tp_size': 1, 'attn_dp_size': 1}"]
CHANGE = CommandChange("--tp", "--tp 4", "--tp 8")


def test_a_callers_version_that_the_log_rules_out_is_said_to_be_the_callers():
    found = find_version(LOG, CATALOG, stated="0.5.9")
    assert contradiction_text(found, "en") == (
        "You gave version 0.5.9, but the log cannot come from it."
    )
    assert "알려 주셨지만" in (contradiction_text(found, "ko") or "")


def test_a_version_in_the_text_that_the_log_rules_out_is_said_to_be_the_texts():
    found = find_version(["We run SGLang 0.5.9.", *LOG], CATALOG)
    assert contradiction_text(found, "en") == (
        "The text says 0.5.9, but the log cannot come from it."
    )
    assert contradiction_text(find_version(LOG, CATALOG), "en") is None


def test_the_page_says_the_contradiction_in_a_sentence():
    found = find_version(LOG, CATALOG, stated="0.5.9")
    html = version_html(Answer(True, "en", 1.0, version=found))
    assert "<p>You gave version 0.5.9, but the log cannot come from it.</p>" in html


def test_lines_are_announced_where_there_are_some():
    stated = find_version([], CATALOG, stated="0.5.9")
    assert version_heading(stated, "en") == "SGLang 0.5.9, as was said."
    assert "by these lines" in version_heading(find_version(["sglang==0.5.9"], CATALOG), "en")
    printed = answer_to_text(Answer(True, "en", 1.0, version=stated))
    assert "by these lines" not in printed


@pytest.mark.parametrize(
    ("paste", "stated", "note"),
    [
        (
            "CUDA out of memory",
            "0.5.99",
            "0.5.99 is newer than the catalogue, so this is true for 0.5.23",
        ),
        ("sglang==0.5.99", None, "0.5.99 is newer than the catalogue"),
        (
            "x",
            "0.5.10.dev3+g1a2b3c",
            "0.5.10.dev3+g1a2b3c is no release; 0.5.10 is the nearest to it.",
        ),
        ("x", "0.5.9", None),
        ("sglang==0.5.9+cu129", None, None),
    ],
)
def test_a_version_that_is_judged_by_another_is_named_with_it(paste, stated, note):
    query = read_query(paste, None, "en")
    notes = version_facts(query, None, CATALOG, (), stated).notes
    assert len(notes) == (note is not None)
    assert note is None or notes[0].startswith(note)


@pytest.mark.parametrize(
    ("changes", "is_rebuilt", "heading"),
    [
        (1, False, "Your command with the one change made:"),
        (2, False, "Your command with these changes made (2):"),
        (1, True, "A command rebuilt from the `server_args=` line, with one change made:"),
        (3, True, "A command rebuilt from the `server_args=` line, with these changes made (3):"),
    ],
)
def test_the_heading_says_whose_command_it_is_and_how_much_changed(changes, is_rebuilt, heading):
    advice = CommandAdvice("a", "b", (CHANGE,) * changes, is_rebuilt)
    assert command_heading(advice, "en") == heading


def test_a_command_rebuilt_from_the_configuration_line_says_so():
    line = "server_args=ServerArgs(model_path='m', tokenizer_path='m', mem_fraction_static=0.9, tp_size=2, dp_size=1, port=30000)"
    section = (
        "## A {#a}\n\n**What to do, in this order**\n\n1. `--mem-fraction-static 0.8`: less.\n"
    )
    query = read_query(line, None, "en")
    command = version_facts(query, section, CATALOG, (), "0.5.9").command
    assert command is not None and command.is_rebuilt


def test_a_long_line_is_cut_to_a_slice_and_marked_beside_it():
    line = "  RuntimeError: " + "x…" * 400 + "  "
    shown, is_cut = cut(line, 160)
    assert is_cut and len(shown) == 160 and shown in line
    assert cut("  short ", 160) == ("short", False)
    html = numbered_lines([(3, line)], "en")
    inside = html.partition("<code>")[2].partition("</code>")[0]
    assert inside in line
    assert 'class="kb-cut">(the line goes on)<' in html


def test_matched_lines_and_evidence_are_slices_of_the_paste_in_a_terminal():
    line = "RuntimeError: " + "long " * 200
    section = AnswerSection(
        "a", "A", "en", "## A", Source("a.md", 1, 1), 1.0, (MatchedLine(7, line, ""),)
    )
    evidence = VersionEvidence(8, line, "0.5.9", None, "message")
    found = VersionRange(None, "0.5.9", None, (evidence,))
    printed = answer_to_text(Answer(True, "en", 1.0, (section,), version=found))
    for number in ("  7: ", "  8: "):
        shown = printed.split(number)[1].split("\n")[0]
        assert shown.endswith(" (the line goes on)")
        assert shown.removesuffix(" (the line goes on)") in line


@pytest.mark.parametrize(
    ("release", "said"),
    [
        ("0.5.2", "still works in 0.5.2"),
        ("0.5.3", "is refused in 0.5.3"),
        ("0.5.9", "0.5.2 was the last to accept it, and up to 0.5.4 it only stopped the server"),
    ],
)
def test_a_flag_that_was_declared_only_to_be_refused_ended_before_that(release, said):
    note = flag_note(check_flag(CATALOG, "--enable-ep-moe", release), "en").note
    assert said in note
    assert "0.5.4 was the last with it" not in note


def test_every_flag_that_was_ever_refused_has_whole_notes():
    names = {
        name
        for name, history in CATALOG.flags.items()
        if any(run.form.refused for run in history.runs)
    }
    assert len(names) > 10
    for name in names:
        for release in CATALOG.releases[::4]:
            for language in ("en", "ko"):
                assert "None" not in flag_note(check_flag(CATALOG, name, release), language).note
