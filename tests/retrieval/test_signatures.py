from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.retrieval.signatures import SignatureMatcher, compile_signature


def _matcher(*lines: str) -> SignatureMatcher:
    compiled = [compile_signature(str(number), line) for number, line in enumerate(lines)]
    return SignatureMatcher(signature for signature in compiled if signature is not None)


def test_what_varies_may_be_anything_short():
    matcher = _matcher("Tried to allocate … GiB. GPU … has a total capacity of …")
    text = "x\nOOM: Tried to allocate 6.05 GiB. GPU 0 has a total capacity of 79.10 GiB\n"
    (hit,) = matcher.match(text)
    assert (hit.line, hit.share) == (2, 1.0)


def test_pieces_must_come_in_order():
    assert not _matcher("watchdog fired … for request …  rank seven").match(
        "rank seven then for request then watchdog fired"
    )


def test_a_line_wrapped_by_the_terminal_still_matches():
    matcher = _matcher("CUDA out of memory. Tried to allocate … GiB")
    (hit,) = matcher.match("CUDA out of memory.\nTried to allocate 18.56 GiB.")
    assert hit.share == 1.0


def test_a_line_cut_off_by_the_copying_matches_by_its_first_half():
    matcher = _matcher("The memory capacity is unbalanced. Some GPUs may … by other processes")
    (hit,) = matcher.match("ValueError: The memory capacity is unbalanced. Some GPUs may be occ")
    assert 0.5 < hit.share < 1


def test_a_message_that_begins_alike_and_goes_on_otherwise_is_another():
    matcher = _matcher("Capture cuda graph … failed because of memory")
    assert not matcher.match(
        "Capture cuda graph end. Time elapsed: 56.90 s. mem usage=6.22 GB. avail mem=5.61 GB."
    )


def test_case_does_not_matter():
    assert _matcher("CUDA out of memory").match("cuda OUT of memory!")


def test_a_word_is_not_found_inside_another():
    assert not _matcher("peer access is not supported").match("peer access is not supportedly so")


def test_a_piece_that_touches_what_varies_may_go_on_as_a_word():
    assert _matcher("took …s in the warm-up phase").match("took 12.5s in the warm-up phase")


def test_several_blanks_match_however_many_there_are():
    assert _matcher("Issue:     There is a known bug").match("Issue: There is a known bug")
    assert _matcher("Issue:     There is a known bug").match("Issue:       There is a known bug")


def test_two_near_identical_messages_are_told_apart():
    matcher = _matcher(
        "Decode out of memory happened. #retracted_reqs: …",
        "Decode out of memory. Try to lower your batch size.",
    )
    fatal = matcher.match("RuntimeError: Decode out of memory. Try to lower your batch size.")
    normal = matcher.match("Decode out of memory happened. #retracted_reqs: 1, #new_token_ratio")
    assert {hit.signature.owner for hit in fatal} == {"1"}
    assert {hit.signature.owner for hit in normal} == {"0"}


def test_a_template_too_short_to_prove_anything_is_not_compiled():
    assert compile_signature("a", "… OK …") is None


@pytest.mark.parametrize("text", ["", "\n\n", "…" * 50, "\ud800 lone surrogate"])
def test_odd_texts_match_nothing(text):
    assert _matcher("CUDA out of memory").match(text) == []


@given(st.text(alphabet="ab …\n", max_size=60), st.text(alphabet="ab …\n", max_size=200))
def test_matching_never_raises_and_lines_exist(template, text):
    for hit in _matcher(template.replace("\n", " ")).match(text):
        assert 1 <= hit.line <= text.count("\n") + 1


LONG = "could finish the model loading, but there are other ranks that didn't finish loading"


def test_a_line_that_breaks_off_inside_a_long_piece_still_matches():
    matcher = _matcher(f"TP rank … {LONG}")
    (hit,) = matcher.match(
        "x\nValueError: TP rank 1 could finish the model loading, but there are oth"
    )
    assert hit.line == 2
    assert 0 < hit.share < 1


def test_a_line_that_goes_on_otherwise_is_not_taken_for_a_broken_one():
    matcher = _matcher(LONG)
    assert not matcher.match("could finish the model loading, but the ranks all died together")


def test_a_piece_that_a_person_quotes_counts_for_its_owner():
    matcher = _matcher("Not enough memory. Please try to increase --mem-fraction-static.")
    (hit,) = matcher.match_words('the start ends in "Not enough memory" on this card')
    assert hit.signature.owner == "0"
    assert not matcher.match_words("the start ends, not enough memory on this card")


def test_a_quoted_piece_of_several_owners_counts_for_each_the_less():
    matcher = _matcher("the pool is full, retract now", "the pool is full, abort now")
    assert [hit.share for hit in matcher.match_words("it says 'the pool is full' often")] == [
        0.5,
        0.5,
    ]


def test_one_line_that_says_it_a_hundred_thousand_times_is_read_to_its_end():
    said = "could finish the model loading, but there are other ranks that "
    assert not _matcher(LONG).match(said * 100_000)  # quadratic, it would take hours
