from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.catalog import Catalog, check_flag, flag_note
from kb.catalog.foreign import counterpart, renames
from kb.catalog.successors import flag_name, prefix_matches
from kb.errors import CatalogError
from kb.strings import STRINGS

CATALOG = Catalog.load()


@pytest.mark.parametrize(
    ("flag", "version", "status", "use"),
    [
        ("--cuda-graph-max-bs", "0.5.9", "accepted", None),
        ("--cuda-graph-max-bs", "0.5.16", "deprecated", "--cuda-graph-max-bs-decode"),
        ("--cuda-graph-max-bs", "0.5.21", "ambiguous", "--cuda-graph-max-bs-decode"),
        ("--cuda-graph-max-bs-decode", "0.5.9", "not_yet", "--cuda-graph-max-bs"),
        ("--cuda-graph-max-bs-decode", "0.5.14", "accepted", None),
        ("--cuda-graph-max-bs-decode=16", "0.5.9", "not_yet", "--cuda-graph-max-bs"),
        ("--tp", "0.3.0", "accepted", None),
        ("--mem-frac=0.8", "0.4.3", "accepted", None),
        ("--pp", "0.5.4", "ambiguous", "--pp-size"),
        ("--context", "0.5.21", "ambiguous", "--context-length"),
        ("--reasoning_parser", "0.5.9", "unknown", "--reasoning-parser"),
        ("--tool_call_parser", "0.4.0", "unknown", None),
        ("tp_size", "0.5.21", "accepted", None),
        ("tp-size", "0.5.21", "accepted", None),
        ("tensor-parallel-size: 2", "0.5.21", "accepted", None),
        ("fp8_gemm_runner_backend", "0.5.21", "accepted", None),
        ("cuda_graph_max_bs", "0.5.9", "accepted", None),
        ("--log-request-level", "0.5.23", "unknown", "--log-requests-level"),
        ("--debug-mode", "0.5.23", "unknown", None),
        ("--max-model-len", "0.5.9", "foreign", "--context-length"),
        ("--gpu-memory-utilization", "0.3.0", "foreign", "--mem-fraction-static"),
        ("--max-num-seqs", "0.5.23", "foreign", "--max-running-requests"),
        ("--enable-reasoning", "0.5.9", "foreign", "--reasoning-parser"),
        ("--enable-reasoning", "0.4.0", "foreign", None),
        ("--enforce-eager", "0.5.9", "foreign", "--disable-cuda-graph"),
        ("--enforce-eager", "0.5.23", "foreign", "--cuda-graph-backend-decode"),
        ("--tokenizer", "0.5.23", "ambiguous", "--tokenizer-path"),
        ("--enable-ep-moe", "0.5.2", "deprecated", "--ep-size"),
        ("--enable-ep-moe", "0.5.3", "removed", "--ep-size"),
        ("--nsa-prefill-cp-mode", "0.5.22", "removed", "--cp-strategy"),
        ("--attn-dp-size", "0.5.21", "not_yet", "--dp-size"),
        ("--enable-dp-attention", "0.5.22", "deprecated", "--attn-dp-size"),
        ("--disable-shared-experts-fusion", "0.4.6", "removed", None),
        ("--torchao-config", "0.5.23", "removed", None),
        ("--nccl-init-addr", "0.5.23", "accepted", None),
        ("--no-mm-enable-dp-encoder", "0.5.23", "accepted", None),
        ("-h", "0.5.23", "accepted", None),
        ("--model-type=llm", "0.5.10", "accepted", None),
        ("--model-type", "0.5.9", "not_yet", None),
        ("--x", "0.5.23", "unknown", None),
        ("--", "0.5.23", "unknown", None),
        ("", "0.5.23", "unknown", None),
    ],
)
def test_the_verdict_of_a_version(flag, version, status, use):
    verdict = check_flag(CATALOG, flag, version)
    assert (verdict.status, verdict.use) == (status, use)


def test_a_replacement_with_values_is_given_whole():
    verdict = check_flag(CATALOG, "--disable-cuda-graph", "0.5.23")
    assert verdict.replacement == (
        "--cuda-graph-backend-decode=disabled --cuda-graph-backend-prefill=disabled"
    )
    assert check_flag(CATALOG, "--attn-dp-size", "0.5.21").replacement == (
        "--dp-size --enable-dp-attention"
    )


def test_a_value_that_is_gone_is_not_recommended():
    verdict = check_flag(CATALOG, "--enforce-piecewise-cuda-graph", "0.5.23")
    assert verdict.replacement == "--cuda-graph-backend-prefill"


def test_an_ambiguous_prefix_lists_what_the_parser_lists():
    verdict = check_flag(CATALOG, "--cuda-graph-max-bs", "0.5.21")
    assert verdict.candidates == ("--cuda-graph-max-bs-decode", "--cuda-graph-max-bs-prefill")


def test_a_flag_that_is_gone_but_begins_another_is_said_to_be():
    verdict = check_flag(CATALOG, "--return-hidden-states", "0.5.23")
    assert (verdict.status, verdict.reason) == ("accepted", "flag.accepted_other")
    assert verdict.name == "--return-hidden-states-mode"
    renamed = check_flag(CATALOG, "--nsa-prefill", "0.5.4")
    assert renamed.reason == "flag.accepted_as"


def test_history_and_form_come_with_the_verdict():
    verdict = check_flag(CATALOG, "--cuda-graph-max-bs", "0.5.16")
    assert (verdict.since, verdict.last) == ("0.3.5", "0.5.19")
    assert verdict.deprecated_since == "0.5.14"
    assert verdict.form is not None
    assert verdict.form.field == "cuda_graph_max_bs_decode"


def test_without_a_version_the_newest_judges_and_the_note_says_so():
    verdict = check_flag(CATALOG, "--cuda-graph-max-bs", None)
    assert verdict.release == CATALOG.newest
    assert CATALOG.newest in flag_note(verdict, "en").note
    assert "No version was given" in flag_note(verdict, "en").note


def test_a_version_newer_than_the_catalogue_is_judged_by_the_newest_and_said_so():
    note = flag_note(check_flag(CATALOG, "--tp-size", "99.1"), "ko").note
    assert "99.1" in note
    assert CATALOG.newest in note


def test_garbage_for_a_version_is_an_error():
    with pytest.raises(CatalogError, match="is not a version"):
        check_flag(CATALOG, "--tp-size", "newest please")


def test_what_is_to_be_written_is_accepted_in_that_release():
    """Over every spelling that ever was, other programs' flags and slips, in every release."""
    spellings = [*CATALOG.flags, "--reasoning_parser", "--log-request-level", "--chunked_prefill"]
    spellings += [flag for flag in FOREIGN if flag not in CATALOG.flags]
    fields = [f"--{field}" for field in CATALOG.fields]
    for place, release in enumerate(CATALOG.releases):
        accepted = CATALOG.accepted_spellings(release)
        options = CATALOG.options(release)
        for spelling in spellings + fields[place % 10 :: 10]:
            verdict = check_flag(CATALOG, spelling, release)
            if verdict.use is not None:
                assert verdict.replacement is not None
                for written in verdict.replacement.split():
                    if verdict.use == "--model-type":  # `sglang serve` takes it, not the parser
                        continue
                    assert flag_name(written) in accepted, (spelling, release, verdict)
                    assert not options[flag_name(written)][1].refused
                assert verdict.use == flag_name(verdict.replacement.split()[0])
            if verdict.status == "deprecated" and verdict.use is not None:
                assert verdict.use != verdict.name


def test_the_status_says_what_the_parser_would_do():
    for release in CATALOG.releases[::7]:
        options = CATALOG.options(release)
        for spelling in CATALOG.flags:
            status = check_flag(CATALOG, spelling, release).status
            exact = spelling in options and not options[spelling][1].refused
            matches = prefix_matches(spelling, options)
            serve_only = CATALOG.flags[spelling].runs[-1].form.kind == "serve_only"
            if exact:
                assert status in ("accepted", "deprecated")
            elif spelling not in options and len(matches) > 1:
                assert status == "ambiguous"
            elif spelling not in options and not matches and not serve_only:
                assert status in ("not_yet", "removed")


@given(st.text(max_size=40), st.sampled_from(CATALOG.releases))
def test_any_text_gets_a_verdict_and_a_note(text: str, release: str):
    verdict = check_flag(CATALOG, text, release)
    for language in ("ko", "en"):
        note = flag_note(verdict, language)
        assert note.flag == text
        assert "None" not in note.note.replace(text, "") or "None" in text


def test_notes_are_whole_in_both_languages_for_every_reason():
    seen = set()
    spellings = [*list(CATALOG.flags)[::9], "--reasoning_parser", "--max-model-len", "--swap-space"]
    spellings += ["--tool_call_parser", "--zzz", "--cuda-graph-max-bs", "--return-hidden-states"]
    spellings += [
        "--disable-shared-experts-fusion",
        "--enable-overlap-schedule",
        "--log-request-level",
    ]
    for release in CATALOG.releases[::3]:
        for spelling in spellings:
            verdict = check_flag(CATALOG, spelling, release)
            seen.add(verdict.reason)
            for language in ("ko", "en"):
                note = flag_note(verdict, language).note
                assert "None" not in note, (verdict, note)
                assert "{" not in note
    assert seen <= set(STRINGS)
    assert len(seen) >= 14


def test_hand_kept_counterparts_exist_in_some_release():
    ever = set(CATALOG.flags)
    for flag in FOREIGN:
        found = counterpart(CATALOG.folder, flag)
        assert found is not None
        for written in found.written:
            for one in written:
                assert flag_name(one) in ever, (flag, one)
    for old, alternatives in renames(CATALOG.folder).items():
        for written in ((old,), *alternatives):
            for one in written:
                assert flag_name(one) in ever, (old, one)


def test_other_programs_flags_are_not_sglangs_own_in_the_newest_release():
    """A flag SGLang accepts is never called another program's."""
    for flag in FOREIGN:
        if flag in CATALOG.accepted_spellings(None):
            assert check_flag(CATALOG, flag, None).status != "foreign"


def _foreign_flags() -> tuple[str, ...]:
    import yaml

    programs = yaml.safe_load((CATALOG.folder / "foreign.yaml").read_text(encoding="utf-8"))
    return tuple(flag for flags in programs.values() for flag in flags)


FOREIGN = _foreign_flags()
