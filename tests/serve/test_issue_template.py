from __future__ import annotations

import pytest

from kb.serve.issue_template import MAX_EXCERPT_LINES, issue_template
from kb.types import Answer, CommandAdvice, NearestSection, VersionRange

NOTHING = Answer(found=False, language="en", confidence=0.1)


def test_it_holds_what_is_known_of_the_question():
    answer = Answer(
        found=False,
        language="en",
        confidence=0.1,
        nearest=(NearestSection("oom", "Out of memory"),),
        version=VersionRange("0.5.9", None, None),
        command=CommandAdvice("python -m sglang.launch_server --tp 8", ""),
    )
    template = issue_template(answer, "first line\nlast line\n", "why?")
    for part in ("why?", "0.5.9", "--tp 8", "first line\nlast line", "Out of memory (`oom`)"):
        assert part in template


def test_keys_are_masked_and_the_rest_of_their_lines_stays():
    log = (
        "ok\nserver_args=ServerArgs(tp_size=8, api_key='hunter2-prod-77')\nHF_TOKEN=hf_"
        + "Zx9q" * 8
    )
    template = issue_template(NOTHING, log, "")
    assert "hunter2" not in template
    assert "Zx9q" not in template
    assert "server_args=ServerArgs(tp_size=8, api_key='<" in template


def test_a_key_is_masked_wherever_else_it_stands():
    log = "api_key='hunter2-prod-77'\n" + "line\n" * 50 + "refused: hunter2-prod-77"
    command = CommandAdvice("python -m sglang.launch_server --api-key hunter2-prod-77", "")
    answer = Answer(found=False, language="en", confidence=0.0, command=command)
    template = issue_template(answer, log, "why is hunter2-prod-77 refused?")
    assert "hunter2" not in template
    assert "why is <" in template
    assert "refused: <" in template


@pytest.mark.parametrize("hide", [True, False])
def test_addresses_are_masked_where_the_server_masks_them(hide):
    template = issue_template(NOTHING, "connect to 10.1.2.3 failed", "", hide_addresses=hide)
    assert ("10.1.2.3" not in template) == hide


@pytest.mark.parametrize(
    ("question", "command", "log"),
    [("a\nb", "c \\\n d", "e\nf"), ("", "", "e"), ("a", "", ""), ("", "c", "\n\ne\n")],
)
def test_what_is_masked_together_comes_apart_again(question, command, log):
    advice = CommandAdvice(command, "") if command else None
    answer = Answer(found=False, language="en", confidence=0.0, command=advice)
    template = issue_template(answer, log, question)
    parts = [part.strip() for part in template.split("## ")[1:]]
    assert parts[0] == f"Question\n\n{question or '…'}"
    assert parts[2] == "Launch command\n\n" + (f"```text\n{command}\n```" if command else "…")
    assert parts[3] == "Log\n\n" + (f"```text\n{log.strip()}\n```" if log.strip() else "…")


def test_token_counts_of_a_batch_line_stay():
    line = "Decode batch, #token: 9071, token usage: 0.73"
    assert line in issue_template(NOTHING, line, "")


def test_only_the_end_of_a_long_log_goes_in():
    log = "\n".join(f"line {number}" for number in range(1000))
    template = issue_template(NOTHING, log, "")
    assert template.count("line ") == MAX_EXCERPT_LINES
    assert "line 999" in template


def test_a_fence_in_the_log_does_not_end_the_fence_around_it():
    template = issue_template(NOTHING, "a\n```\nb", "")
    assert "````text\na\n```\nb\n````" in template


def test_it_is_in_the_language_of_the_answer():
    assert "## 질문" in issue_template(Answer(found=False, language="ko", confidence=0.0), "", "")
