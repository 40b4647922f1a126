"""A flag that a question names is judged by the catalogue, whether a section fits or not."""

from __future__ import annotations

import pytest

from kb.answer.asked_flags import asked_flags
from kb.answer.render import answer_to_text
from kb.catalog import Catalog
from kb.query.paste import read_query
from kb.serve.replies import Replies
from kb.strings import text


def judged(words: str) -> list[tuple[str, str, str | None]]:
    notes = asked_flags(read_query("", words), Catalog.load(), None)
    return [(note.flag, note.status, note.use) for note in notes]


def test_a_flag_that_is_asked_about_has_its_line_in_the_terminal_though_it_is_accepted(shipped):
    answer = shipped.ask("", "Does --enable-dp-lm-head exist in 0.5.9?")
    assert answer.found
    assert "--enable-dp-lm-head: `--enable-dp-lm-head` is accepted in 0.5.9" in answer_to_text(
        answer
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "--max-model-len은 뭘로 바꿔야 하나요?",
            ("--max-model-len", "foreign", "--context-length"),
        ),
        ("what is max_model_len here?", ("--max-model-len", "foreign", "--context-length")),
        ("how do I write -tp 2", ("-tp", "foreign", "--tp-size")),
        ("is --tp-size=8 right?", ("--tp-size", "accepted", None)),
        ("그럼 mem_fraction_static은요?", ("mem_fraction_static", "accepted", None)),
        ("what is SGLANG_LOG_MS", ("SGLANG_LOG_MS", "accepted", None)),
        ("does sglang have --foo-bar-baz?", ("--foo-bar-baz", "unknown", None)),
    ],
)
def test_names_in_a_question_are_judged(words, expected):
    assert judged(words) == [expected]


@pytest.mark.parametrize(
    "words",
    [
        "why is it slow?",
        "--foo-bar가 뭔가요",  # nobody's, and nothing says SGLang
        "vLLM refuses --max-model-len",  # about another program
        "nginx --host 0.0.0.0 --port 80",
        "in my-app --no such thing",
        "call set_page_size() in /a/page_size",
    ],
)
def test_what_is_nobody_s_or_about_another_program_is_not(words):
    assert judged(words) == []


def test_flags_of_a_log_are_not_taken_for_asked_ones():
    log = "Traceback (most recent call last):\nerror: unrecognized arguments: --max-model-len 8192"
    assert asked_flags(read_query(log, "왜 안 뜨나요?"), Catalog.load(), None) == ()


def test_each_is_judged_once_and_not_without_end():
    words = "--tp-size " * 3 + " ".join(list(Catalog.load().flags)[:40])
    assert judged(words)[0][0] == "--tp-size"
    assert len({flag for flag, *_ in judged(words)}) == len(judged(words)) <= 8


@pytest.mark.parametrize(
    "words",
    ["--max-model-len은 뭘로 바꿔야 하나요?", "--gpu-memory-utilization 0.9 대신 뭘 쓰나요"],
)
def test_where_no_section_fits_the_refusal_says_what_is_known(shipped, words):
    answer = shipped.ask("", words)
    assert not answer.found
    flag = answer.flags[0]
    assert answer.notes[:2] == (text("answer.only_flags", "ko"), flag.note)
    assert f"`{flag.use}`" in flag.note
    for shown in (answer_to_text(answer), Replies(shipped).ask("", words, "ko", "ko", "").html):
        assert shown.count(flag.use) == 1  # once, in the note


def test_beside_a_section_it_stands_first_among_the_flags(shipped):
    answer = shipped.ask("", "how do I set --gpu-memory-utilization in sglang?")
    assert answer.found
    assert answer.flags[0].flag == "--gpu-memory-utilization"
    assert answer.flags[0].use == "--mem-fraction-static"


def test_the_release_that_is_stated_judges(shipped):
    old = shipped.ask("", "does --cuda-graph-max-bs still exist?", version="0.5.9").flags[0]
    new = shipped.ask("", "does --cuda-graph-max-bs still exist?", version="0.5.21").flags[0]
    assert (old.status, new.status) == ("accepted", "ambiguous")


def test_a_korean_particle_does_not_hide_a_flag_of_sglang_s(shipped):
    from kb.answer.for_version import catalog_marks

    query = read_query("", "--mem-fraction-static을 낮추면요?")
    assert catalog_marks(query, Catalog.load(), ()).flags == 1
