"""What the benchmark judges by: a piece of a page lies in its section, and a ratio says whose."""

from __future__ import annotations

from tests.benchmarks.peers.sections import section_texts
from tests.benchmarks.table import row
from tests.benchmarks.task import Query, Task, read_task


def task() -> Task:
    return read_task(None)


def test_every_section_is_found_to_lie_in_itself() -> None:
    for page in task().pages:
        for identifier, text in section_texts([page]):
            assert page.ids_in(text)[0] == identifier


def test_a_piece_without_its_heading_lies_in_its_section() -> None:
    for page in task().pages:
        identifier, text = section_texts([page])[0]
        assert page.ids_in(text.split("\n", 1)[1].strip())[0] == identifier


def test_a_fence_that_lost_its_indentation_is_not_whole() -> None:
    one = Task((), (), ("   ```bash\n   kb ask\n   ```",), 0)
    assert one.share_of_fences(["x\n   ```bash\n   kb ask\n   ```\ny"]) == 1
    assert one.share_of_fences(["x\n```bash\nkb ask\n```\ny"]) == 0


def test_each_case_is_asked_once_a_language() -> None:
    queries = task().queries
    assert len({query.id for query in queries}) == len(queries)
    assert all(query.question or query.language == "en" for query in queries)
    assert all(query.accepted for query in queries)


def test_the_condensed_query_keeps_the_error() -> None:
    query = Query("x", "golden", "en", "night crash?", "noise\nRuntimeError: it broke", frozenset({"a"}))
    assert query.condensed == "night crash?\nRuntimeError: it broke"


def test_a_row_marks_the_best_and_divides_by_the_best_peer() -> None:
    assert row("time", {"ours": 4.0, "a": 2.0, "b": None}, "{:.0f}", more=False) == (
        "| time | 4 | **2** | – | 2.00 |"
    )
    assert row("share", {"ours": 0.9, "a": 0.6}, "{:.0%}", more=True) == (
        "| share | **90%** | 60% | 1.50 |"
    )
