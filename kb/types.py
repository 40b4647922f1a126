"""The nouns of the pipeline, from a section of the corpus to the answer; all frozen."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

__all__ = [
    "Answer",
    "AnswerSection",
    "CommandAdvice",
    "CommandChange",
    "FlagNote",
    "FlagStatus",
    "Language",
    "MatchedLine",
    "MessageMatch",
    "NearestSection",
    "Section",
    "SectionKind",
    "Source",
    "VersionEvidence",
    "VersionRange",
]

Language = Literal["ko", "en"]
SectionKind = Literal["cause", "consequence", "harmless"]
FlagStatus = Literal[
    "accepted", "deprecated", "not_yet", "removed", "ambiguous", "unknown", "foreign"
]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a text stands: lines are 1-based, both ends included."""

    path: str  # relative to the corpus folder, `/` between parts
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text under it up to the next heading: the unit that is answered with."""

    id: str  # the same in every language; explicit `{#id}`, else `path#slug`
    title: str  # the heading as plain text, without `{#id}`
    language: Language
    markdown: str  # the byte-identical slice of the file, heading included
    source: Source
    kind: SectionKind = "cause"  # from the heading's classes `.consequence` and `.harmless`
    level: int = 2  # of the heading, 1 to 6; 0 for text before any heading
    parent: str | None = None  # id of the section this one stands under
    breadcrumbs: tuple[str, ...] = ()  # titles above this one, outermost first
    signatures: tuple[str, ...] = ()  # lines of its `log` fences, `…` for what varies
    last_signatures: tuple[str, ...] = ()  # of `log-last` fences: a symptom only as the last line


@dataclass(frozen=True, slots=True)
class MatchedLine:
    """A line of the paste that decided for a section: recognised by a signature, else by words."""

    line: int  # 1-based, in the text as it was pasted
    text: str  # that line as pasted, secrets masked
    signature: str  # the line of the `log` fence that matched it; "" where its words decided


@dataclass(frozen=True, slots=True)
class AnswerSection:
    """A section as answered: verbatim Markdown, where it stands, and what decided for it."""

    id: str
    title: str
    language: Language
    markdown: str
    source: Source
    score: float  # higher is better; comparable within one answer only
    matched_lines: tuple[MatchedLine, ...] = ()
    kind: SectionKind = "cause"


@dataclass(frozen=True, slots=True)
class NearestSection:
    """A section that is close to what was asked, shown when none fits."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class VersionEvidence:
    """One line of the paste that bounds the version of SGLang it can come from."""

    line: int  # 1-based; 0 where the caller or the question says it
    text: str  # the part of that line which says it, verbatim
    low: str | None  # first release it can be, None: no lower bound
    high: str | None  # last release it can be, None: no upper bound
    kind: str  # "stated", "prose", "format", "path", "flag", "message", "date"


@dataclass(frozen=True, slots=True)
class VersionRange:
    """The releases of SGLang a paste can come from."""

    value: str | None  # exactly one release, where the paste or the caller says which
    low: str | None
    high: str | None
    evidence: tuple[VersionEvidence, ...] = ()
    contradiction: str | None = None  # a version that is stated and that the log rules out
    # As stated, where that is no release the catalogue knows: `value` is the nearest to it.
    said: str | None = None


@dataclass(frozen=True, slots=True)
class FlagNote:
    """What is true of one flag in the user's version."""

    flag: str  # as it was written, verbatim
    status: FlagStatus
    use: str | None  # the name to write instead, None where nothing has to change
    note: str  # one sentence in the language of the answer
    asked: bool = False  # the question names it


@dataclass(frozen=True, slots=True)
class CommandChange:
    """One change of a launch command."""

    flag: str
    old: str | None  # None: the argument is added
    new: str | None  # None: the argument is removed


@dataclass(frozen=True, slots=True)
class CommandAdvice:
    """The user's launch command and the same with a remedy made, and with names that fit."""

    given: str  # byte-identical slice of the paste, or rebuilt from a `server_args=` line
    suggested: str
    changes: tuple[CommandChange, ...] = ()
    is_rebuilt: bool = False  # from a `server_args=` line: nobody typed it


@dataclass(frozen=True, slots=True)
class MessageMatch:
    """A line that is the program's own message, as catalogued from its releases."""

    template: str  # `…` for what varies
    file: str  # inside the sglang package
    first: str  # first release that has it
    last: str  # last release that has it
    flags: tuple[str, ...] = ()  # flags the message names


@dataclass(frozen=True, slots=True)
class Answer:
    """What a paste is answered with; one shape for Python, CLI, HTTP, chat and agents."""

    found: bool
    language: Language
    confidence: float  # 0 to 1: probability that the first section is right
    sections: tuple[AnswerSection, ...] = ()
    nearest: tuple[NearestSection, ...] = ()
    version: VersionRange | None = None
    flags: tuple[FlagNote, ...] = ()
    command: CommandAdvice | None = None
    message: MessageMatch | None = None
    notes: tuple[str, ...] = field(default=())  # sentences in the answer's language

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON-ready dicts and lists, keys as the fields are named."""
        return asdict(self)
