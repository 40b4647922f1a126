"""What each release of SGLang accepts and says: flags, variables and messages, by version."""

from __future__ import annotations

from kb.catalog.catalog import Catalog
from kb.catalog.forms import (
    FlagForm,
    FlagHistory,
    MessageTemplate,
    Run,
    VariableForm,
    VariableHistory,
)
from kb.catalog.flags import FlagVerdict, check_flag, flag_note

__all__ = [
    "Catalog",
    "FlagForm",
    "FlagHistory",
    "FlagVerdict",
    "MessageTemplate",
    "Run",
    "VariableForm",
    "VariableHistory",
    "check_flag",
    "flag_note",
]
