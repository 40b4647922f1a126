"""`signatures.yaml` beside the pages in, further lines by which sections are recognised out.

A `log` fence shows a reader the lines that matter most; this file holds the rest of what the
program and its libraries print for the same failure, in all their releases, without lengthening
the page. One block of text for each section id:

    tokenizer-workers: |
      API key is not supported in multi-tokenizer mode
      Cannot find worker_id from rids …
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from kb.corpus.files import SIGNATURES_FILE, UnreadableFileError, read_limited

__all__ = ["SIGNATURES_FILE", "ExtraSignatures", "read_extra_signatures"]

_EXPECTED = "expected `section-id: |` and under it one line of a log each, indented"


@dataclass(frozen=True, slots=True)
class ExtraSignatures:
    """What the file holds: for each id its lines, each with its 1-based place in the file."""

    lines: Mapping[str, tuple[tuple[int, str], ...]]
    problems: tuple[tuple[int, str], ...] = ()  # place and what is wrong there


def read_extra_signatures(folder: Path) -> ExtraSignatures:
    """Read the file in `folder`; nothing where there is none, problems where it is no such file."""
    path = folder / SIGNATURES_FILE
    if not path.is_file():
        return ExtraSignatures({})
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            return _bad(0, "is a link out of the folder; put the file itself there")
        root = yaml.compose(read_limited(path).decode("utf-8-sig"), Loader=yaml.SafeLoader)
    except UnreadableFileError as error:
        return _bad(0, str(error))
    except UnicodeDecodeError:
        return _bad(0, "is not UTF-8; save the file as UTF-8")
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        return _bad(mark.line + 1 if mark is not None else 0, f"is not YAML; {_EXPECTED}")
    except RecursionError:
        return _bad(0, f"is nested too deeply; {_EXPECTED}")
    if root is None:
        return ExtraSignatures({})
    if not isinstance(root, yaml.MappingNode):
        return _bad(root.start_mark.line + 1, _EXPECTED)
    lines: dict[str, tuple[tuple[int, str], ...]] = {}
    problems = []
    for key, value in root.value:
        number = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode) or not isinstance(value, yaml.ScalarNode):
            problems.append((number, _EXPECTED))
        elif key.value in lines:
            message = f"`{key.value}` stands here twice; put its lines together"
            problems.append((number, message))
        else:
            first = number + 1 if value.style in ("|", ">") else value.start_mark.line + 1
            lines[key.value] = tuple(
                (place, line.strip())
                for place, line in enumerate(value.value.splitlines(), start=first)
                if line.strip()
            )
    return ExtraSignatures(lines, tuple(problems))


def _bad(line: int, message: str) -> ExtraSignatures:
    return ExtraSignatures({}, ((line, message),))
