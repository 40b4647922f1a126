"""A question's words in, what the catalogue says of each flag they name out.

Whether a section fits or not: "what is SGLang's `--max-model-len`?" is answered by the catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from kb.catalog import Catalog, check_flag, check_variable, flag_note
from kb.catalog.foreign import counterpart
from kb.query.paste import Query
from kb.types import FlagNote

__all__ = ["asked_flags"]

# A particle may follow at once: `--max-model-len은`. A server_args field or another program's
# option is written with underscores: `max_model_len`.
_NAME = re.compile(
    r"(?<![\w/.=-])(?P<flag>--?[A-Za-z][\w-]*)"
    r"|(?<![\w/.-])(?P<field>[a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?![\w/.(])"
    r"|\b(?P<variable>SGL(?:ANG)?_[A-Z0-9_]+)",
    re.ASCII,
)
_MAX_CHARS = 4_000
_MAX_FLAGS = 8  # more is a command, which is judged whole


def asked_flags(query: Query, catalog: Catalog, release: str | None) -> tuple[FlagNote, ...]:
    """Return the verdicts on the flags and variables that the words name, in their order.

    Those that the catalogue knows, as SGLang's or as another program's with SGLang's counterpart.
    One that nobody knows only where the words are about SGLang. None where they are about another
    program, whose flags are often spelled alike: `--host`, `--port`.
    """
    programs = query.programs
    if programs.other or programs.foreign_frames:
        return ()
    notes: dict[str, FlagNote] = {}
    for name, is_variable in _named(
        query.words[:_MAX_CHARS], catalog, programs.sglang_in_words > 0
    ):
        if name in notes or len(notes) == _MAX_FLAGS:
            continue
        check = check_variable if is_variable else check_flag
        verdict = flag_note(check(catalog, name, release), query.language)
        notes[name] = replace(verdict, asked=True)
    return tuple(notes.values())


def _named(words: str, catalog: Catalog, about_sglang: bool) -> Iterator[tuple[str, bool]]:
    """Yield the names to judge, and whether each is a variable's."""
    for found in _NAME.finditer(words):
        name = found[0].rstrip("-_")
        if found["variable"]:
            if name in catalog.variables or about_sglang:
                yield name, True
        elif found["flag"]:
            is_known = name in catalog.flags or counterpart(catalog.folder, name) is not None
            if is_known or (about_sglang and name.startswith("--")):
                yield name, False
        elif name in catalog.fields:
            yield name, False
        else:
            foreign = "--" + name.replace("_", "-")
            if counterpart(catalog.folder, foreign) is not None:
                yield foreign, False
