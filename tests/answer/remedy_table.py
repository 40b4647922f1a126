"""The change that each section makes to a launch command, as a table to be read and reviewed.

After a change of a section or of how sections are read, look at what differs and write it anew:
`python tests/answer/remedy_table.py > tests/answer/remedies_by_section.txt`
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from kb.answer.launch_command import Advice, advise, find_command
from kb.answer.remedy_items import remedy_items
from kb.catalog.catalog import Catalog
from kb.corpus.documents import read_corpus
from kb.settings import content_folder
from kb.types import CommandAdvice, CommandChange, Language, Section

TABLE = Path(__file__).parent / "remedies_by_section.txt"
RELEASES = ("0.4.9.post6", "0.5.9", "0.5.21")
PLAIN = "python3 -m sglang.launch_server --model-path M --tp 8"
HEAD = """\
# What a section's remedies change, by release: in a plain command | in the same command with every
# flag and variable of the section that the release has: switches, and those with a value. The log
# holds the messages that items are for.
# A section that changes nothing in any of these releases has no lines under its name.
"""
_OF_THE_COMMAND = frozenset({"--tp-size", "--tp", "--model-path"})
_FLAG = re.compile(r"(--[\w-]+)(?:[ =]('[^']*'|[^-\s]\S*))?")
_VARIABLE = re.compile(r"(?:SGL|NCCL|CUDA|NVSHMEM|PYTORCH|HF)\w*=\S+")


@lru_cache(maxsize=2)
def sections(language: Language = "en") -> dict[str, Section]:
    """Return the shipped sections by id."""
    found = read_corpus(content_folder()).sections
    return {section.id: section for section in found if section.language == language}


def full_command(section: Section, catalog: Catalog, release: str) -> str:
    """Return the plain command with everything of the section that `release` takes."""
    options = catalog.options(release)
    flags: dict[str, str] = {}
    variables: dict[str, str] = {}
    for code in re.findall(r"`([^`\n]+)`", section.markdown):
        if _VARIABLE.fullmatch(code):
            variables.setdefault(code.partition("=")[0], code)
        for flag, value in _FLAG.findall(code) if code.startswith("--") else ():
            if flag in _OF_THE_COMMAND or flag not in options:
                continue
            if options[flag][1].is_switch:
                flags.setdefault(flag, flag)
            elif value:
                flags.setdefault(flag, f"{flag} {value}")
    return " ".join([*variables.values(), PLAIN, *flags.values()])


def advice(section: Section, command: str, catalog: Catalog, release: str) -> Advice:
    """Return what the section says of a command whose log holds all messages it asks for."""
    found = find_command(command)
    assert found is not None
    messages = [message for item in remedy_items(section.markdown) for message in item.messages]
    return advise(found, section.markdown, catalog, release, "en", "\n".join(messages))


def shown(change: CommandChange) -> str:
    if change.old is None:
        return f"+ {change.new}"
    return f"- {change.old}" if change.new is None else f"{change.old} → {change.new}"


def table(catalog: Catalog) -> str:
    return HEAD + "".join(_lines(catalog))


def _lines(catalog: Catalog) -> Iterator[str]:
    for section in sections().values():
        rows = [
            (
                release,
                _changes(advice(section, PLAIN, catalog, release).command),
                _changes(
                    advice(
                        section, full_command(section, catalog, release), catalog, release
                    ).command
                ),
            )
            for release in RELEASES
        ]
        yield f"\n{section.id}\n"
        if any(cell != "none" for _, *cells in rows for cell in cells):
            yield from (f"    {release}: {plain} | {full}\n" for release, plain, full in rows)


def _changes(advised: CommandAdvice | None) -> str:
    return "none" if advised is None else ", ".join(map(shown, advised.changes))


if __name__ == "__main__":
    print(table(Catalog.load()), end="")
