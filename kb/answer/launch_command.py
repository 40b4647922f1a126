"""A paste → the launch command in it, checked for a version, with a section's remedy applied.

The steps, each in its own module:
1. `find_command` finds and parses the command; `command_from_server_args` rebuilds one out of the
   configuration line where none was pasted.
2. `check_command` says of each flag whether the version accepts it and its value.
3. `apply_remedy` makes the first remedy of a section that changes something; `advise` also says
   which remedies hold already.
4. `fix_flags` renames what the version refuses.
"""

from __future__ import annotations

from kb.answer.advice import Advice, advise, apply_remedy
from kb.answer.check_command import check_command
from kb.answer.command import LaunchCommand, Option
from kb.answer.find_command import find_command, parse_command
from kb.answer.fix_flags import fix_flags
from kb.answer.remedies import Remedy, remedies_from_section
from kb.answer.server_args import command_from_server_args, fields_in_force

__all__ = [
    "Advice",
    "LaunchCommand",
    "Option",
    "Remedy",
    "advise",
    "apply_remedy",
    "check_command",
    "command_from_server_args",
    "fields_in_force",
    "find_command",
    "fix_flags",
    "parse_command",
    "remedies_from_section",
]
