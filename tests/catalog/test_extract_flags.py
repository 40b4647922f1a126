from __future__ import annotations

from pathlib import Path

from written_packages import read_flags

from kb.catalog.forms import FlagForm

ERA_A = """
import argparse
import dataclasses
import json
import sys
from sglang.srt.constants import BACKENDS, MORE
from sglang.srt.parsers import Parser, RealKvHashMode
from sglang.srt.helpers import human_readable_int

@dataclasses.dataclass
class ServerArgs:
    model_path: str
    tp_size: int = 1
    fp8_gemm_runner_backend: str = "auto"
    attention_backend: str = None
    max_queued_requests: int = sys.maxsize
    prompts: list = dataclasses.field(default_factory=list)
    block: int = 2 * 1024

    @staticmethod
    def add_cli_args(parser: argparse.ArgumentParser):
        names = list(Parser.DetectorMap.keys())
        parser.add_argument("--model-path", "--model", type=str, required=True, help="Path.")
        parser.add_argument(
            "--tensor-parallel-size", "--tp-size", type=int, default=ServerArgs.tp_size
        )
        parser.add_argument(
            "--fp8-gemm-backend",
            dest="fp8_gemm_runner_backend",
            choices=BACKENDS + MORE,
            default=ServerArgs.fp8_gemm_runner_backend,
        )
        parser.add_argument("--attention-backend", type=str, choices=["fa3", *BACKENDS])
        parser.add_argument("--parser", choices=["auto"] + names)
        parser.add_argument("--mode", choices=[m.name.lower() for m in RealKvHashMode])
        parser.add_argument(
            "--max-queued-requests", type=int, default=ServerArgs.max_queued_requests
        )
        parser.add_argument("--chunk", type=human_readable_int, default=ServerArgs.block)
        parser.add_argument("--prompts", nargs="+", default=ServerArgs.prompts)
        parser.add_argument("--override", type=json.loads, default=argparse.SUPPRESS)
        parser.add_argument("--disable-it", action="store_true", help="Disable it.")
        parser.add_argument("--graph", action=argparse.BooleanOptionalAction, default=True)
        parser.add_argument(
            "--old-mla",
            action=DeprecatedAction,
            help="--old-mla is deprecated. Please use '--attention-backend fa3' instead.",
        )
        parser.add_argument(
            "--old-ratio", type=float,
            help="Note: --old-ratio is deprecated now. Please use --new-ratio instead.",
        )

    @classmethod
    def from_cli_args(cls, args):
        args.tp_size = args.tensor_parallel_size
        return cls()

class DeprecatedAction(argparse.Action):
    def __init__(self, option_strings, dest, nargs=0, **kwargs):
        super().__init__(option_strings, dest, nargs=nargs, **kwargs)

    def __call__(self, parser, namespace, values, option_string=None):
        raise ValueError(self.help)
"""
ERA_A_MODULES = {
    "srt__constants": 'BACKENDS = ["triton"]\nBACKENDS.append("wave")\nMORE = ["cutlass"]\n',
    "srt__parsers": """
        from enum import IntEnum
        class Parser:
            DetectorMap = {"qwen3": object, "glm": object}
        class RealKvHashMode(IntEnum):
            NONE = 0
            ALL = 2
    """,
}

ERA_B = """
import argparse
from typing import List, Literal, Optional
from sglang.srt.arg_utils import A, Arg, add_cli_args_from_dataclass

BACKENDS = ["fa3", "triton"]

class ServerArgs:
    model_path: A[str, Arg(help="Path.", aliases=["--model"])]
    tp_size: A[int, Arg(help="TP.", aliases=["--tensor-parallel-size"])] = 1
    fp8_gemm_runner_backend: A[
        str, Arg(help="GEMM.", cli_name="--fp8-gemm-backend", choices=BACKENDS)
    ] = "fa3"
    trust: A[bool, "Trust " "code."] = False
    ratio: A[Optional[float], f"Ratio."] = None
    mode: A[Literal["a", "b"], "Mode."] = "a"
    sizes: A[Optional[List[int]], Arg(help="Sizes.")] = None
    config: A[Optional[dict], Arg(help="JSON.", type_parser=json_type)] = None
    graph: A[bool, Arg(help="Graph.", action=argparse.BooleanOptionalAction)] = True
    hidden: A[bool, Arg(help="Hidden.", no_cli=True)] = False
    bookkeeping: int = 0
    gone: A[bool, "(Deprecated, use --mode) Gone."] = False

    @staticmethod
    def add_cli_args(parser):
        add_cli_args_from_dataclass(parser, ServerArgs)
        parser.add_argument(
            "--old-max-bs", type=int, action=DeprecatedAliasStoreAction,
            new_flag="--mode", dest="mode",
        )
        parser.add_argument(
            "--disable-graph", action=DeprecatedStoreTrueAction,
            new_flag="--graph-{decode,prefill}=disabled",
        )
        parser.add_argument("--dp", action=DeprecatedStoreTrueAction, new_flag="--attn <size>")

class DeprecatedAliasStoreAction(argparse.Action):
    def __init__(self, option_strings, dest, new_flag=None, **kwargs):
        self.new_flag = new_flag

class DeprecatedStoreTrueAction(argparse.Action):
    def __init__(self, option_strings, dest, new_flag=None, nargs=0, **kwargs):
        self.new_flag = new_flag
"""

ERA_C = """
from sglang.srt.arg_groups.choices import LOAD_FORMATS
from sglang.srt.arg_groups.fields.model import Model
from sglang.srt.arg_groups.fields.memory import Memory
from sglang.srt.arg_utils import add_cli_args_from_dataclass

def _names():
    module = lookup("x")
    if module is not None:
        return list(module.Names)
    from sglang.srt.names import NAMES
    return list(NAMES)

class ServerArgs:
    def resolve(self):
        pass

    @staticmethod
    def add_cli_args(parser):
        add_cli_args_from_dataclass(parser, ServerArgs)
        names = _names()
        parser.add_argument(
            "--reasoning-parser", choices=["auto"] + names, default=_declared_default("name")
        )

_INPUT_NAMESPACES = [Model, Memory]
ServerArgs = assemble(ServerArgs, _INPUT_NAMESPACES)
"""
ERA_C_MODULES = {
    "srt__arg_groups__choices": 'LOAD_FORMATS = ["auto", "dummy"]\n',
    "srt__arg_groups__fields__model": """
        import msgspec
        from sglang.srt.arg_groups.arg_utils import A, Arg, Derived
        from sglang.srt.arg_groups.choices import LOAD_FORMATS

        class Model(msgspec.Struct):
            _NS_PATH = "model"
            computed = Derived(fn="x", doc="y")
            load_format: A[str, Arg(help="Format.", choices=LOAD_FORMATS)] = "auto"
            name: A[str, Arg(help="Name.", no_cli=True)] = "qwen3"
    """,
    "srt__arg_groups__fields__memory": """
        import msgspec
        from sglang.srt.arg_groups.arg_utils import A

        class Memory(msgspec.Struct):
            _NS_PATH = "memory"
            page_size: A[int, "Page size."] = 1
    """,
    "srt__names": 'NAMES = ("qwen3", "glm")\n',
}


def test_era_of_add_argument_calls(tmp_path: Path):
    flags, unknown = read_flags(tmp_path, srt__server_args=ERA_A, **ERA_A_MODULES)
    assert unknown == []
    assert flags["--model-path"] == FlagForm(
        "model_path", type="str", required=True, aliases=("--model",)
    )
    assert flags["--tp-size"].aliases == ("--tensor-parallel-size",)
    assert flags["--tp-size"].field == "tp_size"
    assert flags["--fp8-gemm-backend"].choices == ("triton", "wave", "cutlass")
    assert flags["--fp8-gemm-backend"].default == "auto"
    assert flags["--attention-backend"].choices == ("fa3", "triton", "wave")
    assert flags["--parser"].choices == ("auto", "qwen3", "glm")
    assert flags["--mode"].choices == ("none", "all")
    assert flags["--max-queued-requests"].expression == "sys.maxsize"
    assert (flags["--chunk"].type, flags["--chunk"].default) == ("human_readable_int", 2048)
    assert (flags["--prompts"].nargs, flags["--prompts"].default) == ("+", [])
    assert (flags["--override"].type, flags["--override"].default) == ("json.loads", None)
    assert flags["--disable-it"].is_switch
    assert flags["--graph"].aliases == ("--no-graph",)


def test_a_deprecated_action_that_raises_is_refused(tmp_path: Path):
    flags, _ = read_flags(tmp_path, srt__server_args=ERA_A, **ERA_A_MODULES)
    assert flags["--old-mla"].refused
    assert flags["--old-mla"].replaced_by == ("--attention-backend=fa3",)
    assert flags["--old-ratio"].deprecated
    assert not flags["--old-ratio"].refused
    assert flags["--old-ratio"].replaced_by == ("--new-ratio",)


def test_era_of_annotated_fields(tmp_path: Path):
    flags, unknown = read_flags(tmp_path, srt__server_args=ERA_B)
    assert unknown == []
    assert flags["--model-path"].required
    assert flags["--model-path"].aliases == ("--model",)
    assert flags["--tp-size"].aliases == ("--tensor-parallel-size",)
    assert flags["--fp8-gemm-backend"].field == "fp8_gemm_runner_backend"
    assert flags["--fp8-gemm-backend"].choices == ("fa3", "triton")
    assert flags["--trust"].is_switch
    assert (flags["--ratio"].type, flags["--ratio"].default) == ("float", None)
    assert flags["--mode"].choices == ("a", "b")
    assert (flags["--sizes"].type, flags["--sizes"].nargs) == ("int", "+")
    assert (flags["--config"].type, flags["--config"].nargs) == ("json_type", None)
    assert flags["--graph"].aliases == ("--no-graph",)
    assert flags["--gone"].replaced_by == ("--mode",)
    assert "--hidden" not in flags
    assert "--bookkeeping" not in flags


def test_deprecated_actions_name_their_new_flag(tmp_path: Path):
    flags, _ = read_flags(tmp_path, srt__server_args=ERA_B)
    assert flags["--old-max-bs"].replaced_by == ("--mode",)
    assert not flags["--old-max-bs"].is_switch
    assert flags["--disable-graph"].replaced_by == (
        "--graph-decode=disabled",
        "--graph-prefill=disabled",
    )
    assert flags["--disable-graph"].is_switch
    assert flags["--dp"].replaced_by == ("--attn",)


def test_era_of_namespaces_in_other_modules(tmp_path: Path):
    flags, unknown = read_flags(tmp_path, srt__server_args=ERA_C, **ERA_C_MODULES)
    assert unknown == []
    assert flags["--load-format"].choices == ("auto", "dummy")
    assert flags["--page-size"].default == 1
    assert flags["--reasoning-parser"].choices == ("auto", "qwen3", "glm")
    assert flags["--reasoning-parser"].default == "qwen3"
    assert set(flags) == {"--help", "--load-format", "--page-size", "--reasoning-parser"}


def test_what_cannot_be_read_is_reported_with_file_and_line(tmp_path: Path):
    source = """
    class ServerArgs:
        @staticmethod
        def add_cli_args(parser):
            parser.add_argument("--backend", choices=backends_of_this_machine())
            parser.add_argument("--" + name_of(parser))
            parser.add_argument("--kept", action=UnheardOf)
            for name in ("a", "b"):
                parser.add_argument("--same")
            register_more(parser)
            parser.set_defaults(x=1)
    """
    flags, unknown = read_flags(tmp_path, srt__server_args=source)
    assert {"--backend", "--kept", "--same"} <= set(flags)
    lines = {form.partition(": ")[0] for form in unknown}
    assert lines == {f"srt/server_args.py:{number}" for number in (5, 6, 7, 8, 10, 11)}


def test_an_option_declared_twice_is_one(tmp_path: Path):
    source = """
    class ServerArgs:
        dcp_size: A[int, Arg(help="x", cli_name="--dcp-size", aliases=["--dcp-size", "--dcp"])] = 1

        @staticmethod
        def add_cli_args(parser):
            add_cli_args_from_dataclass(parser, ServerArgs)
    """
    flags, _ = read_flags(tmp_path, srt__server_args=source)
    assert flags["--dcp-size"].aliases == ("--dcp",)


def test_a_condition_around_an_option_keeps_it(tmp_path: Path):
    source = """
    class ServerArgs:
        @staticmethod
        def add_cli_args(parser):
            if on_gpu():
                parser.add_argument("--fast", action="store_true")
            else:
                parser.add_argument("--slow", action="store_true")
            group = parser.add_argument_group("more")
            group.add_argument("--grouped")
    """
    flags, unknown = read_flags(tmp_path, srt__server_args=source)
    assert {"--fast", "--slow", "--grouped"} <= set(flags)
    assert unknown == []


def test_flags_that_sglang_serve_takes_out_itself_are_marked(tmp_path: Path):
    serve = """
    def serve(argv):
        for arg in argv:
            if arg == "--model-type":
                pass
            elif arg == "--model-path":
                pass
    """
    flags, _ = read_flags(tmp_path, cli__serve=serve)
    assert flags["--model-type"].kind == "serve_only"
    assert flags["--model-path"].kind == "store"
