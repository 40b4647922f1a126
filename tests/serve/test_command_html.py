from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from page_html import PageHTML

from kb.serve.command_html import command_html, diff_lines
from kb.types import CommandAdvice, CommandChange

commands = st.lists(
    st.sampled_from(
        ["--tp 8 ", "--mem-fraction-static 0.9 ", "\\\n  ", "<img src=x>", "'가' ", "\r"]
    )
).map("".join)

GIVEN = "python -m sglang.launch_server \\\n  --model-path m \\\n  --mem-fraction-static 0.9"
ADVICE = CommandAdvice(
    GIVEN,
    GIVEN.replace("0.9", "0.8"),
    (CommandChange("--mem-fraction-static", "0.9", "0.8"),),
)


@given(commands, commands)
def test_a_diff_holds_both_commands_whole(old, new):
    lines = list(diff_lines(old, new))
    assert "".join(line for mark, line, _ in lines if mark in " -") == old
    assert "".join(line for mark, line, _ in lines if mark in " +") == new


@given(commands, commands)
def test_the_copied_command_is_the_suggested_one(old, new):
    page = PageHTML(command_html(CommandAdvice(old, new), "en"))
    page.assert_inert()
    assert page.copied == ([new] if old != new else [])


def test_the_changed_word_is_marked_and_nothing_else():
    html = command_html(ADVICE, "en")
    assert "<mark>0.9</mark>" in html
    assert "<mark>0.8</mark>" in html
    assert html.count("<mark>") == 2


def test_only_the_changed_line_is_shown_as_changed():
    html = command_html(ADVICE, "en")
    assert (html.count("<del"), html.count("<ins")) == (1, 1)


def test_what_changes_is_said_in_words_of_the_command():
    page = PageHTML(command_html(ADVICE, "ko"))
    assert "--mem-fraction-static 0.9 → --mem-fraction-static 0.8" in page.text


def test_an_added_and_a_removed_flag_are_told_apart():
    changes = (CommandChange("--a", None, "--a 1"), CommandChange("--b", "2", None))
    page = PageHTML(command_html(CommandAdvice("x --b 2", "x --a 1", changes), "en"))
    assert "+ --a 1" in page.text
    assert "\u2212 --b 2" in page.text


def test_a_command_that_stays_as_it_is_is_not_shown():
    assert command_html(CommandAdvice("x", "x"), "en") == ""
