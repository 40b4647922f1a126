"""The report: what is asked most and answered by nothing, and drafts that can be filled in."""

from __future__ import annotations

import random
import re

import pytest

from kb import KnowledgeBase
from kb.cli import main
from kb.feedback import report
from kb.feedback.clusters import cluster
from kb.feedback.gaps import read_gaps
from kb.feedback.records import REASONS, Mark, Unanswered, Vote
from kb.feedback.store import open_store

DAY = 86_400


def gaps_report(unanswered, votes, marks=()):
    return report.gaps_report(read_gaps(unanswered, votes, marks))


def asked(*lines, near=(), language="en", at=DAY):
    return Unanswered(tuple(lines), near, language, "0.1.0", at)


LORA = "ValueError: LoRA adapter … has rank … but max_lora_rank is …"
LORA_2 = "ValueError: LoRA adapter … has rank … but the max_lora_rank is …"
GRAMMAR = "RuntimeError: grammar backend failed to compile the schema"
QUESTIONS = [
    *[asked(LORA, near=("lora", "oom"))] * 3,
    asked(LORA_2, near=("lora",), language="ko", at=3 * DAY),
    asked(GRAMMAR, LORA_2, at=2 * DAY),
    *[asked(GRAMMAR)] * 2,
    asked(near=("oom",), language="ko"),
    asked(near=("oom",)),
    asked(near=("hang",)),
    asked(),
]
VOTES = [
    Vote("oom", False, "ko", "0.1.0", "unclear", (GRAMMAR,), DAY),
    Vote("oom", False, "en", "0.1.0", "unclear", (), DAY),
    Vote("oom", False, "en", "0.1.0", None, (), DAY),
    Vote("oom", True, "en", "0.1.0", None, (), DAY),
    Vote("hang", False, "en", "0.1.0", "wrong_version", (), DAY),
    Vote("fine", True, "en", "0.1.0", None, (), DAY),
]


def test_lines_that_differ_in_a_word_are_one_failure():
    groups = [(group.lines, group.count) for group in cluster(QUESTIONS) if group.lines]
    assert groups == [((LORA,), 4), ((GRAMMAR,), 3)]


def test_failures_that_share_only_words_of_every_error_stay_apart():
    others = ["RuntimeError: weights failed to load from disk", "RuntimeError: tokenizer failed"]
    assert len(cluster([asked(GRAMMAR), *map(asked, others)])) == 3


def test_past_the_bound_lines_join_by_their_first_line_alone(monkeypatch):
    monkeypatch.setattr("kb.feedback.clusters.MAX_COMPARED", 1)
    questions = [asked(LORA), asked(LORA), asked(LORA_2), asked(LORA, GRAMMAR)]
    assert [(group.lines, group.count) for group in cluster(questions)] == [
        ((LORA,), 3),
        ((LORA_2,), 1),
    ]


def test_questions_in_words_are_told_apart_by_what_they_were_near():
    groups = [(dict(group.nearest), group.count) for group in cluster(QUESTIONS) if not group.lines]
    assert groups == [({"oom": 2}, 2), ({}, 1), ({"hang": 1}, 1)]


def test_every_question_is_counted_once():
    assert sum(group.count for group in cluster(QUESTIONS)) == len(QUESTIONS)


def test_the_order_of_the_questions_changes_nothing():
    expected = gaps_report(QUESTIONS, VOTES)
    for seed in range(10):
        shuffled, votes = QUESTIONS[:], VOTES[:]
        random.Random(seed).shuffle(shuffled)
        random.Random(seed).shuffle(votes)
        assert gaps_report(shuffled, votes) == expected


def test_the_report_says_how_often_when_and_in_which_language():
    text = gaps_report(QUESTIONS, VOTES)
    first = text.split("### 1. ")[1].split("### 2. ")[0]
    assert first.startswith("Asked 4 times")
    assert "en 3, ko 1" in first
    assert "1970-01-02 to 1970-01-04" in first
    assert "`lora` (4)" in first
    assert "11 questions without an answer" in text


def test_the_report_names_sections_that_did_not_help_and_why():
    text = gaps_report(QUESTIONS, VOTES)
    assert "| `oom` | 3 | 1 | hard to follow 2, not said 1 | en 2, ko 1 |" in text
    assert text.index("| `oom` | 3") < text.index("| `hang` | 1")
    assert "| `fine`" not in text
    assert f"1 × {GRAMMAR}" in text


def test_each_reason_has_its_words():
    assert set(report._MEANINGS) == set(REASONS)


@pytest.mark.parametrize(
    "line",
    [
        LORA,
        "ValueError: a ``` in the line, # and {#id} and [x](y) <b>",
        "RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:…, unhandled …",
        "ValueError: " + "word " * 37,
    ],
)
def test_a_draft_is_a_section_with_its_signatures(line, tmp_path):
    text = gaps_report([asked(line), asked(line)], [])
    fence = re.search(r"^(`{3,})markdown\n(.*?)\n\1$", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "new.md").write_text(fence[2] + "\n", encoding="utf-8")
    (section,) = KnowledgeBase.build(tmp_path).index.sections
    assert section.signatures == (line.strip(),)
    assert re.fullmatch(r"[a-z0-9-]+", section.id)
    assert section.title


def test_drafts_have_ids_of_their_own():
    lines = [f"ValueError: one two three four five six seven eight {word * 3}" for word in "ab"]
    extra = [" ".join(f"{word}{letter}" for letter in "cdefghijklmnop") for word in "ab"]
    questions = [asked(f"{line} {more}") for line, more in zip(lines, extra, strict=True)]
    found = re.findall(r"\{#(.*)\}", gaps_report(questions, []))
    assert len(found) == len(set(found)) == 2


def test_a_report_is_bounded_and_says_what_is_left_out():
    letters = "abcdefghij"
    pairs = [f"{one}{other}" for one in letters for other in letters + letters.upper()]
    words = [pair.replace(pair[1], f"x{pair[1]}x") if pair[1].isupper() else pair for pair in pairs]
    lines = [f"ValueError: {word}{word} {word}ing {word}er" for word in words]
    text = gaps_report(map(asked, lines), [])
    assert text.count("\n### ") == report.MAX_GAPS
    assert "100 further kinds, asked 100 times together" in text


def test_no_feedback_is_a_report_too():
    assert gaps_report([], []).count("None.") == 3


def test_a_clock_set_to_nonsense_breaks_no_report():
    assert "?" in gaps_report([asked(LORA, at=-(10**15)), asked(LORA, at=10**15)], [])


# --- marks ---


def key_of(first_line):
    return next(group.key for group in cluster(QUESTIONS) if group.lines[:1] == (first_line,))


def test_what_is_ignored_is_left_out_and_counted():
    text = gaps_report(QUESTIONS, [], [Mark(key_of(LORA), "ignored", 0)])
    assert LORA not in text
    assert "Left out: 1 kind marked as done or ignored, asked 4 times together." in text
    assert "11 questions without an answer" in text


def test_what_is_done_comes_back_when_it_is_asked_again():
    done = [Mark(key_of(LORA), "done", 2 * DAY)]
    assert "Marked as done on 1970-01-03, asked 1 time since" in gaps_report(QUESTIONS, [], done)
    before = [question for question in QUESTIONS if question.at < 2 * DAY]
    assert LORA not in gaps_report(before, [], done)


def test_a_mark_stays_with_its_group_when_another_question_leads_it():
    mark = Mark(key_of(LORA), "ignored", 9 * DAY)
    more = [*QUESTIONS, *[asked(LORA_2)] * 5]
    assert (LORA_2,) in [group.lines for group in cluster(more)]  # it leads now
    (gap,) = read_gaps(more, [], [mark]).closed
    assert (gap.cluster.lines, gap.cluster.count) == ((LORA_2,), 9)


def test_of_two_marks_in_a_group_the_later_one_counts():
    keys = sorted(next(group.keys for group in cluster(QUESTIONS) if group.lines == (LORA,)))
    marks = [Mark(keys[0], "ignored", 9 * DAY), Mark(keys[1], "done", 8 * DAY)]
    assert [gap.mark.state for gap in read_gaps(QUESTIONS, [], marks).closed] == ["ignored"]


def test_questions_in_words_are_marked_by_what_they_were_near():
    key = next(group.key for group in cluster(QUESTIONS) if group.near == "hang")
    (gap,) = read_gaps(QUESTIONS, [], [Mark(key, "done", 9 * DAY)]).closed
    assert gap.cluster.near == "hang"


# --- kb gaps ---


def fill(place):
    store = open_store(place)
    for question in QUESTIONS:
        store.add_unanswered(question)
    for vote in VOTES:
        store.add_vote(vote)
    store.close()


def test_kb_gaps_prints_the_report_of_either_store(place, capsys):
    fill(place)
    assert main(["gaps", "--feedback", place]) == 0
    assert "Asked 4 times" in capsys.readouterr().out


def test_kb_gaps_leaves_out_what_is_marked_unless_all_is_asked_for(place, capsys):
    fill(place)
    store = open_store(place)
    store.set_mark(key_of(LORA), "ignored")
    store.close()
    assert main(["gaps", "--feedback", place]) == 0
    assert LORA not in capsys.readouterr().out
    assert main(["gaps", "--all", "--feedback", place]) == 0
    assert LORA in capsys.readouterr().out


def test_kb_gaps_writes_a_file_and_reads_the_environment(tmp_path, monkeypatch, capsys):
    fill(str(tmp_path / "f.db"))
    monkeypatch.setenv("KB_FEEDBACK", str(tmp_path / "f.db"))
    assert main(["gaps", "--output", str(tmp_path / "gaps.md")]) == 0
    assert "{#valueerror-lora-adapter" in (tmp_path / "gaps.md").read_text(encoding="utf-8")
    assert capsys.readouterr().out == ""


def test_kb_gaps_without_feedback_says_what_to_give(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("KB_FEEDBACK", raising=False)
    assert main(["gaps"]) == 2
    assert "--feedback" in capsys.readouterr().err
    assert main(["gaps", "--feedback", str(tmp_path / "none.db")]) == 2
    assert "does not exist" in capsys.readouterr().err
