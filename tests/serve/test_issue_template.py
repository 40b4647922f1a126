from __future__ import annotations

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


def test_a_line_that_may_hold_a_key_is_left_out():
    template = issue_template(NOTHING, "ok\nserver_args=ServerArgs(api_key='sk-1')\nHF_TOKEN=h", "")
    assert "sk-1" not in template
    assert "HF_TOKEN" not in template
    assert "ok" in template


def test_a_command_with_a_key_is_left_out():
    command = CommandAdvice("python -m sglang.launch_server --api-key sk-1", "")
    answer = Answer(found=False, language="en", confidence=0.0, command=command)
    assert "sk-1" not in issue_template(answer, "", "")


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
