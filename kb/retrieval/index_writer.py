"""An `Index` in, a folder out: a new generation beside the old, then one rename.

The layout is that of `kb.retrieval.index_folder`.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kb.corpus.chunking import MAX_CHUNK_CHARS
from kb.errors import IndexFolderError
from kb.retrieval.candidates import LARGE
from kb.retrieval.dense import write_vectors
from kb.retrieval.index import Index
from kb.retrieval.index_folder import (
    FORMAT,
    GENERATION,
    LOCK,
    MANIFEST,
    NEW,
    NEW_MANIFEST,
    checksum,
    is_ours,
    sha256_of,
)
from kb.retrieval.stored_sections import write_chunks, write_sections
from kb.retrieval.tokenization import TOKENIZER_VERSION
from kb.version import __version__

__all__ = ["prepare_folder", "save_index"]

Files = dict[str, dict[str, int | str]]  # of each file its `bytes` and its `sha256`


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _only_builder(folder: Path) -> Iterator[None]:
    """Let one process at a time publish into `folder`; the others wait their turn."""
    with (folder / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def prepare_folder(folder: Path) -> None:
    """Make `folder` where it is missing and prove that an index can be written there.

    Raises IndexFolderError where it cannot, or is something else's: before hours of embedding.
    """
    if folder.exists() and not folder.is_dir():
        raise IndexFolderError(f"{folder} is a file; give a folder for the index")
    with _io_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        others = [path.name for path in folder.iterdir() if not is_ours(path.name)]
        if others and not (folder / MANIFEST).exists():
            raise IndexFolderError(
                f"{folder} is not an index and not empty (it holds {others[0]});"
                " give an empty or a new folder"
            )
        with tempfile.TemporaryDirectory(dir=folder, prefix=NEW):
            pass


def save_index(index: Index, folder: Path, digest: str) -> None:
    """Write `index` as the new generation of `folder`; `digest` is that of its content.

    Raises IndexFolderError where the folder cannot be written or is something else's.
    """
    prepare_folder(folder)
    with _io_errors(folder), _only_builder(folder):
        _drop_left_over(folder)
        with tempfile.TemporaryDirectory(dir=folder, prefix=NEW) as new:
            generation, files = _write_generation(index, Path(new), folder)
            _publish(index, folder, generation, files, digest)


@contextmanager
def _io_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise IndexFolderError(
            f"the index cannot be written to {folder}: {error.strerror or error};"
            " the index that was there is unchanged. Give a folder that can be written to"
        ) from error


def _drop_left_over(folder: Path) -> None:
    """Remove what killed builds have left; under the lock, nobody else's build is running."""
    for path in folder.iterdir():
        if path.name.startswith(NEW):
            shutil.rmtree(path, ignore_errors=True)
        elif path.name.startswith(NEW_MANIFEST):
            path.unlink(missing_ok=True)


def _write_generation(index: Index, new: Path, folder: Path) -> tuple[str, Files]:
    """Write all files into `new`, then rename it to its digest inside `folder`.

    Returns its name there, and the size and digest of each file.
    """
    write_sections(new, index.sections)
    write_chunks(new, index.chunks)
    write_vectors(index.dense.index, new)
    index.lexical.save(new)
    if len(index.ids) >= LARGE:
        index.tables.save(new)
    names = sorted(path.name for path in new.iterdir())
    for name in names:
        _sync(new / name)
    files: Files = {
        name: {"bytes": (new / name).stat().st_size, "sha256": sha256_of(new / name)}
        for name in names
    }
    together = "".join(str(entry["sha256"]) for entry in files.values())
    digest = hashlib.sha256(together.encode()).hexdigest()
    generation = f"{GENERATION}{digest[:16]}"
    target = folder / generation
    if target.exists() and any(
        not (target / name).is_file() or sha256_of(target / name) != entry["sha256"]
        for name, entry in files.items()
    ):  # the files of that generation were damaged: it may not be touched while it is read
        generation = f"{generation}-{os.getpid()}-{time.time_ns():x}"
        target = folder / generation
    if not target.exists():
        new.chmod(0o755)  # a temporary folder is its owner's alone; an index is for its readers
        new.rename(target)
        new.mkdir()  # for TemporaryDirectory to remove
        _sync(folder)
    return generation, files


def _publish(index: Index, folder: Path, generation: str, files: Files, digest: str) -> None:
    """Point the manifest at `generation` in one rename, then drop the generations before it."""
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "kb": __version__,
        "generation": generation,
        "tokenizer": TOKENIZER_VERSION,
        "chunking": {"max_chunk_chars": MAX_CHUNK_CHARS},
        "encoder": {"name": index.encoder.name, "probe": list(index.encoder.vector)},
        "content": digest,
        "files": files,
    }
    manifest["checksum"] = checksum(manifest)
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=NEW_MANIFEST)
    os.close(descriptor)
    _write(Path(temporary), json.dumps(manifest, indent=1, sort_keys=True) + "\n")
    Path(temporary).chmod(0o644)
    Path(temporary).replace(folder / MANIFEST)
    _sync(folder)
    for path in folder.iterdir():
        if path.name.startswith(GENERATION) and path.name != generation:
            shutil.rmtree(path, ignore_errors=True)
