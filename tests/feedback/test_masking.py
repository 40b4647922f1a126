"""What is kept of a paste: enough to know the failure, nothing that tells whose it was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kb.feedback.masking import MAX_LINE_CHARS, MAX_LINES, as_paste, signature_lines

PLANTED = Path(__file__).parent.parent / "query" / "planted_secrets.txt"


@pytest.mark.parametrize(
    ("line", "template"),
    [
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a"
            " total capacity of 79.15 GiB",
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate … GiB. GPU … has a"
            " total capacity of … GiB",
        ),
        (
            "FileNotFoundError: no such weights at /home/jane/models/secret-7b/x.safetensors",
            "FileNotFoundError: no such weights at …",
        ),
        (
            "ValueError: The model acme/private-llm is not supported by backend 'triton'",
            "ValueError: The model … is not supported by backend …",
        ),
        (
            "AttributeError: 'NoneType' object has no attribute 'q_lora_rank'",
            "AttributeError: 'NoneType' object has no attribute 'q_lora_rank'",
        ),
        (
            "RuntimeError: fp8 is not supported on sm_80, request id 8f3a-11e2",
            "RuntimeError: fp8 is not supported on sm_80, request id …",
        ),
        (
            "ConnectionError: cannot reach https://kv.acme.example:9000/x?token=abc from 10.1.2.3",
            "ConnectionError: cannot reach … from …",
        ),
        (
            "[2026-10-05 10:21:03 TP3] Not enough memory. Please try to increase"
            " --mem-fraction-static.",
            "Not enough memory. Please try to increase --mem-fraction-static",
        ),
    ],
)
def test_a_line_becomes_a_template(line, template):
    assert signature_lines(line) == (template,)


@pytest.mark.parametrize(
    "words",
    [
        "how do I bake bread",
        "My server at Acme fails with an error when Jane Doe logs in",
        "the Acme cluster shows an error since Monday",
        "서버가 죽었어요. RuntimeError가 나요",
    ],
)
def test_the_words_of_a_person_are_not_kept(words):
    assert signature_lines(words) == ()


def test_words_beside_a_log_are_not_kept():
    log = "ValueError: unsupported head dimension 72\n"
    kept = signature_lines(f"the Acme cluster shows an error since Monday\n오류가 나요\n{log}")
    assert kept == ("ValueError: unsupported head dimension …",)


def test_what_is_quoted_is_not_kept():
    kept = signature_lines("ValueError: prompt rejected by the filter: 'my diagnosis is diabetes")
    assert kept == ("ValueError: prompt rejected by the filter: …",)


def test_exceptions_come_first_and_repeats_once():
    log = (
        "[2026-10-05 10:21:03 TP0] WARNING: the cache of the old release is ignored\n"
        "RuntimeError: rank 0 did not answer\nRuntimeError: rank 1 did not answer\n"
    )
    kept = signature_lines(log)
    assert kept[0] == "RuntimeError: rank … did not answer"
    assert len(kept) == 2


def test_number_and_length_are_bounded():
    words = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india")
    log = "\n".join(f"ValueError: {word} failed {'very ' * 400}badly" for word in words)
    kept = signature_lines(log)
    assert len(kept) == MAX_LINES
    assert max(map(len, kept)) <= MAX_LINE_CHARS


def test_a_long_log_is_read_at_its_end_too():
    log = "[2026-10-05 10:21:03] something ordinary\n" * 200_000 + "ValueError: the last line fails"
    assert signature_lines(log) == ("ValueError: the last line fails",)


def test_a_server_that_hangs_is_known_by_its_last_step():
    log = (
        "[2026-10-05 10:21:03 TP0] Init torch distributed begin.\n"
        "[2026-10-05 10:21:04 TP0] Load weight begin. avail mem=78.00 GB\n"
    )
    assert signature_lines(log) == ("Load weight begin. avail mem=… GB",)


@pytest.mark.parametrize(
    "log",
    [
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
        "[2026-10-05 10:21:03 TP3] Not enough memory: increase --mem-fraction-static.",
        "AttributeError: 'NoneType' object has no attribute 'q_lora_rank'",
        "[2026-10-05 10:21:04 TP0] Load weight begin. avail mem=78.00 GB\n",
        "hello",
    ],
)
def test_templates_read_again_are_the_same(log):
    kept = signature_lines(log)
    assert signature_lines(as_paste(kept)) == kept


def test_no_planted_secret_is_kept():
    text = PLANTED.read_text(encoding="utf-8").replace("·", "")
    cases = re.split(r"^## .*\n", text, flags=re.MULTILINE)[1:]
    secrets = {secret for case in cases for secret in re.findall("⟦([^⟧]*)⟧", case)}
    assert len(secrets) > 150
    kept = []
    for case in cases:
        pasted = re.sub("[⟦⟧]", "", case)
        kept += signature_lines(f"ValueError: refused while reading {pasted}")
        for line in pasted.splitlines():
            kept += signature_lines(f"ValueError: refused while reading {line}")
    assert len(kept) > 150
    # A shorter value, `letmein` or `secret`, may be a word of the line itself.
    leaked = {secret for secret in secrets if len(secret) >= 8 for line in kept if secret in line}
    assert leaked == set()
