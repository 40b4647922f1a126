"""Launch commands are found in pastes: cases in fixtures/commands.txt, laws by hypothesis."""

from __future__ import annotations

import time

import pytest
from case_files import cases, pastes
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.answer.command import LaunchCommand, Option
from kb.answer.find_command import find_command, parse_command


def rows(options: tuple[Option, ...]) -> list[str]:
    return [f"{o.flag} | {' '.join(v.value for v in o.values)}".rstrip() for o in options]


@pytest.mark.parametrize(
    ("paste", "expected"),
    [pytest.param(paste, parts, id=title) for title, paste, parts in cases("commands.txt")],
)
def test_case(paste: str, expected: dict[str, str]) -> None:
    command = find_command(paste)
    if "none" in expected:
        assert command is None or not command.options
        return
    assert command is not None
    assert command.text == expected["given"]
    assert rows(command.options) == expected["flags"].split("\n")
    assert rows(command.variables) == expected.get("variables", "").splitlines()


def assert_faithful(command: LaunchCommand, paste: str) -> None:
    """The command is a slice of the paste, and its words and the gaps between give it back."""
    assert paste[command.offset : command.offset + len(command.text)] == command.text
    pieces, at = [], 0
    for token in command.tokens:
        assert at <= token.start <= token.end <= len(command.text)
        pieces += [command.text[at : token.start], command.text[token.start : token.end]]
        at = token.end
    assert "".join(pieces) + command.text[at:] == command.text
    at = 0
    for option in command.options:
        assert at <= option.start < option.end <= len(command.text)
        written = command.text[option.start : option.end].strip("'\"")
        assert written.startswith(option.flag[:1])
        for value in option.values:
            assert option.start <= value.start <= value.end <= option.end
        at = option.end


@given(pastes)
@settings(max_examples=400, deadline=None)
def test_never_raises_and_is_a_slice_of_the_paste(paste: str) -> None:
    for found in (find_command(paste), parse_command(paste)):
        if found is not None:
            assert_faithful(found, paste)


words = st.text(alphabet="abcXYZ019._/-:", min_size=1, max_size=10).filter(
    lambda word: not word.startswith("-") and not word.endswith((".", ":"))
)
flags = st.text(alphabet="abcdef-", min_size=1, max_size=8).map(lambda name: "--m" + name)


@given(st.lists(st.tuples(flags, st.none() | words), min_size=1, max_size=8), st.data())
@settings(deadline=None)
def test_words_written_one_way_or_another_read_the_same(
    arguments: list[tuple[str, str | None]], data: st.DataObject
) -> None:
    written = ["python3 -m sglang.launch_server"]
    for flag, value in arguments:
        gap = data.draw(st.sampled_from([" ", "  ", " \\\n  ", "\n  "]))
        quote = data.draw(st.sampled_from(["", '"', "'"]))
        form = data.draw(st.sampled_from([" ", "="]))
        written.append(gap + flag + ("" if value is None else f"{form}{quote}{value}{quote}"))
    command = find_command("".join(written) + "\n")
    assert command is not None
    read = [(o.flag, o.values[0].value if o.values else None) for o in command.options]
    assert read == arguments


def test_a_secret_is_marked_and_kept() -> None:
    command = find_command(
        "HF_TOKEN=hf_x python3 -m sglang.launch_server --model-path m --api-key sk-1 --port 1"
    )
    assert command is not None
    assert [command.text[a:b] for a, b in command.secrets] == ["sk-1", "hf_x"]


def test_flags_alone_are_a_command_for_the_doctor_only() -> None:
    assert find_command("--tp 8 --cuda-graph-max-bs 16") is None
    parsed = parse_command("--tp 8 --cuda-graph-max-bs 16")
    assert parsed is not None
    assert rows(parsed.options) == ["--tp | 8", "--cuda-graph-max-bs | 16"]


@pytest.mark.parametrize(
    "line",
    [
        "[2025-12-12 08:43:59 TP0] Decode batch, #running-req: 6, #token: 1920, token usage: 0.94",
        "python3 -m sglang.launch_server --x '",
        "use 'python -m sglang.launch_server' or \"sglang serve\"",
        "  - --model",
        "server_args={'a': {",
        "Engine(a=(",
    ],
)
def test_time_is_linear_in_the_paste(line: str) -> None:
    def seconds(count: int) -> float:
        paste = "\n".join([line] * count)
        started = time.perf_counter()
        find_command(paste)
        return time.perf_counter() - started

    seconds(10)
    assert seconds(20_000) < 40 * max(seconds(2_000), 0.01)


def test_lines_of_a_log_under_bare_arguments_cost_no_more_than_their_length() -> None:
    line = "[2026-06-28 11:30:00 TP0] Decode batch, #running-req: 30, token usage: 0.07"
    started = time.perf_counter()
    command = find_command("\n".join(["args: --model-path x --tp 8", *[line] * 200]))
    assert command is not None and command.text == "--model-path x --tp 8"
    assert time.perf_counter() - started < 1


def test_a_lost_quote_does_not_take_argparse_s_own_lines_for_the_command() -> None:
    paste = (
        "$ python3 -m sglang.launch_server --model-path M --tp 2 -'x\n"
        "usage: launch_server.py [-h] --model-path MODEL_PATH\n"
        "error: unrecognized arguments: -'x\n"
    )
    command = find_command(paste)
    assert command is not None
    assert command.text == "python3 -m sglang.launch_server --model-path M --tp 2 -'x"
