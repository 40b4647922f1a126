"""The Python sources of one release of SGLang: read as text from a wheel, sdist or folder."""

from __future__ import annotations

import ast
import re
import tarfile
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath

from kb.errors import CatalogError

__all__ = ["Sources", "UnknownForm"]

MAX_SOURCE_BYTES = 8_000_000  # the largest module of any release has 0.5 MB
# Tests, benchmarks, tools and the client language are no part of the server.
_OUTSIDE = re.compile(
    r"^(?:test|benchmark|bench_\w+\.py|eval|lang|auto_benchmark\w*)\b"
    r"|^multimodal_gen/(?:apps|tools)/|(?:^|/)(?:tests?|benchmarks?|scripts)/"
)
_VERSION_LINE = re.compile(r"^Version: *(\S+)", re.MULTILINE)
_VERSION_ASSIGNMENT = re.compile(
    r"""^__version__ *= *(?:version *= *)?["']([^"']+)["']""", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class UnknownForm:
    """Something in the sources that the extractor recognises but cannot read."""

    file: str  # inside the sglang package
    line: int  # 1-based
    what: str

    def __str__(self) -> str:
        """Return it as compilers print places: `file:line: what`."""
        return f"{self.file}:{self.line}: {self.what}"


@dataclass(slots=True)
class Sources:
    """Modules by their path inside the package ("srt/server_args.py"); parsed, never imported."""

    version: str
    date: str | None  # "2026-10-30": the newest file date of the archive
    texts: Mapping[str, str]
    unknown: list[UnknownForm] = field(default_factory=list)
    _trees: dict[str, ast.Module | None] = field(default_factory=dict)

    @classmethod
    def from_path(cls, path: Path) -> Sources:
        """Read a `.whl`, `.zip`, `.tar.gz` or a folder with the package; CatalogError otherwise."""
        if path.is_dir():
            files, date = _read_folder(path), None
        elif zipfile.is_zipfile(path):
            files, date = _read_zip(path)
        elif path.is_file() and tarfile.is_tarfile(path):
            files, date = _read_tar(path)
        else:
            raise CatalogError(
                f"{path} is neither a wheel, an sdist nor a folder: give a released sglang wheel,"
                " as from `pip download --no-deps sglang==VERSION`."
            )
        texts: dict[str, str] = {}
        version = None
        for name, content in sorted(files.items()):
            text = content.decode("utf-8-sig", errors="replace")
            parts = PurePosixPath(name).parts
            if name.endswith(("METADATA", "PKG-INFO")) and version is None:
                found = _VERSION_LINE.search(text)
                version = found[1] if found else None
            elif "sglang" in parts and name.endswith(".py"):
                inside = parts[parts.index("sglang") + 1 :]
                texts.setdefault("/".join(inside), text)
        version = version or _version_in(texts)
        if version is None or "srt/server_args.py" not in texts:
            raise CatalogError(
                f"{path} holds no release of SGLang: expected sglang/srt/server_args.py and a"
                " version in its metadata. Give a released sglang wheel or its unpacked folder."
            )
        return cls(version, date, texts)

    def tree(self, file: str) -> ast.Module | None:
        """Return the syntax tree of a module, None if there is none or it cannot be parsed."""
        if file not in self._trees:
            self._trees[file] = self._parse(file)
        return self._trees[file]

    def module_file(self, dotted: str) -> str | None:
        """Return the path of module "sglang.srt.environ", None if it is not of this package."""
        parts = dotted.split(".")
        if parts[0] != "sglang":
            return None
        stem = "/".join(parts[1:])
        for file in (f"{stem}.py", f"{stem}/__init__.py" if stem else "__init__.py"):
            if file in self.texts:
                return file
        return None

    def report(self, file: str, line: int, what: str) -> None:
        """Note a form that cannot be read, so that nothing is dropped silently."""
        form = UnknownForm(file, line, what)
        if form not in self.unknown:
            self.unknown.append(form)

    def walk(self) -> Iterator[tuple[str, ast.Module]]:
        """Yield the modules of the server that parse, in the order of their paths.

        Their trees are not kept: all of a release's together are gigabytes.
        """
        for file in sorted(self.texts):
            if not _OUTSIDE.search(file):
                tree = self._trees.get(file) or self._parse(file)
                if tree is not None:
                    yield file, tree

    def _parse(self, file: str) -> ast.Module | None:
        text = self.texts.get(file)
        if text is None:
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # invalid escapes in their strings
                return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
            self.report(file, getattr(problem, "lineno", None) or 1, f"cannot parse: {problem}")
            return None


def _version_in(texts: Mapping[str, str]) -> str | None:
    for file in ("version.py", "_version.py", "__init__.py"):
        found = _VERSION_ASSIGNMENT.search(texts.get(file, ""))
        if found:
            return found[1]
    return None


def _wanted(name: str, size: int) -> bool:
    return size <= MAX_SOURCE_BYTES and (
        (name.endswith(".py") and "sglang/" in name)
        or name.endswith((".dist-info/METADATA", "/PKG-INFO"))
    )


def _read_folder(path: Path) -> dict[str, bytes]:
    root = path if path.name != "sglang" else path.parent
    for below in (root, root / "python"):
        if (below / "sglang").is_dir():
            root = below
            break
    files = {}
    candidates = [*(root / "sglang").rglob("*.py"), *root.glob("sglang-*.dist-info/METADATA")]
    for file in candidates:
        name = file.relative_to(root).as_posix()
        if file.is_file() and _wanted(name, file.stat().st_size):
            files[name] = file.read_bytes()
    return files


def _read_zip(path: Path) -> tuple[dict[str, bytes], str]:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            date = max((entry.date_time[:3] for entry in entries), default=(1980, 1, 1))
            files = {
                entry.filename: archive.read(entry)
                for entry in entries
                if _wanted(entry.filename, entry.file_size)
            }
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as problem:
        raise CatalogError(f"{path} is damaged ({problem}): download the wheel again.") from problem
    return files, "{:04}-{:02}-{:02}".format(*date)


def _read_tar(path: Path) -> tuple[dict[str, bytes], str]:
    files, newest = {}, 0.0
    try:
        with tarfile.open(path) as archive:
            for entry in archive:
                newest = max(newest, entry.mtime)
                if entry.isfile() and _wanted(entry.name, entry.size):
                    opened = archive.extractfile(entry)
                    files[entry.name] = opened.read() if opened else b""
    except (tarfile.TarError, EOFError, OSError) as problem:
        raise CatalogError(f"{path} is damaged ({problem}): download it again.") from problem
    return files, datetime.fromtimestamp(newest, tz=timezone.utc).strftime("%Y-%m-%d")
