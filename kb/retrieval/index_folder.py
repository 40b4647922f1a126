"""An `Index` in, a folder out, and back: checksummed, replaced in one rename, never half-written.

Layout: `manifest.json` names a generation, a folder beside it that holds the files; a build writes
a new generation and then replaces the manifest. Whoever loads reads the manifest first, so it sees
the old index or the new one whole.

    manifest.json    format, generation, tokenizer, encoder, content digest, checksums of all files
    g-<digest>/      sections.jsonl  chunks.jsonl  vectors.faiss  and BM25's arrays and terms
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
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.corpus.chunking import MAX_CHUNK_CHARS, Chunk
from kb.errors import IndexFolderError
from kb.retrieval.dense import DenseIndex
from kb.retrieval.index import EncoderProbe, Index, embedding_text, text_digest
from kb.retrieval.lexical import LexicalIndex
from kb.retrieval.tokenization import TOKENIZER_VERSION
from kb.types import Section, Source
from kb.version import __version__

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["known_vectors", "load_index", "read_manifest", "save_index"]

FORMAT = 1
_MANIFEST = "manifest.json"
_GENERATION = "g-"
_LOCK = ".lock"


def _mend(folder: Path) -> str:
    return f"`kb build --index {folder}` makes it anew (add --content for your own documents)"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return (
            hashlib.file_digest(file, "sha256").hexdigest()
            if hasattr(hashlib, "file_digest")
            else hashlib.sha256(file.read()).hexdigest()
        )


def _checksum(manifest: dict[str, Any]) -> str:
    body = {key: value for key, value in manifest.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


# --- writing ---


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


def _json_lines(rows: Iterator[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows)


@contextmanager
def _only_builder(folder: Path) -> Iterator[None]:
    """Let one process at a time publish into `folder`; the others wait their turn."""
    with (folder / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def save_index(index: Index, folder: Path, digest: str) -> None:
    """Write `index` as the new generation of `folder`; `digest` is that of its content.

    Raises IndexFolderError where the folder cannot be written or is something else's.
    """
    if folder.exists() and not folder.is_dir():
        raise IndexFolderError(f"{folder} is a file; give a folder for the index")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        others = [path.name for path in folder.iterdir() if not _is_ours(path.name)]
        if others and not (folder / _MANIFEST).exists():
            raise IndexFolderError(
                f"{folder} is not an index and not empty (it holds {others[0]});"
                " give an empty or a new folder"
            )
        with _only_builder(folder), tempfile.TemporaryDirectory(dir=folder, prefix=".new-") as new:
            generation = _write_generation(index, Path(new), folder)
            _publish(index, folder, generation, digest)
    except OSError as error:
        raise IndexFolderError(
            f"the index cannot be written to {folder}: {error.strerror or error};"
            " the index that was there is unchanged. Give a folder that can be written to"
        ) from error


def _is_ours(name: str) -> bool:
    return name in (_MANIFEST, _LOCK) or name.startswith((_GENERATION, ".new-", ".manifest-"))


def _write_generation(index: Index, new: Path, folder: Path) -> str:
    """Write all files into `new`, then rename it to its digest inside `folder`; return the name."""
    import faiss

    _write(new / "sections.jsonl", _json_lines(asdict(section) for section in index.sections))
    _write(
        new / "chunks.jsonl",
        _json_lines(
            {
                "section": chunk.section,
                "start_line": chunk.source.start_line,
                "end_line": chunk.source.end_line,
            }
            for chunk in index.chunks
        ),
    )
    faiss.write_index(index.dense.index, str(new / "vectors.faiss"))
    index.lexical.save(new)
    names = sorted(path.name for path in new.iterdir())
    for name in names:
        _sync(new / name)
    digest = hashlib.sha256("".join(_sha256(new / name) for name in names).encode()).hexdigest()
    generation = f"{_GENERATION}{digest[:16]}"
    target = folder / generation
    if target.exists() and any(
        not (target / name).is_file() or _sha256(target / name) != _sha256(new / name)
        for name in names
    ):  # the files of that generation were damaged: it may not be touched while it is read
        generation = f"{generation}-{os.getpid()}-{time.time_ns():x}"
        target = folder / generation
    if not target.exists():
        new.chmod(0o755)  # a temporary folder is its owner's alone; an index is for its readers
        new.rename(target)
        new.mkdir()  # for TemporaryDirectory to remove
        _sync(folder)
    return generation


def _publish(index: Index, folder: Path, generation: str, digest: str) -> None:
    """Point the manifest at `generation` in one rename, then drop the generations before it."""
    files = {
        path.name: {"bytes": path.stat().st_size, "sha256": _sha256(path)}
        for path in sorted((folder / generation).iterdir())
    }
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
    manifest["checksum"] = _checksum(manifest)
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=".manifest-")
    os.close(descriptor)
    _write(Path(temporary), json.dumps(manifest, indent=1, sort_keys=True) + "\n")
    Path(temporary).chmod(0o644)
    Path(temporary).replace(folder / _MANIFEST)
    _sync(folder)
    for path in folder.iterdir():
        if path.name.startswith(_GENERATION) and path.name != generation:
            shutil.rmtree(path, ignore_errors=True)


# --- reading ---


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of an index folder; IndexFolderError says what is wrong with it."""
    if not folder.is_dir():
        raise IndexFolderError(f"there is no index at {folder}; {_mend(folder)}")
    path = folder / _MANIFEST
    if not path.is_file():
        held = sorted(entry.name for entry in folder.iterdir())
        if held and not all(_is_ours(name) for name in held):
            raise IndexFolderError(
                f"{folder} is not an index: it has no {_MANIFEST} and holds {held[0]};"
                " give the folder that `kb build` wrote"
            )
        raise IndexFolderError(f"the index at {folder} has no {_MANIFEST}; {_mend(folder)}")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise IndexFolderError(
            f"the index at {folder} is corrupted: {_MANIFEST} is not JSON; {_mend(folder)}"
        ) from error
    if not isinstance(manifest, dict) or "format" not in manifest or "generation" not in manifest:
        raise IndexFolderError(
            f"{path} is some other program's manifest; give the folder that `kb build` wrote"
        )
    if manifest["format"] != FORMAT:
        raise IndexFolderError(
            f"the index at {folder} has format {manifest['format']}, this version reads {FORMAT};"
            f" {_mend(folder)}"
        )
    if manifest.get("checksum") != _checksum(manifest):
        raise IndexFolderError(
            f"the index at {folder} is corrupted: {_MANIFEST} fails its checksum; {_mend(folder)}"
        )
    if manifest["tokenizer"] != TOKENIZER_VERSION:
        raise IndexFolderError(
            f"the index at {folder} is stale: made with tokenizer {manifest['tokenizer']}, this"
            f" version has {TOKENIZER_VERSION}; {_mend(folder)}"
        )
    return manifest


def _check_files(folder: Path, manifest: dict[str, Any]) -> None:
    for name, expected in manifest["files"].items():
        path = folder / manifest["generation"] / name
        if not path.is_file():
            raise FileNotFoundError(path)
        size = path.stat().st_size
        if size != expected["bytes"]:
            raise IndexFolderError(
                f"the index at {folder} is truncated: {name} has {size:,} bytes,"
                f" expected {expected['bytes']:,}; {_mend(folder)}"
            )
        if _sha256(path) != expected["sha256"]:
            raise IndexFolderError(
                f"the index at {folder} is corrupted: {name} fails its checksum; {_mend(folder)}"
            )


def load_index(folder: Path, expected_content: str | None = None) -> Index:
    """Load an index, every file checked; with `expected_content`, also that it is current.

    Raises IndexFolderError: missing, foreign, corrupted, truncated, stale, each with its remedy.
    """
    manifest = _current_manifest(folder, expected_content)
    try:
        return _read_checked(folder, manifest)
    except FileNotFoundError:
        # A build may have replaced the generation since the manifest was read: look once more.
        manifest = _current_manifest(folder, expected_content)
    try:
        return _read_checked(folder, manifest)
    except FileNotFoundError as error:
        missing = Path(error.filename or str(error)).name
        raise IndexFolderError(
            f"the index at {folder} is incomplete: {missing} is missing; {_mend(folder)}"
        ) from error


def _current_manifest(folder: Path, expected_content: str | None) -> dict[str, Any]:
    manifest = read_manifest(folder)
    if expected_content is not None and manifest["content"] != expected_content:
        raise IndexFolderError(
            f"the index at {folder} is stale: its documents have changed; {_mend(folder)}"
        )
    return manifest


def _read_checked(folder: Path, manifest: dict[str, Any]) -> Index:
    _check_files(folder, manifest)
    return _read_generation(folder / manifest["generation"], manifest)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def _section(row: dict[str, Any]) -> Section:
    row["source"] = Source(**row["source"])
    for key in ("breadcrumbs", "signatures", "last_signatures"):
        row[key] = tuple(row.get(key, ()))
    return Section(**row)


def _read_generation(generation: Path, manifest: dict[str, Any]) -> Index:
    import faiss
    import numpy as np

    from kb.corpus.markdown import split_lines

    sections = tuple(_section(row) for row in _rows(generation / "sections.jsonl"))
    lines = [split_lines(section.markdown) for section in sections]
    chunks = []
    for row in _rows(generation / "chunks.jsonl"):
        section = sections[row["section"]]
        first = section.source.start_line
        text = "".join(
            lines[row["section"]][row["start_line"] - first : row["end_line"] - first + 1]
        )
        source = Source(section.source.path, row["start_line"], row["end_line"])
        chunks.append(Chunk(row["section"], text, source))
    positions = {
        identifier: n for n, identifier in enumerate(dict.fromkeys(s.id for s in sections))
    }
    groups: NDArray[np.int64] = np.array(
        [positions[sections[chunk.section].id] for chunk in chunks], dtype=np.int64
    )
    return Index(
        sections=sections,
        chunks=tuple(chunks),
        dense=DenseIndex(
            # Read by Python: a file that is gone is then a FileNotFoundError, as for the others.
            faiss.deserialize_index(
                np.frombuffer((generation / "vectors.faiss").read_bytes(), dtype=np.uint8)
            ),
            groups,
            len(positions),
        ),
        lexical=LexicalIndex.load(generation),
        encoder=EncoderProbe(manifest["encoder"]["name"], tuple(manifest["encoder"]["probe"])),
    )


def known_vectors(index: Index) -> dict[str, NDArray[np.float32]]:
    """Return the vectors of an index by the digest of their text, for a build that reuses them."""
    matrix = index.dense.index.reconstruct_n(0, index.dense.index.ntotal)
    texts = (embedding_text(index.sections[chunk.section], chunk) for chunk in index.chunks)
    return {text_digest(text): row for text, row in zip(texts, matrix, strict=True)}
