"""The nouns of the catalogue: the form a thing has in a run of releases, and its history."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, Union

__all__ = [
    "SERVE_ONLY",
    "FlagForm",
    "FlagHistory",
    "JsonValue",
    "MessageTemplate",
    "Run",
    "VariableForm",
    "VariableHistory",
]

JsonValue = Union[str, int, float, bool, None, list[Any], dict[str, Any]]  # noqa: UP007 - at run time
Form = TypeVar("Form")
_FLAG = re.compile(r"(?<![\w-])--[a-zA-Z][\w-]*\w")


SERVE_ONLY = "serve_only"  # kind of a flag that `sglang serve` takes and the parser does not have


@dataclass(frozen=True, slots=True)
class Run(Generic[Form]):
    """Consecutive releases in which something has one form."""

    first: str  # release, as on PyPI: "0.5.4.post1"
    last: str  # release, included
    form: Form


@dataclass(frozen=True, slots=True)
class FlagForm:
    """A flag as the parser of a release declares it."""

    field: str  # attribute of ServerArgs and key of a `server_args=` line
    # "store", "store_true", "boolean_optional", …; SERVE_ONLY; or the class of a custom action
    kind: str = "store"
    type: str | None = None  # converter: "int", "float", "str", "json.loads"; None for switches
    nargs: str | int | None = None  # argparse's: "+", "*", "?", a number; None: exactly one
    choices: tuple[JsonValue, ...] | None = None
    default: JsonValue = None
    expression: str | None = None  # the default's source text where it is no literal
    required: bool = False
    aliases: tuple[str, ...] = ()  # further option strings, `--no-…` ones included
    deprecated: bool = False
    refused: bool = False  # declared only to stop with a message
    replaced_by: tuple[str, ...] = ()  # as one writes it: "--x", "--x=disabled"

    @property
    def is_switch(self) -> bool:
        """Whether the flag takes no value."""
        return self.nargs == 0 or self.kind in ("store_true", "store_false", "boolean_optional")


@dataclass(frozen=True, slots=True)
class VariableForm:
    """An environment variable as a release reads it."""

    type: str | None = None  # "bool", "int", "float", "str"; None where the source does not say
    default: JsonValue = None
    expression: str | None = None  # the default's source text where it is no literal
    deprecated: bool = False
    replaced_by: tuple[str, ...] = ()  # variables or flags


class _History(Generic[Form]):
    """What flags and variables have in common: a name and its runs, oldest first."""

    __slots__ = ()
    name: str
    runs: tuple[Run[Form], ...]
    spans: tuple[tuple[str, str], ...]

    @property
    def first(self) -> str:
        """Return the first release that has it."""
        return self.runs[0].first

    @property
    def last(self) -> str:
        """Return the last release that has it."""
        return self.runs[-1].last

    @property
    def deprecated_since(self) -> str | None:
        """Return the first release of the last stretch in which it is deprecated."""
        since = None
        for run in reversed(self.runs):
            if not getattr(run.form, "deprecated", False):
                break
            since = run.first
        return since

    @property
    def replaced_by(self) -> tuple[str, ...]:
        """Return what the last release that has it says to write instead."""
        replaced: tuple[str, ...] = getattr(self.runs[-1].form, "replaced_by", ())
        return replaced


@dataclass(frozen=True, slots=True)
class FlagHistory(_History[FlagForm]):
    """One option of the server over all releases, under its first option string."""

    name: str  # "--mem-fraction-static"
    runs: tuple[Run[FlagForm], ...]  # oldest first
    spans: tuple[tuple[str, str], ...]  # (first, last) stretches without a gap

    @property
    def aliases(self) -> tuple[str, ...]:
        """Return every other option string it ever had, sorted."""
        return tuple(sorted({alias for run in self.runs for alias in run.form.aliases}))

    @property
    def field(self) -> str:
        """Return the key under which the last release that has it keeps its value."""
        return self.runs[-1].form.field


@dataclass(frozen=True, slots=True)
class VariableHistory(_History[VariableForm]):
    """One environment variable over all releases."""

    name: str
    runs: tuple[Run[VariableForm], ...]
    spans: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class MessageTemplate:
    """A text the program raises, logs or prints."""

    template: str  # `…` for what varies; may hold newlines
    kind: str  # "raise", "assert", "print", "warn" or a log level: "debug" … "critical"
    file: str  # inside the sglang package: "srt/server_args.py", where the last release has it
    first: str
    last: str
    spans: tuple[tuple[str, str], ...] = ()  # (first, last) stretches without a gap

    @property
    def flags(self) -> tuple[str, ...]:
        """Return the flags the template names, each once, in order."""
        return tuple(dict.fromkeys(_FLAG.findall(self.template)))
