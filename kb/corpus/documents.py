"""A folder of Markdown in, a `Corpus` of documents and sections out; the folder is not changed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from kb.corpus.extra_signatures import SIGNATURES_FILE, ExtraSignatures, read_extra_signatures
from kb.corpus.files import (
    MARKDOWN_SUFFIXES,
    UnreadableFileError,
    content_digest,
    markdown_files,
    printable,
    read_limited,
)
from kb.corpus.markdown import (
    Fence,
    block_parser,
    fences_of,
    front_matter_of,
    headings_of,
    split_lines,
)
from kb.corpus.parallel import parallel_map
from kb.corpus.sections import cut_sections
from kb.errors import CorpusError
from kb.types import Language, Section, Source

__all__ = [
    "Corpus",
    "Document",
    "Problem",
    "content_digest",
    "parse_document",
    "read_corpus",
]

_LANGUAGES: tuple[Language, ...] = ("ko", "en")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_LETTER = re.compile(r"[^\W\d_]")
# The share of Hangul among letters from which a page is Korean; a Korean page about a program
# keeps its commands and messages in Latin letters, so the bar is low.
_KOREAN_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a file of the corpus; `line` is 1-based, 0 for the file as a whole."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        """Return `path:line: message`, the form editors can jump to."""
        return f"{self.path}:{self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class Document:
    """One Markdown file: its lines (ends kept), its fences and the sections cut from it."""

    path: str  # relative to the corpus folder, `/` between parts
    language: Language
    title: str
    lines: tuple[str, ...]  # joined: the file's text without its byte order mark
    fences: tuple[Fence, ...]
    sections: tuple[Section, ...]
    problems: tuple[Problem, ...] = ()
    searchable: bool = True  # False by `search: false` in the front matter: a page of lists, say


@dataclass(frozen=True, slots=True)
class Corpus:
    """All documents of a folder, in path order."""

    documents: tuple[Document, ...]
    extra_problems: tuple[Problem, ...] = ()  # of files beside the pages

    @property
    def sections(self) -> tuple[Section, ...]:
        """Return the sections to be searched, in path and then line order."""
        return tuple(
            section
            for document in self.documents
            if document.searchable
            for section in document.sections
        )

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return what is wrong with the files, duplicate ids included."""
        found = [problem for document in self.documents for problem in document.problems]
        found += self.extra_problems
        first: dict[tuple[Language, str], Source] = {}
        for section in (section for document in self.documents for section in document.sections):
            known = first.setdefault((section.language, section.id), section.source)
            if known is not section.source:
                found.append(
                    Problem(
                        section.source.path,
                        section.source.start_line,
                        f"id `{section.id}` is already used at {known.path}:{known.start_line};"
                        " give one of the two headings another id",
                    )
                )
        return tuple(found)


def read_corpus(folder: Path, *, strict: bool = True, processes: int = 1) -> Corpus:
    """Read every Markdown file under `folder`; with `strict`, a bad file raises CorpusError.

    Many files are parsed by `processes` processes, see `kb.corpus.parallel`.
    Raises CorpusError naming each bad file and line, or when there is nothing to read.
    """
    if not folder.is_dir():
        raise CorpusError(f"{folder} is not a folder; give the folder of the Markdown files")
    files = [(path, path.relative_to(folder).as_posix()) for path in markdown_files(folder)]
    documents = list(parallel_map(_read_document, files, processes))
    corpus = _with_signatures(documents, read_extra_signatures(folder))
    if strict and corpus.problems:
        listed = "\n".join(f"  {problem}" for problem in corpus.problems[:20])
        more = f"\n  and {len(corpus.problems) - 20} more" if len(corpus.problems) > 20 else ""
        raise CorpusError(f"the corpus in {folder} cannot be used as it is:\n{listed}{more}")
    if strict and not corpus.sections:
        raise CorpusError(
            f"{folder} holds no section: expected Markdown files"
            f" ({', '.join(MARKDOWN_SUFFIXES)}) with text in them"
        )
    return corpus


def _with_signatures(documents: Sequence[Document], extra: ExtraSignatures) -> Corpus:
    """Return the corpus, the further lines given to the sections of their ids."""
    problems = [Problem(SIGNATURES_FILE, line, message) for line, message in extra.problems]
    ids = {section.id for document in documents for section in document.sections}
    for identifier, lines in extra.lines.items():
        if identifier not in ids:
            place = lines[0][0] - 1 if lines else 0
            message = f"there is no section `{identifier}`; give the id of a heading"
            problems.append(Problem(SIGNATURES_FILE, place, message))
    given = tuple(
        replace(document, sections=tuple(_given(section, extra) for section in document.sections))
        for document in documents
    )
    return Corpus(given, tuple(problems))


def _given(section: Section, extra: ExtraSignatures) -> Section:
    lines = (line for _, line in extra.lines.get(section.id, ()))
    return replace(section, signatures=tuple(dict.fromkeys((*section.signatures, *lines))))


def _read_document(file: tuple[Path, str]) -> Document:
    """Read a file, given with its path in the corpus; what is wrong becomes its problems."""
    path, relative = file
    try:
        raw = read_limited(path)
    except UnreadableFileError as error:
        return _broken(relative, 0, str(error))
    if printable(relative) != relative:
        return _broken(relative, 0, "its name is not UTF-8; rename the file")
    if b"\0" in raw:
        line = raw[: raw.index(b"\0")].count(b"\n") + 1
        return _broken(relative, line, "holds a NUL byte; expected Markdown, not a binary file")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        return _broken(relative, line, "is not UTF-8; save the file as UTF-8")
    return parse_document(text, relative)


def _broken(relative: str, line: int, message: str) -> Document:
    name = printable(relative)
    return Document(name, "en", name, (), (), (), (Problem(name, line, message),))


def parse_document(text: str, path: str) -> Document:
    """Cut `text` into sections at its headings; `path` is relative and may name the language."""
    path = unicodedata.normalize("NFC", path)
    lines = split_lines(text)
    tokens = block_parser().parse(text)
    problems = []
    try:
        front_matter = front_matter_of(tokens)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 2 if mark is not None else 1
        problems.append(Problem(path, line, "the front matter is not YAML; mend or remove it"))
        front_matter = {}
    language = _language(path, front_matter, text)
    fences = fences_of(tokens, lines)
    for fence in fences:
        if not fence.closed:
            message = "this code fence is never closed; all text after it is taken for code"
            problems.append(Problem(path, fence.start_line, message))
    headings = headings_of(tokens)
    sections = tuple(cut_sections(path, language, lines, headings, fences, tokens))
    title = _word(front_matter, "title") or (headings[0].title if headings else Path(path).stem)
    searchable = front_matter.get("search") is not False
    return Document(
        path, language, title, tuple(lines), tuple(fences), sections, tuple(problems), searchable
    )


def _word(front_matter: dict[str, object], key: str) -> str:
    """Return a plain value as text; a list of lists by reference would be written out in full."""
    value = front_matter.get(key)
    return "" if value is None or isinstance(value, list | dict | set) else str(value)


def _language(path: str, front_matter: dict[str, object], text: str) -> Language:
    """Return the language: front matter, then folder, then `name.ko.md`, then the letters."""
    for key in ("lang", "language"):
        for language in _LANGUAGES:
            if _word(front_matter, key).lower().startswith(language):
                return language
    parts = path.split("/")
    for language in _LANGUAGES:
        if language in parts[:-1] or f".{language}." in parts[-1].lower():
            return language
    letters = len(_LETTER.findall(text))
    return "ko" if letters and len(_HANGUL.findall(text)) / letters >= _KOREAN_SHARE else "en"
