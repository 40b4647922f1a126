from __future__ import annotations

from tests.robustness.faults import TABLE, table


def test_the_table_of_faults_is_what_the_tests_say():
    assert TABLE.read_text(encoding="utf-8") == table(), (
        "write it anew with `python -m tests.robustness.faults`"
    )
