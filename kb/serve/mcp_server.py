"""The knowledge base as an MCP server: four tools, described for a coding agent.

Needs the extra `mcp`; `kb.serve.mcp` says so where it is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BeforeValidator, Field, RootModel

from kb.answer.diagnosis import Diagnosis
from kb.errors import KBError
from kb.knowledge_base import KnowledgeBase
from kb.serve import mcp_tools
from kb.serve.ask_queue import AskQueue
from kb.serve.current_base import CurrentBase
from kb.serve.mcp_tools import FoundSections, Told
from kb.types import Answer, Language, Section
from kb.version import __version__

__all__ = ["create_mcp_server"]

INSTRUCTIONS = """\
Troubleshooting knowledge base for operators of SGLang inference servers, in English and Korean. \
It runs offline and generates nothing: commands, flags and numbers are verbatim and hold for the \
release they are said to hold for.
- An SGLang server failed, hangs, is slow or answers wrongly: call `ask` with the raw log.
- Before you write or change a launch command (`sglang serve`, `python -m sglang.launch_server`): \
call `doctor` with the command and the installed version.
- `search` and `section` are for reading on.
Repeat flags and commands exactly as given. Where `found` is false, say that the knowledge base \
does not cover it instead of guessing."""

ASK = """\
Find out why an SGLang server failed, hangs or misbehaves, and what to do. Give the log as it is: \
whole, unshortened, all ranks, with the traceback and, if you have it, the launch command; it is \
read, not just searched. Returns the section that fits (cause, steps, trade-offs, verbatim), the \
lines of the log that decided, what is true for the SGLang version found in the log, and the \
user's launch command with the change made. `found: false` means that nothing fits: `nearest` \
then lists the closest sections, which are not an answer."""

SEARCH = """\
List the sections of the SGLang troubleshooting knowledge base nearest to a text, the best first, \
each whole in the structured content. It always lists something, however far off: to learn what a \
log means call `ask`, which also says when nothing fits."""

SECTION = """\
Read one section of the SGLang troubleshooting knowledge base by its id, as `ask` and `search` \
give ids and as links inside sections (`#id`) name them."""

DOCTOR = """\
Check an SGLang launch command against a release of SGLang before it is run: each flag is \
accepted, deprecated, not there yet, removed, ambiguous, unknown or another program's (vLLM), and \
each value is of the right type. `command` in the result is the same command with the names that \
release takes, null where nothing has to be renamed. Works without a GPU and without SGLang."""


def _or_empty(value: object) -> object:
    return "" if value is None else value


# The SDK parses JSON inside strings for every parameter but those annotated as plain `str`; a
# question or a paste that is JSON has to stay one. So null is let in by hand, not by `str | None`.
_Optional = Annotated[str, BeforeValidator(_or_empty)]
_Language = Annotated[
    Language | None,
    Field(description="Language of the result: 'en' or 'ko'. Default: that of what is asked."),
]
_LanguageOrEnglish = Annotated[
    Language | None, Field(description="Language of the result: 'en' or 'ko'. Default: 'en'.")
]
_Version = Annotated[
    _Optional,
    Field(description="Installed release of SGLang, e.g. '0.5.9', if you know it."),
]

# RootModel, since the SDK takes the slots of a dataclass for default values.
_Answer = RootModel[Answer]
_FoundSections = RootModel[FoundSections]
_Section = RootModel[Section]
_Diagnosis = RootModel[Diagnosis]


class _Tools:
    """The tools' signatures are their input schemas, the second annotation is the output's."""

    def __init__(self, current: CurrentBase, queue: AskQueue | None) -> None:
        self._current = current
        self._queue = queue

    def _result(self, tell: Callable[[], Told]) -> CallToolResult:
        """Return what is told; the SDK calls tools in threads, which may wait."""
        try:
            told = self._queue.run_here(tell, "mcp") if self._queue else tell()
        except KBError as error:
            return CallToolResult(
                content=[TextContent(type="text", text=str(error))], is_error=True
            )
        return CallToolResult(
            content=[TextContent(type="text", text=told.text)], structured_content=told.structure
        )

    def ask(
        self,
        paste: Annotated[
            str, Field(description="The log, verbatim; empty if you only have a question.")
        ],
        question: Annotated[
            _Optional, Field(description="What the user wants to know about it, in their words.")
        ] = "",
        language: _Language = None,
        version: _Version = "",
        page: Annotated[
            _Optional,
            Field(
                description="Address or section id of the documentation page the user reads, if"
                " any: it wins among sections that fit about as well."
            ),
        ] = "",
    ) -> Annotated[CallToolResult, _Answer]:
        base = self._current.base
        return self._result(lambda: mcp_tools.ask(base, paste, question, language, version, page))

    def search(
        self,
        text: Annotated[str, Field(description="A symptom, an error line, a flag, a topic.")],
        top_k: Annotated[
            int, Field(description="How many sections.", json_schema_extra={"minimum": 1})
        ] = 5,
        language: _Language = None,
    ) -> Annotated[CallToolResult, _FoundSections]:
        return self._result(lambda: mcp_tools.search(self._current.base, text, top_k, language))

    def section(
        self,
        id: Annotated[str, Field(description="E.g. 'cuda-out-of-memory'.")],  # noqa: A002 - the name agents see
        language: _LanguageOrEnglish = None,
    ) -> Annotated[CallToolResult, _Section]:
        return self._result(lambda: mcp_tools.section(self._current.base, id, language or "en"))

    def doctor(
        self,
        command: Annotated[
            str,
            Field(
                description="The whole command, or the script, Dockerfile or manifest it stands in."
            ),
        ],
        version: Annotated[
            _Optional,
            Field(
                description="Release of SGLang it is to run on, e.g. '0.5.9'. Default: the one an"
                " image tag in the command names, else the newest known."
            ),
        ] = "",
        language: _LanguageOrEnglish = None,
    ) -> Annotated[CallToolResult, _Diagnosis]:
        return self._result(lambda: mcp_tools.doctor(command, version, language or "en"))


def create_mcp_server(
    base: KnowledgeBase | CurrentBase, queue: AskQueue | None = None
) -> MCPServer[Any]:
    """Return an MCP server over `base`, to be run on any of the SDK's transports.

    Questions wait in `queue`, where there is one.
    A KBError comes back as a tool error with its message alone.
    """
    server: MCPServer[Any] = MCPServer(
        name="sglang-troubleshooting-kb",
        title="SGLang troubleshooting",
        instructions=INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",  # at INFO the SDK logs the messages of errors, which quote the user
        subscriptions=False,  # the lists never change
    )
    tools = _Tools(CurrentBase.of(base), queue)
    for run, title, description in (
        (tools.ask, "Explain an SGLang failure", ASK),
        (tools.search, "Search SGLang troubleshooting", SEARCH),
        (tools.section, "Read a troubleshooting section", SECTION),
        (tools.doctor, "Check an SGLang launch command", DOCTOR),
    ):
        server.add_tool(
            run,
            title=title,
            description=description,
            annotations=ToolAnnotations(
                read_only_hint=True,
                destructive_hint=False,
                idempotent_hint=True,
                open_world_hint=False,
            ),
        )
    return server
