"""A folder in, an `Index` out: every file checked; what is wrong is named with its remedy.

Layout: `manifest.json` names a generation, a folder beside it that holds the files; a build writes
a new generation and then replaces the manifest. Whoever loads reads the manifest first, so it sees
the old index or the new one whole.

    manifest.json    format, generation, tokenizer, encoder, content digest, checksums of all files
    g-<digest>/      sections and chunks (`kb.retrieval.stored_sections`), vectors.faiss, BM25's
                     arrays and terms (`kb.retrieval.vocabulary`), and of a large index its
                     tables (`kb.retrieval.tables`)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.errors import IndexFolderError
from kb.retrieval.dense import DenseIndex, all_vectors, read_vectors
from kb.retrieval.embedding import text_digest
from kb.retrieval.index import EncoderProbe, Index, embedding_text
from kb.retrieval.lexical import LEXICAL_FILES, LexicalIndex
from kb.retrieval.stored_sections import SECTION_FILES, StoredChunks, StoredSections
from kb.retrieval.tables import TABLE_FILE, Tables
from kb.retrieval.tokenization import TOKENIZER_VERSION
from kb.retrieval.vector_journal import JOURNAL
from kb.types import Section

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "FORMAT",
    "GENERATION",
    "LOCK",
    "MANIFEST",
    "NEW",
    "NEW_MANIFEST",
    "checksum",
    "is_ours",
    "known_vectors",
    "load_index",
    "mend",
    "read_manifest",
    "sha256_of",
]

FORMAT = 2
MANIFEST = "manifest.json"
GENERATION = "g-"
# What a generation cannot be read without.
FILES = {"vectors.faiss", *SECTION_FILES, *LEXICAL_FILES}
_TRIES = 5  # of a load that builds overtake
LOCK = ".lock"
NEW = ".new-"  # a generation that is being written
NEW_MANIFEST = ".manifest-"


def mend(folder: Path) -> str:
    """Return the end of a message: the command that makes the index anew."""
    return f"`kb build --index {folder}` makes it anew (add --content for your own documents)"


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return (
            hashlib.file_digest(file, "sha256").hexdigest()
            if hasattr(hashlib, "file_digest")
            else hashlib.sha256(file.read()).hexdigest()
        )


def checksum(manifest: dict[str, Any]) -> str:
    """Return the checksum of a manifest's other fields."""
    body = {key: value for key, value in manifest.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def is_ours(name: str) -> bool:
    """Whether a name in an index folder is one that a build gives."""
    return name in (MANIFEST, LOCK, JOURNAL) or name.startswith((GENERATION, NEW, NEW_MANIFEST))


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of an index folder; IndexFolderError says what is wrong with it."""
    if not folder.is_dir():
        raise IndexFolderError(f"there is no index at {folder}; {mend(folder)}")
    path = folder / MANIFEST
    if not path.is_file():
        held = sorted(entry.name for entry in folder.iterdir())
        if held and not all(is_ours(name) for name in held):
            raise IndexFolderError(
                f"{folder} is not an index: it has no {MANIFEST} and holds {held[0]};"
                " give the folder that `kb build` wrote"
            )
        raise IndexFolderError(f"the index at {folder} has no {MANIFEST}; {mend(folder)}")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise IndexFolderError(
            f"the index at {folder} is corrupted: {MANIFEST} is not JSON; {mend(folder)}"
        ) from error
    if not isinstance(manifest, dict) or not {"format", "generation"} <= set(manifest):
        raise IndexFolderError(
            f"{path} is some other program's manifest; give the folder that `kb build` wrote"
        )
    if manifest["format"] != FORMAT:
        raise IndexFolderError(
            f"the index at {folder} has format {manifest['format']}, this version reads {FORMAT};"
            f" {mend(folder)}"
        )
    if manifest.get("checksum") != checksum(manifest):
        raise IndexFolderError(
            f"the index at {folder} is corrupted: {MANIFEST} fails its checksum; {mend(folder)}"
        )
    if not _is_complete(manifest):
        raise IndexFolderError(
            f"the index at {folder} is corrupted: {MANIFEST} is not as a build writes it;"
            f" {mend(folder)}"
        )
    if manifest["tokenizer"] != TOKENIZER_VERSION:
        raise IndexFolderError(
            f"the index at {folder} is stale: made with tokenizer {manifest['tokenizer']}, this"
            f" version has {TOKENIZER_VERSION}; {mend(folder)}"
        )
    return manifest


def _is_complete(manifest: dict[str, Any]) -> bool:
    """Whether a manifest has all its fields, and names files of its own generation alone.

    A checksum proves that nothing was damaged, not that a build wrote it: `../..` would lead out.
    """
    encoder, files = manifest.get("encoder"), manifest.get("files")
    if not (isinstance(encoder, dict) and isinstance(files, dict)):
        return False
    names = [manifest["generation"], *files]
    return (
        {"tokenizer", "content"} <= set(manifest)
        and isinstance(encoder.get("name"), str)
        and isinstance(encoder.get("probe"), list)
        and all(
            isinstance(entry, dict) and {"bytes", "sha256"} <= set(entry)
            for entry in files.values()
        )
        and all(isinstance(name, str) and Path(name).name == name for name in names)
        and set(files) >= FILES
    )


def _check_files(folder: Path, manifest: dict[str, Any]) -> None:
    for name, expected in manifest["files"].items():
        path = folder / manifest["generation"] / name
        if not path.is_file():
            raise FileNotFoundError(path)
        size = path.stat().st_size
        if size != expected["bytes"]:
            raise IndexFolderError(
                f"the index at {folder} is truncated: {name} has {size:,} bytes,"
                f" expected {expected['bytes']:,}; {mend(folder)}"
            )
        if sha256_of(path) != expected["sha256"]:
            raise IndexFolderError(
                f"the index at {folder} is corrupted: {name} fails its checksum; {mend(folder)}"
            )


def load_index(folder: Path, expected_content: str | None = None) -> Index:
    """Load an index, every file checked; with `expected_content`, also that it is current.

    Raises IndexFolderError: missing, foreign, corrupted, truncated, stale, each with its remedy.
    """
    missing = ""
    for _ in range(_TRIES):
        manifest = _current_manifest(folder, expected_content)
        try:
            return _read_checked(folder, manifest)
        except FileNotFoundError as error:
            # A build may have replaced the generation since the manifest was read: look again.
            missing = Path(error.filename or str(error)).name
    raise IndexFolderError(
        f"the index at {folder} is incomplete: {missing} is missing; {mend(folder)}"
    )


def _current_manifest(folder: Path, expected_content: str | None) -> dict[str, Any]:
    manifest = read_manifest(folder)
    if expected_content is not None and manifest["content"] != expected_content:
        raise IndexFolderError(
            f"the index at {folder} is stale: its documents have changed; {mend(folder)}"
        )
    return manifest


def _read_checked(folder: Path, manifest: dict[str, Any]) -> Index:
    _check_files(folder, manifest)
    return _read_generation(folder / manifest["generation"], manifest)


def _read_generation(generation: Path, manifest: dict[str, Any]) -> Index:
    import numpy as np

    sections: Sequence[Section] = StoredSections(generation)
    lexical = LexicalIndex.load(generation)
    tables = Tables.load(generation, lexical) if TABLE_FILE in manifest["files"] else None
    if tables is not None:
        owners = tables.owners
    else:
        sections = tuple(sections)
        positions: dict[str, int] = {}
        owners = np.array(
            [positions.setdefault(section.id, len(positions)) for section in sections],
            dtype=np.int32,
        )
    stored = StoredChunks(generation, sections)
    n_ids = len(tables.ids) if tables is not None else len(positions)
    return Index(
        sections=sections,
        chunks=stored if tables is not None else tuple(stored),
        dense=DenseIndex(read_vectors(generation), owners[stored.owners].astype(np.int64), n_ids),
        lexical=lexical,
        encoder=EncoderProbe(manifest["encoder"]["name"], tuple(manifest["encoder"]["probe"])),
        stored=tables,
    )


def known_vectors(index: Index) -> dict[str, NDArray[np.float32]]:
    """Return the vectors of an index by the digest of their text, for a build that reuses them."""
    matrix = all_vectors(index.dense.index)
    texts = (embedding_text(index.sections[chunk.section], chunk) for chunk in index.chunks)
    return {text_digest(text): row for text, row in zip(texts, matrix, strict=True)}
