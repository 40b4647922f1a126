"""One change to a launch command as an edit of its text, in the style the command is written in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.answer.command import LaunchCommand, Option

__all__ = ["Edit", "add_flag", "add_variable", "apply_edits", "remove_option", "set_values"]


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `text[start:end]`."""

    start: int
    end: int
    replacement: str


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Return `text` with the edits made; everything between them stays byte-identical."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        pieces += [text[at : edit.start], edit.replacement]
        at = max(at, edit.end)
    return "".join([*pieces, text[at:]])


def set_values(
    command: LaunchCommand, option: Option, values: Sequence[str], flag: str | None
) -> tuple[Edit, str]:
    """Give `option` other values, and another name if `flag` is given; return edit and argument."""
    text = command.text
    if command.style == "call":
        written = _python_value(values)
        new = f"{flag or option.flag}={written}"
        return Edit(option.start, option.end, new), new
    if not option.values:
        head = flag or text[option.start : option.end]
        new = head + "".join(f"{_inner_gap(command)}{value}" for value in values)
        return Edit(option.start, option.end, new), new
    first, last = option.values[0], option.values[-1]
    between = text[first.end : option.values[1].start] if len(option.values) > 1 else " "
    quote = _quote(text[first.start : first.end])
    written = between.join(_quoted(value, quote) for value in values)
    head = text[option.start : first.start]
    if flag is not None:
        head = head.replace(option.flag, flag, 1)
    if not values:  # a switch takes the place of a flag with a value
        new = head.rstrip().rstrip("=")
        return Edit(option.start, option.end, new), new
    new = head + written + text[last.end : option.end]
    return Edit(option.start, option.end, new), new


def add_flag(
    command: LaunchCommand, flag: str, values: Sequence[str], switch: bool
) -> tuple[Edit, str]:
    """Add a flag behind the last one, in the style of the others; return edit and argument."""
    at = command.options[-1].end if command.options else len(command.text)
    gap = _outer_gap(command)
    if command.style == "call":
        new = f"{flag}={'True' if switch else _python_value(values)}"
        return Edit(at, at, gap + new), new
    quote = _item_quote(command)
    if values and _prefers_joined(command):
        new = _quoted(f"{flag}={' '.join(values)}", quote)
    else:
        inner = _inner_gap(command)
        number_quote = quote or _number_quote(command)
        new = inner.join(
            [_quoted(flag, quote), *(_quoted(value, number_quote) for value in values)]
        )
    return Edit(at, at, gap + new), new


def add_variable(command: LaunchCommand, name: str, value: str) -> Edit | None:
    """Set an environment variable in front of a shell command; None where that has no place."""
    if command.style != "shell" or not _has_program(command):
        return None
    if command.container is not None:
        return Edit(command.container, command.container, f" -e {name}={value}")
    wrapper = re.match(r"(?:(?:sudo|env)[ \t]+)+", command.text)
    at = wrapper.end() if wrapper else 0
    return Edit(at, at, f"{name}={value} ")


def remove_option(command: LaunchCommand, option: Option) -> Edit:
    """Take an option out, with the gap before it."""
    before = [token.end for token in command.tokens if token.end <= option.start]
    if command.style == "call":
        before = [other.end for other in command.options if other.end <= option.start]
    if before:
        return Edit(before[-1], option.end, "")
    after = [other.start for other in command.options if other.start >= option.end]
    return Edit(option.start, after[0] if after else option.end, "")


def _has_program(command: LaunchCommand) -> bool:
    return bool(command.tokens) and not command.tokens[0].value.startswith(("-", "–", "—"))


def _outer_gap(command: LaunchCommand) -> str:
    """Return what stands between two options, as before the last of them."""
    options = command.options
    text = command.text
    if len(options) > 1:
        return text[options[-2].end : options[-1].start]
    if options and command.style != "call":
        before = [token.end for token in command.tokens if token.end <= options[-1].start]
        if before:
            return text[before[-1] : options[-1].start]
    if command.style == "block":
        return "\n- "
    return " " if command.style == "shell" else ", "


def _inner_gap(command: LaunchCommand) -> str:
    """Return what stands between a flag and its value, as in the last option that has one."""
    for option in reversed(command.options):
        if option.values and not option.joined:
            flag_end = option.start + len(option.flag)
            raw = command.text[option.start : option.values[0].start]
            quoted = raw[:1] in "'\""
            return (
                raw[len(option.flag) + 2 :]
                if quoted
                else command.text[flag_end : option.values[0].start]
            )
    return " " if command.style == "shell" else _outer_gap(command)


def _prefers_joined(command: LaunchCommand) -> bool:
    with_value = [option for option in command.options if option.values]
    joined = sum(option.joined for option in with_value)
    return joined * 2 > len(with_value)


def _item_quote(command: LaunchCommand) -> str:
    """Return the quote around the flags of a list, as around the last."""
    if command.style == "shell" or not command.options:
        return '"' if command.style == "flow" else ""
    return _quote(command.text[command.options[-1].start :][:1])


def _number_quote(command: LaunchCommand) -> str:
    """Return the quote around numbers in a YAML list: Kubernetes takes strings alone."""
    if command.style != "block":
        return ""
    for option in reversed(command.options):
        for value in option.values if not option.joined else ():
            if re.fullmatch(r"[\d.]+", value.value):
                return _quote(command.text[value.start : value.end])
    return '"'


def _quote(raw: str) -> str:
    return raw[0] if raw[:1] in ("'", '"') and (len(raw) == 1 or raw.endswith(raw[0])) else ""


def _quoted(value: str, quote: str) -> str:
    return (
        value if not quote or value[:1] in ("'", '"') or quote in value else quote + value + quote
    )


def _python_value(values: Sequence[str]) -> str:
    written = [
        value if re.fullmatch(r"[+-]?\d+(?:\.\d+)?|'.*'|\".*\"", value) else f'"{value}"'
        for value in values
    ]
    if not written:
        return "True"
    return written[0] if len(written) == 1 else f"[{', '.join(written)}]"
