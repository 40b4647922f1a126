"""Each flag of a command is judged for a version, with its value; `kb doctor` prints it."""

from __future__ import annotations

import argparse
import json

import pytest

from kb.answer.launch_command import check_command, find_command, fix_flags, parse_command
from kb.catalog.catalog import Catalog
from kb.cli.doctor import add_doctor_parser
from kb.errors import CatalogError, InputError
from kb.types import FlagNote

CATALOG = Catalog.load()


def notes(command: str, version: str | None) -> tuple[FlagNote, ...]:
    found = parse_command(command)
    assert found is not None
    return check_command(found, CATALOG, version, "en")


def test_one_note_per_flag_in_order() -> None:
    checked = notes(
        "docker run --gpus all image python3 -u -m sglang.launch_server --model-path m --tp 8"
        " --trust-remote-code --tp 4",
        "0.5.9",
    )
    assert [note.flag for note in checked] == [
        "--model-path",
        "--tp",
        "--trust-remote-code",
        "--tp",
    ]
    assert {note.status for note in checked} == {"accepted"}


@pytest.mark.parametrize(
    ("version", "status", "use"),
    [
        ("0.5.9", "accepted", None),
        ("0.5.16", "deprecated", "--cuda-graph-max-bs-decode"),
        ("0.5.21", "ambiguous", "--cuda-graph-max-bs-decode"),
    ],
)
def test_the_version_decides(version: str, status: str, use: str | None) -> None:
    (note,) = notes("--cuda-graph-max-bs 16", version)
    assert (note.status, note.use) == (status, use)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("--tp two", "`two` is not a whole number."),
        ("--mem-fraction-static high", "`high` is not a number."),
        ("--mem-fraction-static 1.5", "`1.5` is out of range: 0 to 1."),
        ("--port 70000", "`70000` is out of range: 1 to 65535."),
        ("--tp", "It needs a value, and none follows."),
        ("--trust-remote-code true", "It is a switch and takes no value: leave out `true`."),
        ("--tp 4 8", "It takes one value; `8` is left over."),
    ],
)
def test_a_value_that_does_not_fit_is_named(command: str, sentence: str) -> None:
    (note,) = notes(command, "0.5.9")
    assert note.status == "accepted"
    assert note.note.endswith(sentence)


def test_choices_are_those_of_the_version() -> None:
    (old,) = notes("--attention-backend trtllm_mha", "0.4.3")
    (new,) = notes("--attention-backend trtllm_mha", "0.5.9")
    assert "`trtllm_mha` is not a value it takes in 0.4.3" in old.note
    assert "`flashinfer`, `triton`, `torch_native`" in old.note
    assert "not a value" not in new.note


@pytest.mark.parametrize("value", ["$TP", "<gpus>", "{{ .Values.tp }}", "...", "8"])
def test_a_stand_in_is_not_judged(value: str) -> None:
    (note,) = notes(f"--tp {value}" if " " not in value else f"--tp '{value}'", "0.5.9")
    assert "number" not in note.note


def test_a_typographic_dash_is_named() -> None:
    (note,) = notes("—tp 8", "0.5.9")
    assert (note.status, note.flag, note.use) == ("unknown", "—tp", "--tp")


def test_keywords_of_an_engine_are_flags_too() -> None:
    found = find_command('sgl.Engine(model_path="m", tp_size=2, mem_fraction_static=0.9)')
    assert found is not None
    checked = check_command(found, CATALOG, "0.5.9", "ko")
    assert [(note.flag, note.status) for note in checked] == [
        ("model_path", "accepted"),
        ("tp_size", "accepted"),
        ("mem_fraction_static", "accepted"),
    ]


def test_renames_keep_the_value_and_make_none_up() -> None:
    command = parse_command("--cuda-graph-max-bs=16 --enable-ep-moe --stream-output --tp 2")
    assert command is not None
    advice = fix_flags(command, CATALOG, "0.5.21")
    assert advice is not None
    # --enable-ep-moe became --ep-size N, and nobody but the user knows N.
    assert advice.suggested == (
        "--cuda-graph-max-bs-decode=16 --enable-ep-moe --incremental-streaming-output --tp 2"
    )


def test_nothing_to_rename_is_no_advice() -> None:
    command = parse_command("--tp 2 --cuda-graph-max-bs 16")
    assert command is not None
    assert fix_flags(command, CATALOG, "0.5.9") is None


def doctor(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    add_doctor_parser(parser.add_subparsers())
    args = parser.parse_args(["doctor", *arguments])
    return int(args.run(args))


def test_doctor_prints_the_flags_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code = doctor(
        "sglang serve --model-path m --cuda-graph-max-bs 16", "--version", "0.5.21", "--json"
    )
    printed = json.loads(capsys.readouterr().out)
    assert code == 1
    assert [(flag["flag"], flag["status"], flag["use"]) for flag in printed["flags"]] == [
        ("--model-path", "accepted", None),
        ("--cuda-graph-max-bs", "ambiguous", "--cuda-graph-max-bs-decode"),
    ]
    assert printed["command"]["suggested"] == (
        "sglang serve --model-path m --cuda-graph-max-bs-decode 16"
    )


def test_doctor_says_that_all_is_fine(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor("sglang serve --model-path m --tp 2", "--version", "0.5.9") == 0
    assert "Every flag is accepted." in capsys.readouterr().out


def test_doctor_takes_the_version_from_an_image_tag(capsys: pytest.CaptureFixture[str]) -> None:
    command = "docker run lmsysorg/sglang:v0.5.9 sglang serve --model-path m"
    assert doctor(command, "--language", "ko") == 0
    assert capsys.readouterr().out.startswith("SGLang 0.5.9 기준으로 확인했어요.")


def test_doctor_without_a_version_says_whose_flags_it_used(
    capsys: pytest.CaptureFixture[str],
) -> None:
    doctor("sglang serve --model-path m")
    assert "the newest known; give --version for yours" in capsys.readouterr().out


def test_doctor_refuses_what_is_no_command() -> None:
    with pytest.raises(InputError, match="No launch command"):
        doctor("hello")


def test_doctor_refuses_what_is_no_version() -> None:
    with pytest.raises(CatalogError, match="not a version"):
        doctor("sglang serve --model-path m", "--version", "newest")
