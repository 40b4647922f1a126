"""A paste → the command that started the server in it, in whichever form it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from kb.answer.command import LaunchCommand, keyword_command, word_command
from kb.answer.server_args import fields_in_force
from kb.answer.tokens import Token, block_list, flow_list, shell_words
from kb.catalog.server_args_line import keyword_arguments

__all__ = ["find_command", "parse_command"]

MAX_ANCHORS = 40  # places tried per form; a paste that names the program more often is a log
MAX_CALL_CHARS = 10_000  # of the arguments of `Engine(…)`
LOOK_BACK_CHARS = 4_000  # from the program back to `docker run` or the variables in front

# Looked for literally, so that the search is linear; the patterns then look at the surroundings.
_PROGRAMS = ("sglang.launch_server", "sglang serve", "sglang/launch_server.py")
_PYTHON_MODULE = re.compile(
    r"(?:[\w./~+-]*/)?python[\d.]*(?:\s|\\\r?\n)+(?:-[A-Za-ln-z]\w*(?:\s|\\\r?\n)+)*-m(?:\s|\\\r?\n)*\Z"
)
_PYTHON_FILE = re.compile(r"(?:[\w./~+-]*/)?python[\d.]*\s+(?:-[A-Za-z]+\s+)*[\w./~+-]*\Z")
_PATH_BEFORE = re.compile(r"(?:[\w./~+-]*/)?\Z")
_NEXT_TO_PROGRAM = re.compile(r"(?![\w.])")
_CONTAINER = re.compile(r"(?:sudo[ \t]+)?\b(?:docker|podman|nerdctl)[ \t]+run\b")
_IN_FRONT = re.compile(
    r"""(?:^|(?<=[\s"'`(\[;&|]))
    (?:(?:[A-Za-z_]\w*=(?:"[^"\n]*"|'[^'\n]*'|[^\s"'`;&|]*)
        |sudo|env|exec|nohup|time)(?:[ \t]|\\\r?\n)+)+\Z""",
    re.VERBOSE,
)
# What may stand before a command on its line: a prompt, a bullet, a key of a YAML or Dockerfile.
_LINE_START = re.compile(
    r"""[ \t]*(?:[-+*>][ \t]+|[\w.-]+:[ \t]*[>|]?[+-]?[ \t]*|(?:CMD|RUN|ENTRYPOINT)[ \t]+
    |(?:\([\w .-]+\)[ \t]*)*[\w.@~:/\[\]+-]*[ \t]?[\w~/.\]-]*[$\#%>❯][ \t]*)?["'`]?\Z""",
    re.VERBOSE,
)
_CLOSING = {"`": "`", '"': '"', "'": "'", "[": "]", "(": ")"}
_BARE_KEYS = ("command:", "args:", 'command":', 'args":')
_BARE_VALUE = re.compile(
    r"""[ \t]*(?:(?P<list>\[\s*)|[>|]?[+-]?[ \t]*(?:\r?\n[ \t]*)?)(?=["']?--[A-Za-z])"""
)
_ITEM_START = re.compile(r"""[ \t]*-[ \t]+["']?""")
_ITEM_END = re.compile(r"""["']\s*[,\]]""")
_LIST_END = re.compile(r"[\s,]*\]")
_CALLS = ("Engine(", "Runtime(", " ServerArgs(")


# What argparse prints of a program is no command that was given; blanks keep every place.
_USAGE = re.compile(
    r"^.{0,120}?\b(?:usage: |error: (?:unrecognized|ambiguous|argument )).*$", re.MULTILINE
)
_USAGE_MARKS = ("usage: ", "error: ")


def find_command(text: str) -> LaunchCommand | None:
    """Return the first launch command of `text` that has flags, None where there is none."""
    pasted = text
    if any(mark in pasted for mark in _USAGE_MARKS):
        text = _USAGE.sub(lambda found: " " * len(found[0]), pasted)
    in_force = fields_in_force(text)
    plain: LaunchCommand | None = None
    for candidate in _candidates(text, in_force):
        command = _before_usage(candidate, pasted, text, in_force)
        if command is None:
            continue
        if command.options:
            return command
        plain = plain or command
    return plain


def _before_usage(
    command: LaunchCommand, pasted: str, text: str, in_force: Mapping[str, object]
) -> LaunchCommand | None:
    """Return the command, read anew up to argparse's line where a lost quote runs over one."""
    span = pasted[command.offset : command.offset + len(command.text)]
    if span == command.text:
        return command
    differs = (i for i, (a, b) in enumerate(zip(span, command.text, strict=True)) if a != b)
    end = command.offset + next(differs)
    shorter = _candidates(text[: text.rfind("\n", 0, end) + 1], in_force)
    return next((again for again in shorter if again.offset == command.offset), None)


def parse_command(text: str) -> LaunchCommand | None:
    """Return the command that `text` is: as `find_command`, or a row of flags alone."""
    command = find_command(text)
    if command is not None and command.options:
        return command
    start = len(text) - len(text.lstrip())
    if text[start : start + 1] in ("-", "–", "—"):
        words = shell_words(text, start)
        if words:
            return word_command(text, words, "shell", None, {})
    return command


def _candidates(text: str, in_force: Mapping[str, object]) -> Iterator[LaunchCommand]:
    for program in _PROGRAMS:
        for at in _places(text, program):
            command = _list_at(text, at, program, in_force) or _shell_at(
                text, at, program, in_force
            )
            if command is not None:
                yield command
    for call in _CALLS:
        for at in _places(text, call):
            command = _call_at(text, at + len(call) - len(call.lstrip()), at + len(call), in_force)
            if command is not None:
                yield command
    yield from _bare(text, in_force)


def _places(text: str, literal: str) -> Iterator[int]:
    at = text.find(literal)
    for _ in range(MAX_ANCHORS):
        if at < 0:
            return
        yield at
        at = text.find(literal, at + len(literal))


def _shell_at(
    text: str, at: int, program: str, in_force: Mapping[str, object]
) -> LaunchCommand | None:
    end = at + len(program)
    if not _NEXT_TO_PROGRAM.match(text, end):
        return None
    first = _program_start(text, at, program)
    if first is None:
        return None
    start = _command_start(text, first)
    closing = _CLOSING.get(text[start - 1 : start], "")
    words = shell_words(text, start, closing)
    place = next((i for i, word in enumerate(words) if word.end >= end), None)
    if place is None or words[place].start >= end:
        return None
    line_start = text.rfind("\n", 0, start) + 1
    typed = closing == "" and _LINE_START.fullmatch(text[line_start:start][-200:]) is not None
    kept = words if closing else _without_prose(words, place, typed)
    if len(kept) == place + 1 and not typed:
        return None  # the program is only mentioned
    return word_command(text, kept, "shell", place, in_force)


def _program_start(text: str, at: int, program: str) -> int | None:
    """Return where `python3 -m …` or `/path/sglang` starts whose program stands at `at`."""
    low = max(0, at - 300)
    before = text[low:at]
    if program == "sglang serve":
        match = _PATH_BEFORE.search(before[-120:])
        assert match is not None  # it matches the empty string
        start = at - len(match.group())
        return start if start == 0 or not text[start - 1].isalnum() else None
    pattern = _PYTHON_MODULE if program == "sglang.launch_server" else _PYTHON_FILE
    for python in re.finditer(r"(?:[\w./~+-]{0,100}/)?python", before):
        if pattern.match(before, python.start()):
            return low + python.start()
    return None


def _command_start(text: str, program: int) -> int:
    """Go back from the program to the variables in front of it, or to `docker run`."""
    start = text.rfind("\n", 0, program) + 1
    while start > 1 and program - start < LOOK_BACK_CHARS:
        line_before = text.rfind("\n", 0, start - 1) + 1
        if not text[line_before : start - 1].rstrip().endswith("\\"):
            break
        start = line_before
    before = text[max(start, program - LOOK_BACK_CHARS) : program]
    containers = list(_CONTAINER.finditer(before))
    if containers and not re.search(r"""["'`]\Z""", before):
        return program - len(before) + containers[-1].start()
    tail = before[-600:]
    in_front = _IN_FRONT.search(tail)
    return program - len(in_front.group()) if in_front else program


def _without_prose(words: Sequence[Token], program: int, typed: bool) -> tuple[Token, ...]:
    """Drop the sentence that goes on after a command written inside one."""
    kept = list(words[: program + 1])
    values = 0  # since the last flag
    for word in words[program + 1 :]:
        is_flag = word.value.startswith(("-", "–", "—")) and not word.value[1:2].isdigit()
        if not is_flag:
            values += 1
            foreign = not word.value.isascii() and not re.search(r"[=/.]", word.value)
            sentence = not typed and values > 1 and word.value.isalpha()
            bare = len(kept) == program + 1 and (not typed or foreign)
            if bare or foreign or sentence:
                break
        else:
            values = 0
        if not typed and (stripped := word.value.rstrip(",;:")) != word.value:
            cut = len(word.value) - len(stripped)
            if stripped:
                kept.append(Token(word.start, word.end - cut, stripped))
            break
        kept.append(word)
    last = kept[-1]
    if not typed and len(kept) > program + 1 and last.value.endswith(".") and len(last.value) > 1:
        kept[-1] = Token(last.start, last.end - 1, last.value[:-1])
    return tuple(kept)


def _list_at(
    text: str, at: int, program: str, in_force: Mapping[str, object]
) -> LaunchCommand | None:
    """Read the YAML or JSON list one of whose items is the program."""
    line_start = text.rfind("\n", 0, at) + 1
    if _ITEM_START.fullmatch(text[line_start:at][-200:]):
        return _block_command(text, line_start, at, in_force)
    quoted = text[max(0, at - 1) : at] in ("'", '"')
    if not quoted or not _ITEM_END.match(text, at + len(program)):
        return None
    bracket = text.rfind("[", max(0, at - LOOK_BACK_CHARS), at)
    return _flow_command(text, bracket + 1, at, in_force) if bracket >= 0 else None


def _block_command(
    text: str, line_start: int, program: int | None, in_force: Mapping[str, object]
) -> LaunchCommand | None:
    start = _list_start(text, line_start)
    tokens = block_list(text, start)
    if not tokens:
        return None
    place = _place(tokens, program)
    span = (start, tokens[-1].end)
    return word_command(text, tokens, "block", place, in_force, span)


def _flow_command(
    text: str, first: int, program: int | None, in_force: Mapping[str, object]
) -> LaunchCommand | None:
    tokens = flow_list(text, first)
    if not tokens:
        return None
    closing = _LIST_END.match(text, tokens[-1].end)
    start = text.rfind("[", 0, first + 1)
    span = (start, closing.end() if closing else tokens[-1].end)
    return word_command(text, tokens, "flow", _place(tokens, program), in_force, span)


def _place(tokens: Sequence[Token], program: int | None) -> int | None:
    if program is None:
        return None
    return next((i for i, token in enumerate(tokens) if token.start <= program < token.end), None)


def _call_at(
    text: str, start: int, opened: int, in_force: Mapping[str, object]
) -> LaunchCommand | None:
    stop = min(len(text), opened + MAX_CALL_CHARS)
    arguments = [item for item in keyword_arguments(text, opened, stop) if item.followed]
    if not arguments:
        return None
    end = arguments[-1].value_end
    closed = text.find(")", end, end + 200)
    if closed >= 0 and not text[end:closed].strip(" \t\r\n,"):
        end = closed + 1
    return keyword_command(text, start, end, arguments, in_force)


def _known(command: LaunchCommand | None) -> Iterator[LaunchCommand]:
    if command is not None:
        yield command


def _bare(text: str, in_force: Mapping[str, object]) -> Iterator[LaunchCommand]:
    """Yield commands whose program stands elsewhere: compose `command:`, Kubernetes `args:`."""
    for key in _BARE_KEYS:
        for at in _places(text, key):
            value = _BARE_VALUE.match(text, at + len(key))
            if value is None:
                continue
            if value.group("list"):
                yield from _known(_flow_command(text, value.end(), None, in_force))
            elif words := shell_words(text, value.end()):
                yield word_command(text, words, "shell", None, in_force)
    for at in _places(text, "--model"):
        line_start = text.rfind("\n", 0, at) + 1
        before = text[line_start:at][-200:]
        if not before.strip():
            yield word_command(text, shell_words(text, at), "shell", None, in_force)
        elif _ITEM_START.fullmatch(before):
            yield from _known(_block_command(text, line_start, None, in_force))


def _list_start(text: str, line_start: int) -> int:
    """Go back from an item of a block list to the line of its first item."""
    start = line_start
    while start > 0 and line_start - start < LOOK_BACK_CHARS:
        before = text.rfind("\n", 0, start - 1) + 1
        if not re.match(r"[ \t]*-[ \t]", text[before : min(start, before + 200)]):
            break
        start = before
    return start
