"""A `server_args=` line → what the server ran with, and the flags that would say the same."""

from __future__ import annotations

import ast
import json
import shlex
from collections.abc import Iterator, Mapping

from kb.answer.command import LaunchCommand, word_command
from kb.answer.tokens import shell_words
from kb.catalog.catalog import Catalog
from kb.catalog.forms import FlagForm
from kb.catalog.server_args_line import server_args_line

__all__ = ["command_from_server_args", "fields_in_force", "key_of"]

MAX_VALUE_CHARS = 20_000

# Up to 0.5.13 these flags kept their value under the long name and the line had the short one.
_SHORT_KEYS = {
    "tensor_parallel_size": "tp_size",
    "data_parallel_size": "dp_size",
    "pipeline_parallel_size": "pp_size",
    "expert_parallel_size": "ep_size",
    "attention_context_parallel_size": "attn_cp_size",
    "moe_data_parallel_size": "moe_dp_size",
}
# Fields the server fills in by itself at every start: not what the user asked for.
_FILLED_IN = frozenset({"device", "nccl_port", "random_seed", "warmups"})
# Fields that repeat another one unless they were set.
_REPEATS = {"tokenizer_path": "model_path", "served_model_name": "model_path"}
# A list this long was computed, not typed (`cuda_graph_bs`).
_MAX_LIST = 16
_MISSING = object()


def fields_in_force(text: str) -> Mapping[str, object]:
    """Return the values of the `server_args=` line of `text`, by field; never evaluated.

    Values that are no Python literals (`CudaGraphConfig(…)`) are left out.
    """
    line = server_args_line(text)
    if line is None:
        return {}
    values = {item.name: _literal(item.value) for item in line.arguments if item.is_whole}
    return {name: value for name, value in values.items() if value is not _MISSING}


def _literal(raw: str) -> object:
    if not raw or len(raw) > MAX_VALUE_CHARS:
        return _MISSING
    try:
        return ast.literal_eval(raw)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return _MISSING


def key_of(form: FlagForm) -> str:
    """Return the key of the `server_args=` line, and of `Engine(…)`, that holds a flag's value."""
    return _SHORT_KEYS.get(form.field, form.field)


def command_from_server_args(
    text: str, catalog: Catalog, version: str | None = None
) -> LaunchCommand | None:
    """Rebuild the command: the fields of a `server_args=` line that differ from the defaults.

    Defaults are those of `version`, else of the newest release the line can come from.
    """
    values = fields_in_force(text)
    if not values:
        return None
    if version is None:
        from kb.catalog.versions import assumed_release, find_version

        version = assumed_release(find_version(text.splitlines(), catalog), catalog)
    words = ["python3", "-m", "sglang.launch_server"]
    for flag, form, value in _set_fields(values, catalog, version):
        words += _words(flag, form, value)
    if len(words) == 3:
        return None
    rebuilt = " ".join(words)
    command = word_command(rebuilt, shell_words(rebuilt, 0), "shell", 2, values)
    return LaunchCommand(
        command.text,
        -1,
        command.style,
        command.tokens,
        command.options,
        program=command.program,
        in_force=values,
    )


def _set_fields(
    values: Mapping[str, object], catalog: Catalog, version: str | None
) -> Iterator[tuple[str, FlagForm, object]]:
    flags = _flags_by_field(catalog, version)
    for field, value in values.items():
        if field not in flags or value is None or field in _FILLED_IN:
            continue
        if field in _REPEATS and value == values.get(_REPEATS[field]):
            continue
        if isinstance(value, (list, tuple)) and not 0 < len(value) <= _MAX_LIST:
            continue
        flag, form = flags[field]
        if form.is_switch and not isinstance(value, bool):
            continue
        if value == form.default or (form.expression and form.default is None):
            continue
        if form.is_switch and value is False and not form.aliases:
            continue  # there is no way to say it
        yield flag, form, value


def _flags_by_field(catalog: Catalog, version: str | None) -> Mapping[str, tuple[str, FlagForm]]:
    found: dict[str, tuple[str, FlagForm]] = {}
    for history, form in catalog.options(version).values():
        if form.refused or form.kind == "store_const":
            continue
        key = key_of(form)
        flag = "--" + key.replace("_", "-")
        plain = flag in (history.name, *form.aliases)
        known = found.get(key)
        if known is None or plain or (known[1].deprecated and not form.deprecated):
            found[key] = (flag if plain else history.name, form)
    return found


def _words(flag: str, form: FlagForm, value: object) -> list[str]:
    if isinstance(value, bool):
        negation = "--no-" + flag[2:]
        if form.is_switch:
            return [flag if value or negation not in form.aliases else negation]
        return [flag, str(value).lower()]
    if isinstance(value, dict):
        return [flag, shlex.quote(json.dumps(value, ensure_ascii=False))]
    if isinstance(value, (list, tuple)):
        if form.nargs in (None, "?"):
            return [flag, shlex.quote(json.dumps(value, ensure_ascii=False))]
        return [flag, *(shlex.quote(str(item)) for item in value)]
    return [flag, shlex.quote(str(value))]
