from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.catalog import Catalog, MessageMatcher
from kb.catalog.release_set import Extraction, ReleaseSet


@pytest.fixture(scope="module")
def matcher() -> MessageMatcher:
    return MessageMatcher(Catalog.load())


def _matcher(folder: Path, *releases: tuple[str, dict[str, str]]) -> MessageMatcher:
    found = ReleaseSet()
    for version, messages in releases:
        places = {text: (kind, "srt/a.py") for text, kind in messages.items()}
        found.add(Extraction(version, None, {}, {}, places))
    found.write(folder)
    return MessageMatcher(Catalog(folder))


@pytest.mark.parametrize(
    ("line", "template", "file"),
    [
        (
            "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
            "Not enough memory. Please try to increase --mem-fraction-static.",
            "srt/model_executor/",
        ),
        (
            "[2025-05-19 23:22:28 TP3] Received sigquit from a child process."
            " It usually means the child failed.",
            "Received sigquit from a child process. It usually means the child failed.",
            "srt/entrypoints/engine.py",
        ),
        (
            "[2026-02-12 11:38:29 TP0 EP0] Scheduler hit an exception: Traceback (most recent",
            "Scheduler hit an exception: …",
            "srt/managers/scheduler.py",
        ),
    ],
)
def test_a_pasted_line_is_recognised_as_the_programs_own(matcher, line, template, file):
    found = matcher.match(line)
    assert found is not None
    assert found.template == template
    assert found.file.startswith(file)


def test_the_flags_it_names_come_with_it(matcher: MessageMatcher):
    found = matcher.match("Not enough memory. Please try to increase --mem-fraction-static.")
    assert found is not None
    assert found.flags == ("--mem-fraction-static",)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Error: x",
        "RuntimeError: CUDA out of memory",
        "How do I make my model load faster on two GPUs with tensor parallelism?",
        "서버가 안 떠요. 어떻게 하나요?",
        "Traceback (most recent call last):",
        '  File "/usr/lib/python3/site-packages/x.py", line 3, in run',
        "npm ERR! could not resolve dependency of the package",
    ],
)
def test_other_text_is_no_message(matcher: MessageMatcher, line: str):
    assert matcher.match(line) is None


def test_the_most_specific_template_is_named_with_the_releases_of_all_that_fit(tmp_path: Path):
    matcher = _matcher(
        tmp_path,
        ("1.0", {"Cannot load the weights of …": "raise"}),
        ("2.0", {"Cannot load the weights of … from folder … (missing file)": "raise"}),
    )
    long = matcher.match("Cannot load the weights of a/b from folder /x (missing file)")
    assert long is not None
    assert long.template == "Cannot load the weights of … from folder … (missing file)"
    assert (long.first, long.last) == ("1.0", "2.0")
    short = matcher.match("Cannot load the weights of a/b from folder /x")
    assert short is not None
    assert (short.first, short.last) == ("1.0", "1.0")


def test_a_line_of_a_longer_message_is_enough(tmp_path: Path):
    several = (
        "Capture of the graph failed: …\nPossible solutions are these two:\n1. buy a bigger GPU"
    )
    matcher = _matcher(tmp_path, ("1.0", {several: "raise"}), ("2.0", {several + "!": "raise"}))
    found = matcher.match("Possible solutions are these two:")
    assert found is not None
    assert (found.first, found.last) == ("1.0", "2.0")


def test_pieces_must_come_in_order_and_the_end_be_the_end(tmp_path: Path):
    matcher = _matcher(tmp_path, ("1.0", {"Value … is too large for the graph": "raise"}))
    assert matcher.match("ValueError: Value 3 is too large for the graph")
    assert matcher.match('{"message":"Value 3 is too large for the graph","code":400}')
    assert not matcher.match("is too large for the graph Value 3")
    assert not matcher.match("Value 3 is too large for the graph of my neighbour")
    assert not matcher.match("myValue 3 is too large for the graph")


def test_a_template_without_enough_words_never_matches(tmp_path: Path):
    texts = {"Error: …": "raise", "… is not supported": "raise", "… failed with …": "raise"}
    matcher = _matcher(tmp_path, ("1.0", texts))
    for line in ("Error: the model is not supported", "x failed with y", "a b c is not supported"):
        assert matcher.match(line) is None


def test_every_specific_template_recognises_itself_filled_in(matcher: MessageMatcher):
    """Filled with a value where it varies, a template matches itself or one that says more."""
    found = tried = 0
    for message in matcher.catalog.messages[::23]:
        if "\n" in message.template or len(message.template) < 60:
            continue
        tried += 1
        filled = message.template.replace("…", "7")
        match = matcher.match(f"[2026-01-01 00:00:00 TP0] {filled}")
        found += match is not None
    assert tried > 200
    assert found / tried > 0.97


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=300))
def test_any_line_is_matched_or_not_but_never_raises(line: str):
    MATCHER.match(line)


def test_time_is_linear_in_the_paste(matcher: MessageMatcher):
    line = "not support the model " * 400
    started = time.process_time()
    for _ in range(20):
        matcher.match(line)
    short = time.process_time() - started
    started = time.process_time()
    for _ in range(20):
        matcher.match(line * 50)
    assert time.process_time() - started < 3 * short + 0.05


MATCHER = MessageMatcher(Catalog.load())
