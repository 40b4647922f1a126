"""Questions asked without a log in, `Case`s out: `asked/in_scope.yaml` and `out_of_scope.yaml`.

Each file maps a section id, or a kind of question that is none for these documents, to the
questions by language::

    oom-decode:
      en:
        - "It dies only when ..."
      ko:
        - "..."
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from kb.errors import InputError
from kb.evaluation.golden import Case

__all__ = ["read_asked"]

_FILES = (("in_scope.yaml", True), ("out_of_scope.yaml", False))


def read_asked(folder: Path) -> list[Case]:
    """Return the questions in the two files of `folder`, in their order, ids `asked-KIND/LANG-N`.

    Raises InputError where a file is missing or of another form.
    """
    return [case for name, in_scope in _FILES for case in _cases(folder / name, in_scope)]


def _cases(path: Path, in_scope: bool) -> Iterator[Case]:
    try:
        read = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise InputError(f"{path} cannot be read as YAML: {error}") from error
    form = "expected `id:`, under it `en:`, `ko:` or `zh:`, under that a list of questions"
    if not isinstance(read, dict):
        raise InputError(f"{path} is no mapping; {form}")
    for key, languages in read.items():
        if not isinstance(languages, dict):
            raise InputError(f"{path}: `{key}` is no mapping; {form}")
        for language, questions in languages.items():
            if language not in ("en", "ko", "zh") or not isinstance(questions, list):
                raise InputError(f"{path}: `{language}` under `{key}`; {form}")
            for number, question in enumerate(questions, start=1):
                yield Case(
                    id=f"asked-{key}/{language}-{number}",
                    language=language,
                    in_scope=in_scope,
                    topics=(str(key),) if in_scope else (),
                    paste="",
                    question=None if language == "ko" else str(question),
                    question_ko=str(question) if language == "ko" else None,
                    log_alone=False,
                    decisive_line=None,
                    expected_flags=(),
                    version=None,
                    kind="question",
                )
