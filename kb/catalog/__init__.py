"""What each release of SGLang accepts and says: flags, variables and messages, by version."""

from __future__ import annotations

from kb.catalog.catalog import Catalog, JudgedRelease
from kb.catalog.flags import FlagVerdict, check_flag, flag_note
from kb.catalog.forms import (
    FlagForm,
    FlagHistory,
    MessageTemplate,
    Run,
    VariableForm,
    VariableHistory,
)
from kb.catalog.messages import MessageMatcher
from kb.catalog.variables import check_variable

__all__ = [
    "Catalog",
    "FlagForm",
    "FlagHistory",
    "FlagVerdict",
    "JudgedRelease",
    "MessageMatcher",
    "MessageTemplate",
    "Run",
    "VariableForm",
    "VariableHistory",
    "check_flag",
    "check_variable",
    "flag_note",
]
