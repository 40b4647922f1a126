"""A text in, the environment variables of SGLang's that it sets out, in whichever form.

In front of a command, after `env`, `export` or `docker run -e`, in `ENV` of a Dockerfile, in
`environment:` of a compose file, in `env:` of a Kubernetes manifest, also as JSON.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["SetVariable", "find_variables"]

MAX_VARIABLES = 200  # a manifest has a dozen
_NAME = r"(?P<name>SGL(?:ANG)?_[A-Z0-9_]+)"
# `A=b`, `A: b`, `- A=b`, `"A": "b"`, `ENV A b`, `-e A` of a shell that has it.
_ASSIGNED = re.compile(rf"(?<![\w$%{{.-])\"?'?{_NAME}[\"']?(?:=|[ \t]{{0,20}}:(?=[ \t]))")
_KEYWORD = re.compile(rf"(?:\bENV[ \t]+|(?<!\S)-e[ \t]+|(?<!\S)--env[ \t]+){_NAME}\b")
# `- name: A` with its value or `valueFrom:` after it.
_NAMED = re.compile(rf"\bname[\"']?[ \t]{{0,20}}:[ \t]{{0,20}}[\"']?{_NAME}\b")


@dataclass(frozen=True, slots=True)
class SetVariable:
    """A variable that is set, where its name stands."""

    name: str
    start: int  # offset of the name


def find_variables(text: str) -> tuple[SetVariable, ...]:
    """Return each variable that is set, in order, each name once; linear in the text."""
    found: dict[int, str] = {}
    for form in (_ASSIGNED, _KEYWORD, _NAMED):
        for match in form.finditer(text):
            found[match.start("name")] = match["name"]
    first: dict[str, int] = {}
    for start in sorted(found):
        first.setdefault(found[start], start)
    return tuple(SetVariable(name, start) for name, start in list(first.items())[:MAX_VARIABLES])
