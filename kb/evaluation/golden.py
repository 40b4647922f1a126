"""Golden text files or a JSONL file in, `Case`s out: what was pasted or asked, and what is right.

A golden file holds the cases of one topic (``in_scope/<topic-id>.txt``) or of one kind of foreign
question (``out_of_scope/<kind>.txt``)::

    === log-1: one rank of eight runs out of memory
    topics: oom-prefill cuda-out-of-memory
    kind: log
    decisive: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate
    flags: --chunked-prefill-size --mem-fraction-static
    --- paste
    the lines of the paste, verbatim, up to the next line that starts with "=== "

The folder says whether a case is in scope; `topics` belongs to cases in scope only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from kb.errors import InputError

__all__ = ["Case", "CaseKind", "read_golden", "read_jsonl"]

CaseKind = Literal["log", "question", "both"]

CASE_MARK = "=== "  # starts a case; no line of a paste may start with it
PASTE_MARK = "--- paste"
FOLDERS = (("in_scope", True), ("out_of_scope", False))
HEADER_KEYS = frozenset(
    {
        "topics",
        "kind",
        "language",
        "version",
        "decisive",
        "flags",
        "launch_command",
        "log_alone",
        "question",
        "question_en",
        "question_ko",
    }
)


@dataclass(frozen=True, slots=True)
class Case:
    """One paste or question and the right answer to it."""

    id: str  # `<file stem>/<name>` in golden files, the file's own in JSONL
    language: str  # of the text around the log: "en", "ko", "zh"
    in_scope: bool  # False: the right answer is "not in the knowledge base"
    topics: tuple[str, ...]  # acceptable section ids, best first; empty where out of scope
    paste: str  # verbatim, lines joined by a newline; empty where there is only a question
    question: str | None  # in `language`, English where that is "ko"
    question_ko: str | None
    log_alone: bool  # the paste decides without the question
    decisive_line: str | None  # the part of the paste that decides, verbatim
    expected_flags: tuple[str, ...]  # any one of them must be printed; empty: not judged
    version: str | None  # release of SGLang the case was met with
    kind: CaseKind
    title: str = ""  # the case in a few words, for reports
    launch_command: str | None = None


def read_golden(folder: Path) -> list[Case]:
    """Return the cases of every ``*.txt`` under `folder`, in order of file name and line.

    Raises:
        InputError: no case was found, or a file breaks the format; names file and line.
    """
    cases = [
        case
        for name, in_scope in FOLDERS
        for path in sorted((folder / name).glob("*.txt"))
        for case in _read_text_file(path, in_scope)
    ]
    if not cases:
        raise InputError(
            f"No golden case under {folder}. Expected in_scope/<topic>.txt and "
            "out_of_scope/<kind>.txt; give the folder that holds these two."
        )
    return cases


def read_jsonl(path: Path) -> list[Case]:
    """Return the cases of a JSONL file, one object a line; a field that is missing is empty.

    Raises:
        InputError: a line is no JSON object, has no id, or a field has a wrong type.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise InputError(
            f"Cannot read the cases {path}: {error.strerror}. Give a JSONL file."
        ) from error
    cases: dict[str, Case] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        case = _case_from_json(line, f"{path}:{number}")
        if case.id in cases:
            raise InputError(f"{path}:{number}: id {case.id!r} is used twice; ids are unique.")
        cases[case.id] = case
    return list(cases.values())


def _case_from_json(line: str, where: str) -> Case:
    try:
        fields = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: not JSON ({error}). Write one object a line.") from error
    if not isinstance(fields, dict):
        raise InputError(f"{where}: a {type(fields).__name__}, expected a JSON object.")
    case_id = _text(fields, "id", where)
    if not case_id:
        raise InputError(f"{where}: no `id`. Every case needs one.")
    paste = _text(fields, "paste", where) or ""
    question = _text(fields, "question", where)
    question_ko = _text(fields, "question_ko", where)
    topics = _texts(fields, "topics", where)
    has_question = bool(question or question_ko)
    kind: CaseKind = "both" if paste and has_question else "log" if paste else "question"
    return Case(
        id=case_id,
        language=_text(fields, "lang", where) or "en",
        in_scope=_flag(fields, "in_scope", where, default=bool(topics)),
        topics=topics,
        paste=paste,
        question=question,
        question_ko=question_ko,
        log_alone=_flag(fields, "log_alone", where, default=kind == "log"),
        decisive_line=_text(fields, "decisive_line", where),
        expected_flags=_texts(fields, "expected_flags", where),
        version=_text(fields, "sglang_version", where),
        kind=kind,
        launch_command=_text(fields, "launch_command", where),
    )


def _text(fields: dict[str, Any], key: str, where: str) -> str | None:
    value = fields.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{where}: `{key}` is {value!r}, expected a string or null.")
    return value


def _texts(fields: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = fields.get(key) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{where}: `{key}` is {value!r}, expected a list of strings.")
    return tuple(value)


def _flag(fields: dict[str, Any], key: str, where: str, *, default: bool) -> bool:
    value = fields.get(key, default)
    if not isinstance(value, bool):
        raise InputError(f"{where}: `{key}` is {value!r}, expected true or false.")
    return value


def _read_text_file(path: Path, in_scope: bool) -> Iterator[Case]:
    lines = path.read_text(encoding="utf-8").split("\n")
    starts = [index for index, line in enumerate(lines) if line.startswith(CASE_MARK)]
    first = starts[0] if starts else len(lines)
    for index, line in enumerate(lines[:first]):
        if line.strip() and not line.startswith("#"):
            raise InputError(f"{path}:{index + 1}: text before the first `{CASE_MARK}` line.")
    seen: set[str] = set()
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        case = _case_from_lines(path, start + 1, lines[start:end], in_scope)
        if case.id in seen:
            raise InputError(f"{path}:{start + 1}: {case.id!r} is used twice; rename one.")
        seen.add(case.id)
        yield case


def _case_from_lines(path: Path, first_line: int, lines: list[str], in_scope: bool) -> Case:
    where = f"{path}:{first_line}"
    name, separator, title = lines[0].removeprefix(CASE_MARK).partition(":")
    if not separator or not name.strip() or not title.strip():
        raise InputError(f"{where}: {lines[0]!r}, expected `=== name: title`.")
    header_end = lines.index(PASTE_MARK) if PASTE_MARK in lines else len(lines)
    header = _header(path, first_line + 1, lines[1:header_end])
    paste = "\n".join(lines[header_end + 1 :]).rstrip("\n")
    question = header.get("question_en") or header.get("question")
    question_ko = header.get("question_ko")
    topics = tuple(header.get("topics", "").split())
    kind = header.get("kind")
    decisive = header.get("decisive")
    if kind not in get_args(CaseKind):
        raise InputError(f"{where}: `kind` is {kind!r}, expected log, question or both.")
    if "question" in header and "question_en" in header:
        raise InputError(f"{where}: `question` and `question_en` are one field; give one.")
    if in_scope != bool(topics):
        raise InputError(f"{where}: `topics` is for cases in scope, and each of them needs it.")
    if (kind != "question") != bool(paste):
        raise InputError(f"{where}: kind {kind} and {'a' if paste else 'no'} paste do not fit.")
    if (kind != "log") != bool(question or question_ko):
        raise InputError(f"{where}: kind {kind} needs {'no' if kind == 'log' else 'a'} question.")
    if decisive and not any(decisive in line for line in paste.split("\n")):
        raise InputError(f"{where}: `decisive` is in no line of the paste: {decisive!r}.")
    alone = header.get("log_alone", str(kind == "log").lower())
    if alone not in ("true", "false"):
        raise InputError(f"{where}: `log_alone` is {alone!r}, expected true or false.")
    return Case(
        id=f"{path.stem}/{name.strip()}",
        language=header.get("language") or ("ko" if question_ko and not question else "en"),
        in_scope=in_scope,
        topics=topics,
        paste=paste,
        question=question,
        question_ko=question_ko,
        log_alone=alone == "true",
        decisive_line=decisive,
        expected_flags=tuple(header.get("flags", "").split()),
        version=header.get("version"),
        kind=cast(CaseKind, kind),
        title=title.strip(),
        launch_command=header.get("launch_command"),
    )


def _header(path: Path, first_line: int, lines: list[str]) -> dict[str, str]:
    header: dict[str, str] = {}
    for number, line in enumerate(lines, start=first_line):
        if not line.strip():
            continue
        key, separator, value = line.partition(":")
        if not separator or key not in HEADER_KEYS:
            raise InputError(
                f"{path}:{number}: {line!r}, expected `key: value` with one of "
                f"{', '.join(sorted(HEADER_KEYS))}, or `{PASTE_MARK}`."
            )
        if key in header or not value.strip():
            raise InputError(
                f"{path}:{number}: `{key}` is {'repeated' if key in header else 'empty'}."
            )
        header[key] = value.strip()
    return header
