from __future__ import annotations

import pytest

from kb.serve.conversation import Asked, holds_log, next_question

OOM = "[2025-11-03 09:12:40 TP0] Prefill batch\ntorch.OutOfMemoryError: CUDA out of memory."
OTHER = "[2025-11-03 11:45:09 TP1] Watchdog timeout (self.watchdog_timeout=300)"
BEFORE = Asked(OOM, "why?", has_log=True)


@pytest.mark.parametrize(
    "words",
    [
        "그럼 처리량은?",
        "what if I use fp8 KV cache?",
        "그럼 --mem-fraction-static 0.7이면?",
        "the server hangs. Then what?",
        "서버가 멈춰요.\nNCCL timeout이 나면 어떻게 하죠?",
        "thanks",
        "",
        "\n \n",
    ],
)
def test_words_are_no_log(words):
    assert not holds_log(words)


@pytest.mark.parametrize(
    "log",
    [
        OOM,
        OTHER,
        "RuntimeError: Not enough memory.",
        "python -m sglang.launch_server --model-path M --tp 8",
        '  File "a.py", line 1, in f',
        "Traceback (most recent call last):",
        "one of\nfive lines\nis more\nthan a question\nhas",
        "x" * 601,
    ],
)
def test_printed_lines_are_a_log(log):
    assert holds_log(log)


@pytest.mark.parametrize(
    ("paste", "question", "asked"),
    [
        # beside the same log, or an empty box, a new question is a further one
        (OOM, "그럼 처리량은?", (OOM, "그럼 처리량은?", True)),
        ("", "그럼 처리량은?", (OOM, "그럼 처리량은?", True)),
        # words in the log's place; the old question stands in its own box still
        ("what now?", "why?", (OOM, "what now?", True)),
        ("what now?", "", (OOM, "what now?", True)),
        ("what now?", "on 8 GPUs", (OOM, "what now?\non 8 GPUs", True)),
        # a new log is a new question
        (OTHER, "why?", (OTHER, "why?", False)),
        (OOM + "\nmore", "why?", (OOM + "\nmore", "why?", False)),
        # the same once more is the same
        (OOM, "why?", (OOM, "why?", False)),
        ("", "why?", (OOM, "why?", False)),
        # without a question the log is asked about by itself
        (OOM, "", (OOM, "", False)),
    ],
)
def test_what_is_asked_after_a_log_was_answered(paste, question, asked):
    found = next_question(paste, question, BEFORE)
    assert (found.paste, found.question, found.is_further) == asked
    assert found.has_log


def test_a_further_question_asked_once_more_stays_one():
    further = next_question(OOM, "그럼 처리량은?", BEFORE)
    assert next_question(OOM, "그럼 처리량은?", further) == further


@pytest.mark.parametrize("before", [None, Asked("", "hello"), Asked("server hangs", "")])
def test_without_a_log_before_every_question_is_a_first_one(before):
    asked = next_question("", "그럼 처리량은?", before)
    assert asked == Asked("", "그럼 처리량은?")
