from __future__ import annotations

import pytest

from kb.catalog import Catalog, check_variable, flag_note
from kb.catalog.variables import _form_at

CATALOG = Catalog.load()


@pytest.mark.parametrize(
    ("name", "version", "status", "use"),
    [
        ("SGLANG_DISAGGREGATION_BOOTSTRAP_TIMEOUT", "0.5.23", "accepted", None),
        ("SGLANG_LOG_MS=1", "0.5.7", "accepted", None),
        ("SGLANG_LOG_MS", "0.4.9", "not_yet", None),
        ("SGLANG_CUTLASS_MOE", "0.5.9", "deprecated", "--moe-runner-backend"),
        ("SGLANG_TRITON_PREFILL_TRUNCATION_ALIGN_SIZE", "0.5.23", "deprecated", None),
        ("SGLANG_LOGITS_PROCESSER_CHUNK_SIZE", "0.5.16", "deprecated", "SGLANG_LOGPROB_CHUNK_SIZE"),
        ("SGLANG_LOGITS_PROCESSER_CHUNK_SIZE", "0.5.21", "removed", "SGLANG_LOGPROB_CHUNK_SIZE"),
        ("SGLANG_LOG_MSS", "0.5.23", "unknown", "SGLANG_LOG_MS"),
        ("SGL_LOG_MS", "0.5.7", "deprecated", "SGLANG_LOG_MS"),
        ("SGL_ENABLE_JIT_DEEPGEMM", "0.5.9", "deprecated", "SGLANG_ENABLE_JIT_DEEPGEMM"),
        ("SGL_ENABLE_JIT_DEEPGEMM", "0.5.2", "accepted", None),
        (
            "SGL_DISABLE_TP_MEMORY_INBALANCE_CHECK",
            "0.5.18",
            "removed",
            "SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK",
        ),
        ("NO_SUCH_THING_AT_ALL", "0.5.23", "unknown", None),
    ],
)
def test_the_verdict_of_a_version(name, version, status, use):
    verdict = check_variable(CATALOG, name, version)
    assert (verdict.status, verdict.use) == (status, use)


def test_a_variable_that_is_read_is_never_called_absent():
    for place, release in enumerate(CATALOG.releases):
        for name in list(CATALOG.variables)[place % 5 :: 5]:
            verdict = check_variable(CATALOG, name, release)
            read = _form_at(CATALOG, name, place) is not None
            other = "SGL_DISABLE_TP_MEMORY_INBALANCE_CHECK"  # became one with another meaning
            copied = (
                name != other and place >= CATALOG.position("0.5.3") and name.startswith("SGL_")
            )
            twin = name.replace("SGL_", "SGLANG_", 1)
            if copied and twin in CATALOG.variables:
                read = read or _form_at(CATALOG, twin, place) is not None
            assert (verdict.status in ("accepted", "deprecated")) == read


def test_notes_are_whole_in_both_languages():
    for release in CATALOG.releases[::10]:
        for name in [*list(CATALOG.variables)[::7], "SGL_NOTHING", "SGLANG_LOG_MSS"]:
            verdict = check_variable(CATALOG, name, release)
            for language in ("ko", "en"):
                assert "None" not in flag_note(verdict, language).note
