"""A section's Markdown → its remedies in the order to try, those that exist in a version."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from kb.answer.remedy_items import Action, RemedyItem, Written, remedy_items
from kb.answer.tokens import shell_words
from kb.catalog.catalog import Catalog
from kb.catalog.flags import FlagVerdict, check_flag
from kb.catalog.variables import check_variable
from kb.errors import CatalogError

__all__ = ["Argument", "Remedy", "remedies_from_section"]

# Flags of `docker run` that sections recommend; they are not SGLang's.
_DOCKER_FLAGS = frozenset(
    {"--cap-add", "--device", "--gpus", "--ipc", "--network", "--privileged", "--shm-size"}
    | {"--security-opt", "--ulimit"}
)
# Flags whose value depends on the machine, the model or the deployment: a section can only give
# an example of it.
_OWN_FLAGS = frozenset(
    {"--tp-size", "--dp-size", "--pp-size", "--ep-size", "--attn-dp-size", "--attn-cp-size"}
    | {"--nnodes", "--node-rank", "--dist-init-addr", "--base-gpu-id", "--port", "--api-key"}
    | {"--model-path", "--tokenizer-path", "--served-model-name", "--chat-template"}
    | {"--speculative-draft-model-path", "--lora-paths", "--json-model-override-args"}
    | {"--tool-call-parser", "--reasoning-parser", "--quantization-param-path"}
    | {"--quantization"}
)
# What shows more and cures nothing.
_DIAGNOSTIC = frozenset(
    {"NCCL_DEBUG", "NVSHMEM_DEBUG", "CUDA_LAUNCH_BLOCKING", "--log-level", "--log-requests"}
)
# Values that the reader has to fill in: `<nic>`, `IP:PORT`, `FILE.jinja`, `…`.
_FILL_IN = re.compile(
    r"[<>…]|\.\.\.|/path/to|mlx\d_|\b\d+\.\d+\.\d+\.\d+:\d|\.(?:json|jinja|yaml|txt)\Z"
    r"|\b[A-Z]+_?(?:IP|PORT|NIC|URL|FILE|DIR|PATH|SECONDS)\b"
)
_UPPER_WORD = re.compile(r"[A-Z][A-Z0-9_]*(?:[.:/].*)?\Z")
_ASSIGNMENT = re.compile(r"(?P<name>[A-Z][A-Z0-9_]*)=(?P<value>\S+)\Z")
_OWN_VARIABLE = re.compile(r"SGL(?:ANG)?_")


@dataclass(frozen=True, slots=True)
class Argument:
    """A flag or variable with the values a remedy gives it."""

    kind: Literal["flag", "variable", "docker"]
    name: str  # verbatim: "--mem-fraction-static"
    values: tuple[str, ...]  # as written, quotes included; none for a switch
    verdict: FlagVerdict | None  # in the version asked; None where it is not SGLang's


@dataclass(frozen=True, slots=True)
class Remedy:
    """One change that a section recommends."""

    text: str  # the code spans, verbatim
    action: Action
    arguments: tuple[Argument, ...]  # mostly one
    step: int | None = None  # number of the list item


def remedies_from_section(
    markdown: str, catalog: Catalog, version: str | None, paste: str = ""
) -> tuple[Remedy, ...]:
    """Return what can be applied in `version` (None: the newest release), in the section's order.

    Left out: what `version` does not take, a value to be filled in or that depends on the machine,
    what only shows more, and items for a message that `paste` does not hold.
    CatalogError if `version` is no version.
    """
    release = catalog.judge(version).release
    found: list[Remedy] = []
    for item in remedy_items(markdown):
        if item.messages and not any(_holds(paste, message) for message in item.messages):
            continue
        found += [remedy for remedy in _of_item(item, catalog, release) if remedy not in found]
    return tuple(found)


def _holds(paste: str, message: str) -> bool:
    """Whether a line of the paste has all that stands between the `…` of the message, in order."""
    pieces = [piece.strip() for piece in message.split("…")]
    return any(_in_order(line, pieces) for line in paste.split("\n") if pieces[0] in line)


def _in_order(line: str, pieces: Sequence[str]) -> bool:
    at = 0
    for piece in pieces:
        at = line.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def _of_item(item: RemedyItem, catalog: Catalog, release: str) -> Iterator[Remedy]:
    for written in item.choices:
        here = [one for one in written if _within(one.releases, release, catalog)]
        if item.action == "set" and len(here) < len(written):
            continue
        arguments = [
            argument for one in here for argument in _arguments(one.code, catalog, release)
        ]
        fits = _is_removable if item.action == "remove" else _is_applicable
        if item.action == "remove":
            arguments = [argument for argument in arguments if fits(argument)]
        if arguments and all(fits(argument) for argument in arguments):
            yield Remedy(_text(here), item.action, tuple(arguments), item.step)


def _text(written: list[Written]) -> str:
    return " ".join(one.code for one in written)


def _within(note: str | None, release: str, catalog: Catalog) -> bool:
    """Whether the note on releases behind a code span, if there is one, holds for `release`."""
    if note is None:
        return True
    for part in re.split(r", ?", note):
        ends = re.findall(r"[\d.]+(?:post\d+)?", part)
        low = None if part.startswith("≤") else ends[0]
        high = None if part.endswith("+") else ends[-1]
        # Whoever writes "0.5.13" means its post-releases too.
        below = high is not None and release.startswith(f"{high}.post")
        if _order(low, release, catalog) and (below or _order(release, high, catalog)):
            return True
    return False


def _order(earlier: str | None, later: str | None, catalog: Catalog) -> bool:
    if earlier is None or later is None:
        return True
    try:
        first, second = (catalog.judge(version).release for version in (earlier, later))
    except CatalogError:  # older than the catalogue: every release is later
        return True
    return catalog.position(first) <= catalog.position(second)


def _arguments(code: str, catalog: Catalog, release: str) -> Iterator[Argument]:
    assignment = _ASSIGNMENT.match(code)
    if assignment:
        name = assignment["name"]
        verdict = check_variable(catalog, name, release) if _OWN_VARIABLE.match(name) else None
        yield Argument("variable", name, (assignment["value"],), verdict)
        return
    words = [code[word.start : word.end] for word in shell_words(code, 0)]
    starts = [index for index, word in enumerate(words) if word.startswith("--")]
    for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
        flag, joined, value = words[start].partition("=")
        values = (*([value] if joined else []), *words[start + 1 : end])
        if _is_docker(flag, values):
            yield Argument("docker", flag, values, None)
        else:
            # A name that only begins another flag's in this release is none of it.
            spelled = flag in catalog.options_of(release)
            yield Argument(
                "flag", flag, values, check_flag(catalog, flag, release) if spelled else None
            )


def _is_docker(flag: str, values: tuple[str, ...]) -> bool:
    """Whether the flag is docker's; `--device` is SGLang's too, docker's names a device file."""
    if flag == "--device":
        return bool(values) and values[0].startswith("/dev/")
    return flag in _DOCKER_FLAGS


def _is_accepted(argument: Argument) -> bool:
    return argument.verdict is not None and argument.verdict.status in ("accepted", "deprecated")


def _is_removable(argument: Argument) -> bool:
    return argument.kind == "flag" and _is_accepted(argument)


def _is_applicable(argument: Argument) -> bool:
    """Whether the argument has all it takes to be written into a command."""
    if argument.name in _DIAGNOSTIC or any(_FILL_IN.search(value) for value in argument.values):
        return False
    if argument.kind == "docker":
        return bool(argument.values) or argument.name == "--privileged"
    if argument.kind == "variable":
        known = argument.verdict is None or _is_accepted(argument)
        return known and not re.fullmatch(r"[A-Z]", argument.values[0])
    form = argument.verdict.form if argument.verdict is not None else None
    if form is None or not _is_accepted(argument):
        return False
    if form.is_switch:
        return not argument.values
    assert argument.verdict is not None
    if {argument.name, argument.verdict.name} & _OWN_FLAGS and argument.values != ("auto",):
        return False
    choices = [str(choice) for choice in form.choices or ()]
    if choices:
        return bool(argument.values) and all(v.strip("'\"") in choices for v in argument.values)
    return bool(argument.values) and not any(_UPPER_WORD.match(v) for v in argument.values)
