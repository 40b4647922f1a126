"""`kb doctor` judges the variables of SGLang's too, wherever a launch sets them."""

from __future__ import annotations

import pytest

from kb.answer.diagnosis import diagnose
from kb.answer.find_variables import find_variables
from kb.cli import main
from kb.errors import InputError

LAUNCH = "python3 -m sglang.launch_server --model-path m --tp 8"
MANIFEST = """\
containers:
- name: sglang
  image: lmsysorg/sglang:v0.5.9
  command: ["python3", "-m", "sglang.launch_server", "--model-path", "m"]
  env:
  - name: SGLANG_LOG_MS
    value: "1"
  - name: SGLANG_HOST_IP
    valueFrom:
      fieldRef:
        fieldPath: status.podIP
  - name: NCCL_DEBUG
    value: INFO
"""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f"SGLANG_A=1 SGL_B='x y' {LAUNCH}", ["SGLANG_A", "SGL_B"]),
        (f"env SGLANG_A=1 {LAUNCH}", ["SGLANG_A"]),
        (f"export SGLANG_A=1\nexport SGLANG_B\n{LAUNCH}", ["SGLANG_A"]),
        (f"export SGLANG_A=1 && {LAUNCH}", ["SGLANG_A"]),
        (
            f"docker run -e SGLANG_A=1 --env SGLANG_B=2 --env=SGLANG_C=3 -e SGLANG_D i {LAUNCH}",
            list("ABCD"),
        ),
        ('{"name": "SGLANG_A", "value": "1"}, "env": {"SGLANG_B": "2"}', list("AB")),
        ("environment:\n  SGLANG_A: 1\n  - SGLANG_B=2\n", list("AB")),
        ("ENV SGLANG_A 1\nENV SGLANG_B=2", list("AB")),
        ('os.environ["SGLANG_A"] = "1"', []),
        (f"{LAUNCH} --port $SGLANG_A --host ${{SGLANG_B}} # SGLANG_C is not set", []),
        (MANIFEST, ["SGLANG_LOG_MS", "SGLANG_HOST_IP"]),
        ("SGLANG_A=1 SGLANG_A=2", ["SGLANG_A"]),
    ],
)
def test_variables_are_found_in_every_form_a_launch_is_written_in(text, names):
    names = [f"SGLANG_{name}" if len(name) == 1 else name for name in names]
    assert [found.name for found in find_variables(text)] == names
    for found in find_variables(text):
        assert text.startswith(found.name, found.start)


@pytest.mark.parametrize(
    ("variable", "release", "status", "use"),
    [
        ("SGLANG_LOG_MS", "0.5.9", "accepted", None),
        ("SGLANG_LOG_MS", "0.4.9", "not_yet", None),
        ("SGLANG_LOG_MSS", "0.5.9", "unknown", "SGLANG_LOG_MS"),
        ("SGL_LOG_MS", "0.5.9", "deprecated", "SGLANG_LOG_MS"),
        ("SGLANG_LOGITS_PROCESSER_CHUNK_SIZE", "0.5.21", "removed", "SGLANG_LOGPROB_CHUNK_SIZE"),
    ],
)
def test_a_variable_in_front_is_judged_for_the_release(variable, release, status, use):
    found = diagnose(f"{variable}=1 {LAUNCH}", release, "en")
    assert [note.flag for note in found.diagnosis.flags] == ["--model-path", "--tp", variable]
    assert (found.diagnosis.flags[-1].status, found.diagnosis.flags[-1].use) == (status, use)
    assert found.is_fine == (status in ("accepted", "deprecated"))


def test_variables_of_others_are_left_alone():
    front = "CUDA_VISIBLE_DEVICES=0,1 NCCL_DEBUG=INFO NCCL_NO_SUCH=1 HF_TOKEN=x MY_SGLANG_X=1"
    found = diagnose(f"{front} {LAUNCH}", "0.5.9", "en")
    assert [note.flag for note in found.diagnosis.flags] == ["--model-path", "--tp"]
    assert "Every flag is accepted." in found.text


def test_a_manifest_is_judged_by_its_image_with_its_variables():
    found = diagnose(MANIFEST, None, "ko")
    assert found.diagnosis.release == "0.5.9"
    assert [note.flag for note in found.diagnosis.flags] == [
        "--model-path",
        "SGLANG_LOG_MS",
        "SGLANG_HOST_IP",
    ]
    assert "모든 플래그와 SGLang 환경 변수를 쓸 수 있어요." in found.text


def test_a_prefix_the_release_does_not_read_is_renamed_with_its_value_kept():
    command = f"SGLANG_ENABLE_JIT_DEEPGEMM='0' {LAUNCH}"
    found = diagnose(command, "0.5.2", "en").diagnosis.command
    assert found is not None
    assert found.suggested == command.replace("SGLANG_", "SGL_", 1)
    assert [(change.old, change.new) for change in found.changes] == [
        ("SGLANG_ENABLE_JIT_DEEPGEMM='0'", "SGL_ENABLE_JIT_DEEPGEMM='0'")
    ]


@pytest.mark.parametrize("variable", ["SGLANG_LOG_MSS", "SGLANG_LOGITS_PROCESSER_CHUNK_SIZE"])
def test_a_guess_and_a_name_with_other_words_are_for_the_reader_to_write(variable):
    assert diagnose(f"{variable}=1 {LAUNCH}", "0.5.21", "en").diagnosis.command is None


def test_variables_alone_are_judged_and_nothing_at_all_is_an_error():
    assert not diagnose("export SGLANG_LOG_MSS=1", "0.5.9", "en").is_fine
    with pytest.raises(InputError, match="No launch command"):
        diagnose("export NCCL_DEBUG=INFO", "0.5.9", "en")


def test_the_command_line_says_so(capsys):
    assert main(["doctor", f"SGLANG_LOG_MSS=1 {LAUNCH}", "--version", "0.5.9"]) == 1
    assert "!!  SGLANG_LOG_MSS  SGLang reads no variable" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "is_fine"),
    [
        ("python3 -m sglang.launch_server --tp 8", False),
        ("sglang serve --tp 8", False),
        ("sglang serve Qwen/Qwen3-8B --tp 8", True),
        ("python3 -m sglang.launch_server --model-path=m --tp 8", True),
        ("python3 -m sglang.launch_server $ARGUMENTS --tp 8", True),
        ("--tp 8", True),
    ],
)
def test_a_server_needs_a_model(command, is_fine):
    assert diagnose(command, "0.5.9", "en").is_fine is is_fine
