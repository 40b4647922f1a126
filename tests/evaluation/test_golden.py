from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from kb.errors import InputError
from kb.evaluation.golden import Case, read_golden, read_jsonl

GOLDEN = Path(__file__).parents[1] / "golden"
CONTENT = Path(__file__).parents[2] / "content" / "en"

LOG = """\
=== log-1: a rank runs out of memory
topics: oom-prefill cuda-out-of-memory
kind: log
version: 0.5.9
decisive: CUDA out of memory.
flags: --chunked-prefill-size --mem-fraction-static
--- paste

[TP0] Prefill batch
  torch.OutOfMemoryError: CUDA out of memory. Tried
=== question-1: asked in words
topics: oom-prefill
kind: question
question_en: Long prompts run out of memory: why?
question_ko: 긴 프롬프트에서 OOM 나요
"""


def write(folder: Path, text: str, name: str = "in_scope/oom-prefill.txt") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_case_with_a_paste_keeps_its_lines_verbatim(tmp_path: Path) -> None:
    write(tmp_path, LOG)
    case = read_golden(tmp_path)[0]
    assert case == Case(
        id="oom-prefill/log-1",
        language="en",
        in_scope=True,
        topics=("oom-prefill", "cuda-out-of-memory"),
        paste="\n[TP0] Prefill batch\n  torch.OutOfMemoryError: CUDA out of memory. Tried",
        question=None,
        question_ko=None,
        log_alone=True,
        decisive_line="CUDA out of memory.",
        expected_flags=("--chunked-prefill-size", "--mem-fraction-static"),
        version="0.5.9",
        kind="log",
        title="a rank runs out of memory",
    )


def test_a_question_may_hold_colons_and_has_both_languages(tmp_path: Path) -> None:
    write(tmp_path, LOG)
    case = read_golden(tmp_path)[1]
    assert case.question == "Long prompts run out of memory: why?"
    assert case.question_ko == "긴 프롬프트에서 OOM 나요"
    assert case.paste == "" and not case.log_alone and case.kind == "question"


def test_the_folder_decides_whether_a_case_is_in_scope(tmp_path: Path) -> None:
    write(
        tmp_path,
        "=== q-1: greeting\nkind: question\nquestion_ko: 안녕\n",
        "out_of_scope/random.txt",
    )
    (case,) = read_golden(tmp_path)
    assert not case.in_scope and case.topics == () and case.language == "ko"
    assert case.id == "random/q-1"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("=== log-1\ntopics: a\nkind: log\n--- paste\nx\n", 1, "expected `=== name: title`"),
        ("stray\n=== log-1: t\n", 1, "before the first"),
        ("=== log-1: t\ntopics: a\nkind: crash\n--- paste\nx\n", 1, "`kind` is 'crash'"),
        ("=== log-1: t\nkind: log\n--- paste\nx\n", 1, "`topics`"),
        ("=== log-1: t\ntopics: a\nkind: log\n", 1, "no paste"),
        ("=== q-1: t\ntopics: a\nkind: question\nquestion: x\n--- paste\nx\n", 1, "a paste"),
        ("=== b-1: t\ntopics: a\nkind: both\n--- paste\nx\n", 1, "needs a question"),
        ("=== log-1: t\ntopics: a\nkind: log\nquestion: x\n--- paste\nx\n", 1, "needs no question"),
        ("=== log-1: t\ntopics: a\nflag: --x\n--- paste\nx\n", 3, "expected `key: value`"),
        ("=== log-1: t\ntopics: a\n\ntopics: b\n", 4, "`topics` is repeated"),
        ("=== log-1: t\ntopics:\n", 2, "`topics` is empty"),
        ("=== log-1: t\ntopics: a\nkind: log\ndecisive: y\n--- paste\nx\n", 1, "`decisive`"),
        ("=== log-1: t\ntopics: a\nkind: log\nlog_alone: no\n--- paste\nx\n", 1, "`log_alone`"),
        ("=== q-1: t\ntopics: a\nkind: question\nquestion: x\nquestion_en: x\n", 1, "one field"),
        (LOG + "=== log-1: t\ntopics: a\nkind: log\n--- paste\nx\n", 16, "used twice"),
    ],
)
def test_a_broken_case_is_named_by_file_and_line(
    tmp_path: Path, text: str, line: int, reason: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError) as raised:
        read_golden(tmp_path)
    assert str(raised.value).startswith(f"{path}:{line}: ")
    assert reason in str(raised.value)


def test_topics_out_of_scope_are_refused(tmp_path: Path) -> None:
    write(tmp_path, LOG, "out_of_scope/vllm.txt")
    with pytest.raises(InputError, match="`topics` is for cases in scope"):
        read_golden(tmp_path)


def test_a_folder_without_cases_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No golden case under"):
        read_golden(tmp_path)


def test_jsonl_gives_the_same_case(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    fields = {
        "id": "r1",
        "lang": "zh",
        "in_scope": True,
        "topics": ["oom-decode"],
        "paste": "a\nb",
        "question": "为什么?",
        "question_ko": None,
        "log_alone": True,
        "decisive_line": "b",
        "launch_command": "sglang serve",
        "sglang_version": "0.5.18",
        "expected_flags": ["--x 1"],
    }
    path.write_text(json.dumps(fields) + "\n\n", encoding="utf-8")
    assert read_jsonl(path) == [
        Case(
            id="r1",
            language="zh",
            in_scope=True,
            topics=("oom-decode",),
            paste="a\nb",
            question="为什么?",
            question_ko=None,
            log_alone=True,
            decisive_line="b",
            expected_flags=("--x 1",),
            version="0.5.18",
            kind="both",
            launch_command="sglang serve",
        )
    ]


def test_fields_missing_from_jsonl_are_empty(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_text('{"id": "r2", "paste": "hello"}\n', encoding="utf-8")
    (case,) = read_jsonl(path)
    assert case.kind == "log" and case.log_alone and not case.in_scope
    assert case.topics == () and case.question is None and case.expected_flags == ()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "expected a JSON object"),
        ("{}", "no `id`"),
        ('{"id": "r1", "topics": "a"}', "expected a list of strings"),
        ('{"id": "r1", "paste": 1}', "expected a string or null"),
        ('{"id": "r1", "in_scope": "no"}', "expected true or false"),
        ('{"id": "r0"}', "used twice"),
    ],
)
def test_a_broken_jsonl_line_is_named(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_text(f'{{"id": "r0"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_jsonl(path)
    assert str(raised.value).startswith(f"{path}:2: ")
    assert reason in str(raised.value)


def test_a_missing_jsonl_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Cannot read the cases .*none\.jsonl"):
        read_jsonl(tmp_path / "none.jsonl")


def test_every_topic_has_two_logs_a_question_in_both_languages_and_a_case_of_both() -> None:
    by_topic: dict[str, list[Case]] = {}
    for case in read_golden(GOLDEN):
        if case.in_scope:
            by_topic.setdefault(case.id.split("/")[0], []).append(case)
    for topic, cases in by_topic.items():
        kinds = Counter(case.kind for case in cases)
        assert kinds["log"] >= 2 and kinds["question"] >= 1 and kinds["both"] >= 1, topic
        for case in cases:
            assert topic in case.topics, case.id
            assert (case.kind == "log") != bool(case.question and case.question_ko), case.id


def test_out_of_scope_holds_many_kinds_and_both_languages() -> None:
    foreign = [case for case in read_golden(GOLDEN) if not case.in_scope]
    kinds = {case.id.split("/")[0] for case in foreign}
    assert len(foreign) >= 130 and len(kinds) >= 12
    assert sum(bool(case.question_ko) for case in foreign) >= 40
    assert sum(bool(case.paste) for case in foreign) >= 60


def test_no_paste_is_in_the_golden_set_twice() -> None:
    pastes = Counter(case.paste for case in read_golden(GOLDEN) if case.paste)
    assert [paste[:80] for paste, count in pastes.items() if count > 1] == []


def test_every_topic_is_a_section_of_the_corpus() -> None:
    headings = "\n".join(path.read_text(encoding="utf-8") for path in CONTENT.glob("*.md"))
    sections = set(re.findall(r"^#+ .*\{#([a-z0-9-]+)", headings, re.MULTILINE))
    named = {topic for case in read_golden(GOLDEN) for topic in case.topics}
    assert named - sections == set()
