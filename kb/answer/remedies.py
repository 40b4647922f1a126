"""A section's Markdown → its remedies in the order to try, those that exist in a version."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token as MarkdownToken

from kb.answer.remedy_wording import (
    Direction,
    conditions,
    direction,
    is_advised_against,
    is_conditional,
    is_removal,
)
from kb.answer.tokens import shell_words
from kb.catalog.catalog import Catalog
from kb.catalog.flags import FlagVerdict, check_flag
from kb.errors import CatalogError

__all__ = ["DOCKER_FLAGS", "FlagValue", "Remedy", "remedies_from_section"]

# Flags of `docker run` that sections recommend; they are not SGLang's.
DOCKER_FLAGS = frozenset(
    {"--cap-add", "--device", "--gpus", "--ipc", "--network", "--privileged", "--shm-size"}
    | {"--security-opt", "--ulimit"}
)

_LEAD_IN = re.compile(r"What to do|해결 순서")
_VERSION = r"\d+\.\d+\.\d+(?:\.post\d+)?"
_BOUNDS = re.compile(
    rf"\s?\((?:(?P<since>{_VERSION})\+|(?:≤|<=)\s?(?P<until>{_VERSION})"
    rf"|(?P<first>{_VERSION})[–-](?P<last>{_VERSION}))"
)
_ASSIGNMENT = re.compile(r"(?P<name>[A-Z][A-Z0-9_]*)=(?P<value>\S+)\Z")
# Flags whose value depends on the machine, the model or the deployment: a section can only give
# an example of it.
_OWN_FLAGS = frozenset(
    {"--tp-size", "--dp-size", "--pp-size", "--ep-size", "--attn-dp-size", "--attn-cp-size"}
    | {"--nnodes", "--node-rank", "--dist-init-addr", "--base-gpu-id", "--port"}
    | {"--model-path", "--tokenizer-path", "--served-model-name", "--chat-template"}
    | {"--speculative-draft-model-path", "--lora-paths", "--json-model-override-args"}
    | {"--tool-call-parser", "--reasoning-parser", "--quantization-param-path", "--api-key"}
    | {"--quantization"}
)
# Variables that show more and change nothing: tried after everything that could help.
_DIAGNOSTIC = frozenset({"NCCL_DEBUG", "NVSHMEM_DEBUG", "CUDA_LAUNCH_BLOCKING"})
# Values that the reader has to fill in: `<nic>`, `IP:PORT`, `FILE.jinja`, `…`.
_FILL_IN = re.compile(
    r"[<>…]|\.\.\.|/path/to|mlx\d_|\b\d+\.\d+\.\d+\.\d+:\d|\.(?:json|jinja|yaml|txt)\Z"
    r"|\b[A-Z]+_?(?:IP|PORT|NIC|URL|FILE|DIR|PATH|SECONDS)\b"
)
_UPPER_WORD = re.compile(r"[A-Z][A-Z0-9_]*(?:[.:/].*)?\Z")


@dataclass(frozen=True, slots=True)
class FlagValue:
    """A flag with the values a remedy gives it."""

    flag: str  # verbatim: "--mem-fraction-static"
    values: tuple[str, ...]  # as written, quotes included; none for a switch
    verdict: FlagVerdict | None  # in the version asked; None for docker's flags


@dataclass(frozen=True, slots=True)
class Remedy:
    """One change that a section recommends."""

    text: str  # the code span, verbatim
    kind: Literal["set", "remove", "variable", "docker"]
    flags: tuple[FlagValue, ...]  # mostly one; for a variable its name and value
    direction: Direction | None = None  # what the sentence says the value does


@dataclass(frozen=True, slots=True)
class _Span:
    """A code span of a list item, with the text of its item on both sides."""

    code: str
    before: str  # of its sentence
    after: str
    conditions: tuple[str, ...]  # messages the item starts with: it is for logs that hold one
    is_conditional: bool  # the item starts with "If …" or "With …:": for some servers only


def remedies_from_section(
    markdown: str, catalog: Catalog, version: str | None, paste: str = ""
) -> tuple[Remedy, ...]:
    """Return what can be applied in `version` (None: the newest release), in the section's order.

    Left out: a flag without a concrete value ("lower `--max-running-requests`"), a value to be
    filled in, an item for a message (`` `Bad address`: … ``) that `paste` does not hold, and an
    item for some servers only ("With speculative decoding: …").
    CatalogError if `version` is no version.
    """
    release = catalog.judge(version).release
    remedies: list[Remedy] = []
    for span in _spans(markdown):
        if span.conditions and not any(message in paste for message in span.conditions):
            continue
        if is_advised_against(span.before, span.after) or not _within(span.after, release, catalog):
            continue
        remedy = _remedy(span, catalog, release)
        if remedy is not None and span.is_conditional and remedy.kind != "docker":
            continue
        if remedy is not None and remedy not in remedies:
            remedies.append(remedy)
    return tuple(sorted(remedies, key=_is_diagnostic))


def _is_diagnostic(remedy: Remedy) -> bool:
    return remedy.flags[0].flag in _DIAGNOSTIC


def _within(after: str, release: str, catalog: Catalog) -> bool:
    """Whether the version note right after a code span, if there is one, holds for `release`."""
    bounds = _BOUNDS.match(after)
    if bounds is None:
        return True
    low = bounds.group("since") or bounds.group("first")
    high = bounds.group("until") or bounds.group("last")
    return _order(low, release, catalog) and _order(release, high, catalog)


def _order(earlier: str | None, later: str | None, catalog: Catalog) -> bool:
    if earlier is None or later is None:
        return True
    try:
        first, second = (catalog.judge(version).release for version in (earlier, later))
    except CatalogError:  # older than the catalogue: every release is later
        return True
    return catalog.position(first) <= catalog.position(second)


def _remedy(span: _Span, catalog: Catalog, release: str) -> Remedy | None:
    assignment = _ASSIGNMENT.match(span.code)
    if assignment:
        return _variable(span, assignment, catalog, release)
    if not span.code.startswith("--"):
        return None
    flags = tuple(_flag_values(span.code, catalog, release))
    if not flags:
        return None
    if all(_is_docker(flag) for flag in flags):
        known = all(flag.values or flag.flag == "--privileged" for flag in flags)
        return Remedy(span.code, "docker", flags) if known else None
    if any(flag.verdict is None or flag.flag == "--api-key" for flag in flags):
        return None
    if is_removal(span.code, span.before, span.after):
        return Remedy(span.code, "remove", flags)
    if all(_is_applicable(flag) for flag in flags):
        return Remedy(span.code, "set", flags, direction(span.before, span.after))
    return None


def _variable(
    span: _Span, assignment: re.Match[str], catalog: Catalog, release: str
) -> Remedy | None:
    name, value = assignment.group("name", "value")
    if _FILL_IN.search(value) or re.fullmatch(r"[A-Z]", value):
        return None
    if name.startswith(("SGLANG_", "SGL_")) and not _reads(name, catalog, release):
        return None
    if is_removal(span.code, span.before, span.after):
        return None
    return Remedy(span.code, "variable", (FlagValue(name, (value,), None),))


def _reads(name: str, catalog: Catalog, release: str) -> bool:
    history = catalog.variables.get(name)
    spans = history.spans if history is not None else ()
    return any(
        _order(first, release, catalog) and _order(release, last, catalog) for first, last in spans
    )


def _flag_values(code: str, catalog: Catalog, release: str) -> Iterator[FlagValue]:
    words = shell_words(code, 0)
    flag: str | None = None
    values: list[str] = []
    for word in words:
        raw = code[word.start : word.end]
        if raw.startswith("--"):
            if flag:
                yield _flag_value(flag, values, catalog, release)
            flag, joined, value = raw.partition("=")
            values = [value] if joined else []
        elif flag:
            values.append(raw)
    if flag:
        yield _flag_value(flag, values, catalog, release)


def _flag_value(flag: str, values: list[str], catalog: Catalog, release: str) -> FlagValue:
    verdict = check_flag(catalog, flag, release)
    known = verdict if verdict.status in ("accepted", "deprecated") else None
    return FlagValue(flag, tuple(values), known)


def _is_docker(flag: FlagValue) -> bool:
    """Whether the flag is docker's; `--device` is SGLang's too, docker's names a device file."""
    if flag.flag == "--device":
        return bool(flag.values) and flag.values[0].startswith("/dev/")
    return flag.flag in DOCKER_FLAGS


def _is_applicable(flag: FlagValue) -> bool:
    """Whether the flag has all it takes to be written into a command."""
    assert flag.verdict is not None
    form = flag.verdict.form
    if form is None:
        return False
    if form.is_switch:
        return not flag.values
    if not flag.values or any(_FILL_IN.search(value) for value in flag.values):
        return False
    if {flag.flag, flag.verdict.name} & _OWN_FLAGS and flag.values != ("auto",):
        return False
    choices = [str(choice) for choice in form.choices or ()]
    if choices:
        return all(value.strip("'\"") in choices for value in flag.values)
    return not any(_UPPER_WORD.match(value) for value in flag.values)


@lru_cache(maxsize=64)
def _spans(markdown: str) -> tuple[_Span, ...]:
    """Return the code spans of the list items under "What to do", else of all list items."""
    under_lead_in: list[_Span] = []
    everywhere: list[_Span] = []
    depth = 0
    leading = False
    for token in MarkdownIt("commonmark").parse(markdown):
        if token.type == "list_item_open":
            depth += 1
        elif token.type == "list_item_close":
            depth -= 1
        elif token.type == "inline" and depth:
            spans = list(_code_spans(token.children or []))
            everywhere += spans
            under_lead_in += spans if leading else []
        elif token.type == "inline" and token.content.startswith("**"):
            leading = _LEAD_IN.search(token.content[:40]) is not None
    return tuple(under_lead_in or everywhere)


def _code_spans(children: list[MarkdownToken]) -> Iterator[_Span]:
    texts = ["\n" if child.type.endswith("break") else child.content for child in children]
    messages = conditions(children)
    conditional = is_conditional("".join(texts))
    for index, child in enumerate(children):
        if child.type == "code_inline":
            before = "".join(texts[max(0, index - 8) : index])
            sentence = re.split(r"(?<=[.;。])\s", before)[-1]
            after = "".join(texts[index + 1 : index + 9])
            yield _Span(child.content.strip(), sentence, after, messages, conditional)
