"""Flags, environment and a TOML file in, one `Settings` out, and where each value comes from.

A flag wins over the environment, that over the file, that over the default.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb.errors import InputError
from kb.settings.model import About, Settings, about

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["CONFIG", "DEFAULT", "Configured", "read_settings"]

CONFIG = "KB_CONFIG"  # names the file where no flag does
FORWARDED = "FORWARDED_ALLOW_IPS"  # uvicorn's own name for the trusted proxies
DEFAULT = "default"  # the source of a value that nothing sets
# Kubernetes sets these for a service that is called kb, whatever the program makes of them.
_OF_KUBERNETES = re.compile(r"KB_(?:SERVICE_(?:HOST|PORT)(?:_.*)?|PORT_[0-9]+_(?:TCP|UDP).*)")
_ADDRESS_OF_KUBERNETES = re.compile(r"(?:tcp|udp)://.*")
# A name this like one of ours is a slip; one less like it is some other program's.
_LIKE = 0.8


@dataclass(frozen=True, slots=True)
class Configured:
    """The settings, and for each by name: a flag, a variable, a file, or "default"."""

    settings: Settings
    sources: Mapping[str, str]

    @property
    def index(self) -> Path | str | None:
        """Return the index that was asked for, None for the one of the shipped documents."""
        return None if self.sources["index"] == DEFAULT else self.settings.index


def read_settings(
    flags: Mapping[str, Any], environment: Mapping[str, str], config: Path | None = None
) -> Configured:
    """Return what flags, environment and file say.

    `flags` holds text by the name of the setting, lists of it, or true and false; None where a
    flag was not given. The file is `config` or, without it, the one that KB_CONFIG names. Raises
    InputError, which names the source, what was given and what was expected.
    """
    if config is None and environment.get(CONFIG):
        config = Path(environment[CONFIG])
    values: dict[str, Any] = {}
    sources = {known.name: DEFAULT for known in about()}
    read = (_from_file(config) if config else [], _from_environment(environment), _of(flags))
    for name, value, source in (row for rows in read for row in rows):
        values[name] = value
        sources[name] = source
    return Configured(Settings(**values), sources)


Row = tuple[str, Any, str]  # name, value, source


def _of(flags: Mapping[str, Any]) -> Iterable[Row]:
    for known in about():
        given = flags.get(known.name)
        if given is None or known.flag is None:
            continue
        if known.kind.is_list:
            # Each flag is one item or several.
            value = _converted(known, " ".join(given), f"{known.flag} {' '.join(given)}", read=True)
        else:
            value = _converted(
                known, given, f"{known.flag} {given}", read=not isinstance(given, bool)
            )
        yield known.name, value, known.flag


def _from_environment(environment: Mapping[str, str]) -> Iterable[Row]:
    ours = {known.variable: known for known in about()}
    proxies = environment.get(FORWARDED, "").strip()
    if proxies:  # KB_TRUSTED_PROXIES, which comes later, wins
        known = ours["KB_TRUSTED_PROXIES"]
        said = f"{FORWARDED} is {proxies!r}"
        yield known.name, _converted(known, proxies, said, read=True), FORWARDED
    files = {f"{known.variable}_FILE": known for known in about() if known.is_secret}
    for variable, given in sorted(environment.items()):
        if not variable.startswith("KB_") or variable == CONFIG or _OF_KUBERNETES.match(variable):
            continue
        found = ours.get(variable) or files.get(variable)
        if found is None:
            near = difflib.get_close_matches(variable, [*ours, *files, CONFIG], 1, _LIKE)
            if near:
                raise InputError(
                    f"the environment sets {variable}, and there is no such setting;"
                    f" did you mean {near[0]}?"
                )
            continue
        known = found
        if variable == "KB_PORT" and _ADDRESS_OF_KUBERNETES.match(given):
            continue
        if variable in files:
            if known.variable in environment:
                raise InputError(f"the environment sets {known.variable} and {variable}; give one")
            given = _secret_of(Path(given), variable)
        elif not given.strip() and not known.is_secret:
            continue  # an empty variable is one that is not set; a secret is not to be lost so
        shown = "hidden" if known.is_secret else f"{given!r}"
        yield known.name, _converted(known, given, f"{variable} is {shown}", read=True), variable


def _from_file(config: Path) -> Iterable[Row]:
    try:
        with config.open("rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        raise InputError(
            f"the settings in {config} cannot be read ({error.strerror}); give a TOML file"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"{config} is no TOML: {error}; expected lines like port = 7860"
        ) from error
    ours = {known.name: known for known in about()}
    for name, given in table.items():
        known = ours.get(name)
        if known is None:
            near = difflib.get_close_matches(name, ours, 1)
            hint = f"did you mean {near[0]}?" if near else "`kb settings` lists them"
            raise InputError(f"{config} sets {name}, and there is no such setting; {hint}")
        shown = "hidden" if known.is_secret else repr(given)
        value = _converted(known, given, f"{config}: {name} is {shown}", read=False)
        if known.kind.is_place and isinstance(value, Path):
            value = config.parent / value
        yield name, value, str(config)


def _converted(known: About, given: Any, said: str, *, read: bool) -> Any:
    try:
        return known.kind.read(given) if read else known.kind.check(given)
    except ValueError as error:
        raise InputError(f"{said}; expected {known.kind.expected}") from error


def _secret_of(path: Path, variable: str) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{variable} is {str(path)!r}, which cannot be read; expected a file with the secret"
        ) from error
