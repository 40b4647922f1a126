"""Further questions, as text in `follow_ups.txt`: what is first, the log's section or another."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.answer.follow_up import join_follow_up
from kb.serve.examples import EXAMPLES
from kb.strings import text
from kb.types import Answer, AnswerSection, NearestSection, Source

LOGS = {example.name: example.paste for example in EXAMPLES}
CASES = [
    [part.strip() for part in line.split("|")]
    for line in Path(__file__).with_name("follow_ups.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.fixture(scope="module")
def of_log(shipped) -> dict[str, str]:
    """Return the section that each log is answered with."""
    return {name: shipped.ask(LOGS[name]).sections[0].id for name in ("oom", "hang", "start")}


@pytest.mark.parametrize(
    ("log", "question", "named"), CASES, ids=[f"{log}-{named}" for log, _, named in CASES]
)
def test_a_further_question_keeps_the_log_unless_it_names_a_topic(
    shipped, of_log, log, question, named
):
    sections = [found.id for found in shipped.ask_further(LOGS[log], question).sections]
    family = {of_log[log], "cuda-out-of-memory" if log == "oom" else of_log[log]}
    if named == "=":
        assert sections[0] in family
    elif named.startswith("~"):
        assert named[2:] in sections
    else:
        assert sections[0] == named
        assert sections[1] in family


def test_the_topics_that_are_named_are_many_and_in_both_languages():
    named = {question for _, question, section in CASES if section != "="}
    assert sum(question.isascii() for question in named) >= 6
    assert sum(not question.isascii() for question in named) >= 6


def test_what_is_true_for_the_log_s_version_holds_for_the_named_topic(shipped):
    log = f"sglang 0.5.9\npython -m sglang.launch_server --model-path M --tp 8\n{LOGS['oom']}"
    answer = shipped.ask_further(log, "what if I use fp8 KV cache?")
    assert answer.sections[0].id == "fp8-kv-accuracy"
    assert answer.version is not None
    assert answer.version.value == "0.5.9"


def test_secrets_of_the_log_are_hidden_and_counted(shipped):
    log = f"server_args=ServerArgs(api_key='hunter2-prod-77')\n{LOGS['oom']}"
    answer = shipped.ask_further(log, "is hunter2-prod-77 why FP8 KV cache loses accuracy?")
    assert "hunter2" not in str(answer.to_dict())
    assert any("1" in note for note in answer.notes)


@pytest.mark.parametrize("words", ["고마워요", "감사합니다!", "thanks, that fixed it", "ok", "👍"])
def test_thanks_do_not_get_the_log_s_answer_once_more(shipped, words):
    answer = shipped.ask_further(LOGS["oom"], words)
    assert not answer.found
    assert answer.nearest == ()
    assert answer.notes == (text("answer.acknowledged", answer.language),)


# --- joining, by hand ---


def section(identifier: str, score: float) -> AnswerSection:
    return AnswerSection(identifier, identifier, "en", "## x", Source("x.md", 1, 1), score)


def answer(confidence: float, *sections: AnswerSection, nearest: tuple[str, ...] = ()) -> Answer:
    near = tuple(NearestSection(identifier, identifier) for identifier in nearest)
    return Answer(bool(sections), "en", confidence, sections, near)


LOG = answer(0.9, section("log", 9.0), section("also", 8.0), nearest=("topic", "far"))


def ids(joined: Answer) -> list[str]:
    return [found.id for found in joined.sections]


def test_words_that_find_nothing_change_nothing():
    assert join_follow_up(LOG, answer(0.1), 3) is LOG


def test_a_log_that_finds_nothing_leaves_the_answer_to_the_words():
    words = answer(0.5, section("topic", 3.0))
    assert join_follow_up(answer(0.1), words, 3) is words


def test_a_sure_topic_is_first_and_the_log_second():
    joined = join_follow_up(LOG, answer(0.9, section("topic", 3.0)), 3)
    assert ids(joined) == ["topic", "log"]
    assert joined.sections[1].score <= joined.sections[0].score


def test_an_unsure_topic_is_second_and_no_longer_near():
    joined = join_follow_up(LOG, answer(0.6, section("topic", 3.0)), 3)
    assert ids(joined) == ["log", "topic", "also"]
    assert [near.id for near in joined.nearest] == ["far"]


def test_no_more_sections_are_shown_than_asked_for():
    assert ids(join_follow_up(LOG, answer(0.9, section("topic", 3.0)), 1)) == ["topic"]


def test_the_words_that_name_the_log_s_own_section_change_nothing():
    assert join_follow_up(LOG, answer(0.9, section("log", 3.0)), 3) is LOG
