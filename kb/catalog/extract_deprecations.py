"""What the program's own words say of retired flags: that they are, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from kb.catalog.forms import FlagForm, VariableForm

__all__ = ["apply_deprecations", "calls_deprecated", "instead", "written_flags"]

# "Deprecated. Use …", "[Deprecated] …", "(Deprecated: use …)", "Note: --x is deprecated now …"
_DEPRECATED = re.compile(
    r"^\W*deprecated\b|^(?:note: *)?--[\w-]+ (?:is|are) (?:now )?deprecated\b", re.IGNORECASE
)
# "--x is deprecated. …", "The option '--x' will be deprecated …", of what is logged at the start
_SAID_DEPRECATED = re.compile(
    r"^(?:NOTE: *|The option |The env variable )?'?(--[\w-]+|[A-Z][A-Z0-9_]{5,})'?"
    r" (?:is deprecated|will be deprecated|has been removed|is no longer supported)(.*)",
    re.DOTALL,
)
_INSTEAD = re.compile(r"\b(?:use|using|set|via|by|alias for|pass)\b(.*)", re.IGNORECASE | re.DOTALL)
# "--x=value", "`--x` to 'value'", "'--x value' instead"
_WRITTEN = re.compile(
    r"(?<![\w-])(--[a-zA-Z][\w-]*\w)(?:=([\w.]+)|[`'\"]? to '(\w+)'| (\w+)(?=['`\"]| instead|\.$))?"
)


def calls_deprecated(help_text: str) -> bool:
    """Whether the help of a flag says that the flag is deprecated."""
    return _DEPRECATED.search(help_text) is not None


def apply_deprecations(
    flags: dict[str, FlagForm], variables: dict[str, VariableForm], said: Iterable[str]
) -> None:
    """Mark what the program calls deprecated when it starts, not where it is declared."""
    for template in said:
        found = _SAID_DEPRECATED.match(template)
        if found is None:
            continue
        name = found[1]
        written = tuple(one for one in instead(found[2]) if one.partition("=")[0] != name)
        if name in flags:
            form = flags[name]
            flags[name] = replace(form, deprecated=True, replaced_by=form.replaced_by or written)
        elif name in variables:
            known = variables[name]
            variables[name] = replace(
                known, deprecated=True, replaced_by=known.replaced_by or written
            )


def instead(prose: str) -> tuple[str, ...]:
    """Return the flag that "Please use … instead" names, as one writes it, with its value."""
    after = _INSTEAD.search(prose)
    found = _WRITTEN.search(after[1]) if after else None
    if found is None:
        return ()
    value = found[2] or found[3] or found[4]
    return (f"{found[1]}={value}" if value and value != "instead" else found[1],)


def written_flags(stated: str) -> tuple[str, ...]:
    """Return "--a-{x,y}=z" as ("--a-x=z", "--a-y=z"): flags as one writes them."""
    found = []
    for word in re.findall(r"--\S+", stated):
        braces = re.search(r"\{([^{}]*)\}", word)
        for choice in braces[1].split(",") if braces else [""]:
            written = (
                word[: braces.start()] + choice.strip() + word[braces.end() :] if braces else word
            )
            found.append(written.rstrip(".,;'\"`"))
    return tuple(found)
