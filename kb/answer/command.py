"""A launch command as it was written: its words, its flags and variables, and where each stands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from kb.answer.tokens import Token
from kb.catalog.server_args_line import Argument

__all__ = ["SECRET_FLAGS", "LaunchCommand", "Option", "Style", "keyword_command", "word_command"]

Style = Literal["shell", "block", "flow", "call"]

# Values that must never be logged. They stay in the command, which is the user's own text;
# whoever writes a command anywhere but back to its user masks `LaunchCommand.secrets`.
SECRET_FLAGS = frozenset({"--api-key", "--admin-api-key", "api_key", "admin_api_key"})
_SECRET_VARIABLE = re.compile(r"(?:^|_)(?:TOKEN|KEY|SECRET|PASSWORD)$")

_FLAG = re.compile(r"(?:--|[–—])[A-Za-z]|-[A-Za-z]")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=")


@dataclass(frozen=True, slots=True)
class Option:
    """A flag (or variable, or keyword argument) with its values, as written."""

    flag: str  # verbatim, without its value: "--tp", "--mem_fraction_static", "HF_TOKEN"
    start: int  # offset in the command's text
    end: int  # offset after the last value, or after the flag
    values: tuple[Token, ...] = ()  # spans in the command's text; quotes inside the span
    joined: bool = False  # written "--flag=value"


@dataclass(frozen=True, slots=True)
class LaunchCommand:
    """A command that starts the server, a byte-identical slice of the text it was found in."""

    text: str
    offset: int  # where `text` starts in that text, in characters; -1: rebuilt from server_args
    style: Style
    tokens: tuple[Token, ...]
    options: tuple[Option, ...]  # of the server alone, not of docker or python; in order
    variables: tuple[Option, ...] = ()  # environment set in front of the program, or by docker -e
    program: int = 0  # offset of the program ("python3", "sglang"); 0 where there is none
    container: int | None = None  # offset after `docker run`, where the command is one
    container_options: tuple[Option, ...] = ()  # docker's own flags, before the program
    # Field → value of the `server_args=` line of the same paste: what the server really ran with.
    in_force: Mapping[str, object] = field(default_factory=dict)

    @property
    def secrets(self) -> tuple[tuple[int, int], ...]:
        """Return the spans in `text` of values that must not be logged."""
        flags = (option for option in self.options if _bare(option.flag) in SECRET_FLAGS)
        variables = (item for item in self.variables if _SECRET_VARIABLE.search(item.flag))
        return tuple(
            (value.start, value.end) for option in (*flags, *variables) for value in option.values
        )


def _bare(flag: str) -> str:
    return flag.replace("_", "-") if flag.startswith("--") else flag


def word_command(
    text: str,
    tokens: Sequence[Token],
    style: Style,
    program: int | None,
    in_force: Mapping[str, object],
    span: tuple[int, int] | None = None,
) -> LaunchCommand:
    """Make a command of words; `program` is the index of its last program word, None without.

    `span` is the slice of `text` to show, where it is more than the words: a list with its marks.
    """
    start, end = span or (tokens[0].start, tokens[-1].end)
    words = tuple(Token(t.start - start, t.end - start, t.value) for t in tokens)
    own = text[start:end]
    first_option = 0 if program is None else program + 1
    before = words[:first_option]
    container = _container(before)
    return LaunchCommand(
        text=own,
        offset=start,
        style=style,
        tokens=words,
        options=_options(own, words[first_option:]),
        variables=_variables(own, before),
        program=_program_start(before),
        container=container,
        container_options=_container_options(own, before) if container is not None else (),
        in_force=in_force,
    )


def keyword_command(
    text: str,
    start: int,
    end: int,
    arguments: Sequence[Argument],
    in_force: Mapping[str, object],
) -> LaunchCommand:
    """Make a command of the Python call `text[start:end]`, whose keywords are `arguments`."""
    options = []
    tokens = []
    for argument in arguments:
        name_at = argument.start - start
        value = Token(argument.value_start - start, argument.value_end - start, argument.value)
        tokens += [Token(name_at, name_at + len(argument.name), argument.name), value]
        options.append(Option(argument.name, name_at, value.end, (value,), joined=True))
    return LaunchCommand(
        text[start:end], start, "call", tuple(tokens), tuple(options), in_force=in_force
    )


def _options(text: str, words: Sequence[Token]) -> tuple[Option, ...]:
    options: list[Option] = []
    current: list[Token] = []
    for word in words:
        if _is_flag(word.value):
            if current:
                options.append(_option(text, current))
            current = [word]
        elif current:
            current.append(word)
    if current:
        options.append(_option(text, current))
    return tuple(options)


def _is_flag(value: str) -> bool:
    return bool(_FLAG.match(value))


def _option(text: str, words: Sequence[Token]) -> Option:
    head = words[0]
    if "=" in head.value:
        flag = head.value[: head.value.index("=")]
        joined = _after_equals(text, head)
        return Option(flag, head.start, words[-1].end, (joined, *words[1:]), joined=True)
    return Option(head.value, head.start, words[-1].end, tuple(words[1:]))


def _after_equals(text: str, word: Token) -> Token:
    """Return the value of `--flag=value`; the quotes around the whole word are not the value's."""
    raw = text[word.start : word.end]
    end = word.end - 1 if _is_quoted(raw) else word.end
    start = word.start + raw.index("=") + 1
    return Token(start, max(start, end), word.value[word.value.index("=") + 1 :])


def _is_quoted(raw: str) -> bool:
    return raw[0] in "'\"" and raw.endswith(raw[0]) and raw.count(raw[0]) == 2


def _variables(text: str, words: Sequence[Token]) -> tuple[Option, ...]:
    found = []
    for index, word in enumerate(words):
        value = word.value
        attached = value.startswith(("--env=", "-e=")) and value.index("=") + 1
        body = value[attached:] if attached else value
        assignment = _ASSIGNMENT.match(body)
        if not assignment:
            continue
        flag = words[index - 1].value if index and not attached else ""
        if flag.startswith("-") and flag not in ("-e", "--env"):
            continue  # docker's `--label a=b` and the like
        raw = text[word.start : word.end]
        name_at = raw.find(assignment.group(1) + "=")
        if name_at < 0:
            continue
        start = word.start + name_at
        value_at = start + len(assignment.group())
        end = word.end - 1 if _is_quoted(raw) else word.end
        token = Token(value_at, max(value_at, end), body[assignment.end() :])
        found.append(Option(assignment.group(1), start, token.end, (token,), joined=True))
    return tuple(found)


def _container(words: Sequence[Token]) -> int | None:
    for program, verb in pairwise(words):
        name = program.value.rsplit("/", 1)[-1]
        if name in ("docker", "podman", "nerdctl") and verb.value == "run":
            return verb.end
    return None


def _container_options(text: str, words: Sequence[Token]) -> tuple[Option, ...]:
    """Return docker's flags; each takes at most the one word after it."""
    options = []
    for option in _options(text, words):
        if option.joined or len(option.values) < 2:
            options.append(option)
            continue
        first = option.values[0]
        options.append(Option(option.flag, option.start, first.end, (first,)))
    return tuple(options)


def _program_start(words: Sequence[Token]) -> int:
    for word in reversed(words):
        name = word.value.rsplit("/", 1)[-1]
        if re.fullmatch(r"python[\d.]*|sglang", name):
            return word.start
    return 0
