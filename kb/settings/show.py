"""The settings in effect in, text out: as a TOML file, as JSON, and the table of all there are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from kb.settings.model import About, about
from kb.settings.sources import Configured

__all__ = ["settings_as_json", "settings_as_toml", "settings_table"]

HIDDEN = "********"
_PASSWORD = re.compile(r"(://[^/@\s:]*:)[^@\s]*(@)")
_IN_QUERY = re.compile(r"((?:^|[?&])(?:password|passfile|sslkey|sslpassword)=)[^&\s]*")


def settings_as_toml(configured: Configured) -> str:
    """Return a TOML file that sets the same; secrets and what is not set stand in comments."""
    lines = []
    for known in about():
        value = _shown(known, configured)
        source = configured.sources[known.name]
        if value is None:
            lines.append(f"# {known.name} is not set")
        elif value == HIDDEN:
            lines.append(f"# {known.name} is set by {source} and not shown")
        else:
            # JSON's strings, numbers, lists, true and false are TOML's too.
            lines.append(f"{known.name} = {json.dumps(value, ensure_ascii=False)}  # {source}")
    return "\n".join(lines)


def settings_as_json(configured: Configured) -> dict[str, dict[str, Any]]:
    """Return value and source of each setting by name."""
    return {
        known.name: {"value": _shown(known, configured), "source": configured.sources[known.name]}
        for known in about()
    }


def settings_table() -> str:
    """Return a Markdown table of all settings, with flag, variable and default."""
    rows = ["| setting, `KB_…` | flag | default | meaning |", "|---|---|---|---|"]
    for known in about():
        flag = f"`{known.flag}`" if known.flag else "none, it is a secret"
        rows.append(f"| `{known.name}` | {flag} | {_default(known)} | {known.meaning} |")
    return "\n".join(rows)


def _default(known: About) -> str:
    if known.default in (None, (), ""):
        return "the shipped one" if known.name in ("content", "index") else "none"
    value = known.default
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"`{json.dumps(value)}`"


def _shown(known: About, configured: Configured) -> Any:
    value = getattr(configured.settings, known.name)
    if value is None:
        return None
    if known.is_secret:
        return HIDDEN
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, str) and known.kind.is_place:
        return _IN_QUERY.sub(rf"\1{HIDDEN}", _PASSWORD.sub(rf"\1{HIDDEN}\2", value))
    return list(value) if isinstance(value, tuple) else value
