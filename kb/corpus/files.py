"""A folder in, its Markdown files and their bytes out, whatever else lies in that folder."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from kb.errors import CorpusError

__all__ = [
    "MARKDOWN_SUFFIXES",
    "SIGNATURES_FILE",
    "UnreadableFileError",
    "content_digest",
    "markdown_files",
    "printable",
    "read_limited",
]

MARKDOWN_SUFFIXES = (".md", ".markdown")
SIGNATURES_FILE = "signatures.yaml"  # kb.corpus.extra_signatures
MAX_FILE_BYTES = 16 * 1024 * 1024  # a documentation page is some kilobytes; more is a mistake
MAX_FILES = 200_000
MAX_DEPTH = 100  # folders within folders; more is a loop or a mistake


class UnreadableFileError(Exception):
    """A file that cannot be a document; its text says why, without the file's name."""


def printable(path: str | Path) -> str:
    r"""Return a path fit for a message and a JSON file: bytes that are not UTF-8 as `\xNN`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def markdown_files(folder: Path) -> list[Path]:
    """Return the Markdown files under `folder` in path order; hidden ones are left out.

    Links to files inside the folder count, links out of it and links to folders do not. What has
    such a name and is no file (a pipe, a device) is returned too: reading it says what it is.
    Raises CorpusError where a folder cannot be listed, and beyond MAX_FILES and MAX_DEPTH.
    """
    root = os.path.realpath(folder)
    found: list[Path] = []
    pending = [(os.fspath(folder), 0)]
    while pending:
        directory, depth = pending.pop()
        if depth > MAX_DEPTH:
            raise CorpusError(
                f"{printable(folder)} holds folders nested deeper than {MAX_DEPTH};"
                " give the folder of the documents"
            )
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        pending.append((entry.path, depth + 1))
                    elif _is_document(entry, root):
                        found.append(Path(entry.path))
        except OSError as error:
            raise CorpusError(
                f"{printable(directory)} cannot be listed: {error.strerror};"
                " make it readable, or move it out of the documents"
            ) from error
        if len(found) > MAX_FILES:
            raise CorpusError(
                f"{printable(folder)} holds more than {MAX_FILES:,} Markdown files; split it"
            )
    return sorted(found, key=lambda path: path.as_posix())


def _is_document(entry: os.DirEntry[str], root: str) -> bool:
    if not entry.name.lower().endswith(MARKDOWN_SUFFIXES):
        return False
    if not entry.is_symlink():
        return True
    target = os.path.realpath(entry.path)
    return Path(target).is_relative_to(root) and Path(target).is_file()


def read_limited(path: Path) -> bytes:
    """Return the bytes of a document; UnreadableFileError where it is too large or no file.

    A pipe without a writer is not waited for, and of a huge file nothing is read.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFileError(
                "is no regular file (a pipe, a socket or a device); move it out of the documents"
            )
        # Without waiting: it may have become a pipe since.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            size = max(status.st_size, os.fstat(descriptor).st_size)
            raw = file.read(MAX_FILE_BYTES + 1) if size <= MAX_FILE_BYTES else b""
    except OSError as error:
        raise UnreadableFileError(f"cannot be read: {error.strerror}") from error
    size = max(size, len(raw))
    if size > MAX_FILE_BYTES:
        raise UnreadableFileError(f"{size:,} bytes; at most {MAX_FILE_BYTES:,} are read")
    return raw


def content_digest(folder: Path) -> str:
    """Return a digest of path and bytes of all that an index is made of, none of it parsed."""
    digest = hashlib.sha256()
    beside = folder / SIGNATURES_FILE
    for path in (*markdown_files(folder), *((beside,) if beside.is_file() else ())):
        name = os.fsencode(path.relative_to(folder).as_posix())
        try:
            raw = read_limited(path)
        except UnreadableFileError as error:
            digest.update(name + f"\0{error}\0".encode())
            continue
        digest.update(name + f"\0{len(raw)}\0".encode())
        digest.update(raw)
    return digest.hexdigest()
