from __future__ import annotations

from pathlib import Path

from written_packages import write_package

from kb.catalog.extract import read_release
from kb.catalog.forms import VariableForm

REGISTRY = """
import os

class Envs:
    SGLANG_LOG_GC = EnvBool(False)
    SGLANG_TIMEOUT = EnvFloat(300)
    SGLANG_DIR = EnvStr(lambda: computed())
    SGLANG_FUSE_TOPK = EnvBoolWithAlias(True, deprecated_name="SGLANG_NSA_FUSE_TOPK")

def _print_deprecated_env(new_name, old_name):
    if old_name in os.environ:
        pass

def _warn_deprecated_env_to_cli_flag(env_name, suggestion):
    pass

_print_deprecated_env("SGLANG_LOG_GC", "SGLANG_GC_LOG")
_warn_deprecated_env_to_cli_flag(
    "SGLANG_CUTLASS", "Please use '--fp8-gemm-backend=cutlass' instead."
)
_DEPRECATED_ENVS = {
    "SGLANG_OLD": _DeprecatedEnv(replacement="SGLANG_DIR"),
    "SGLANG_GONE": _DeprecatedEnv(note="Always on."),
}
"""
READS = """
import os
from os import environ
from sglang.srt.names import NAME

def get_bool_env_var(name: str, default: str = "false") -> bool:
    return os.getenv(name, default) == "true"

A = get_bool_env_var("SGLANG_FLAG", "true")
B = int(os.environ.get("SGLANG_COUNT", "3"))
C = os.environ["HF_TOKEN"]
D = "NCCL_ALGO" in os.environ
E = os.getenv(NAME)
F = environ.get("SGLANG_PLAIN")
os.environ["ONLY_SET"] = "1"
os.environ.setdefault("TRITON_CACHE_DIR", "/tmp")
for key in ("SGLANG_ONE", "SGLANG_TWO"):
    print(os.environ.get(key))
G = os.getenv(computed())

def local():
    name = "SGLANG_LOCAL"
    return os.environ.get(name)
"""


def _read(folder: Path, **modules: str):
    return read_release(write_package(folder, **modules))


def test_the_registry_gives_type_default_and_old_names(tmp_path: Path):
    variables = _read(tmp_path, srt__environ=REGISTRY).extraction.variables
    assert variables["SGLANG_LOG_GC"] == VariableForm("bool", False)
    assert variables["SGLANG_TIMEOUT"] == VariableForm("float", 300)
    assert variables["SGLANG_DIR"].expression == "lambda: computed()"
    for old, new in (
        ("SGLANG_NSA_FUSE_TOPK", ("SGLANG_FUSE_TOPK",)),
        ("SGLANG_GC_LOG", ("SGLANG_LOG_GC",)),
        ("SGLANG_CUTLASS", ("--fp8-gemm-backend=cutlass",)),
        ("SGLANG_OLD", ("SGLANG_DIR",)),
        ("SGLANG_GONE", ()),
    ):
        assert variables[old].deprecated
        assert variables[old].replaced_by == new


def test_raw_reads_are_found_in_every_form(tmp_path: Path):
    read = _read(tmp_path, srt__reads=READS, srt__names='NAME = "SGLANG_NAMED"\n')
    variables = read.extraction.variables
    assert variables["SGLANG_FLAG"] == VariableForm("bool", "true")
    assert variables["SGLANG_COUNT"] == VariableForm("int", "3")
    assert {
        "HF_TOKEN",
        "NCCL_ALGO",
        "SGLANG_NAMED",
        "SGLANG_PLAIN",
        "TRITON_CACHE_DIR",
        "SGLANG_ONE",
        "SGLANG_TWO",
        "SGLANG_LOCAL",
    } <= set(variables)
    assert "ONLY_SET" not in variables


def test_a_computed_name_is_reported(tmp_path: Path):
    read = _read(tmp_path, srt__reads=READS, srt__names="NAME = 'SGLANG_NAMED'\n")
    assert [str(form) for form in read.unknown] == [
        "srt/reads.py:19: variable with a computed name: call `computed()`"
    ]


def test_a_variable_the_program_calls_deprecated_when_it_starts_is_deprecated(tmp_path: Path):
    source = """
    import os
    class ServerArgs:
        @staticmethod
        def add_cli_args(parser):
            parser.add_argument("--old-moe", action="store_true")
            parser.add_argument("--moe-backend")
        def check(self):
            if os.getenv("SGLANG_CUTLASS_MOE"):
                logger.warning("SGLANG_CUTLASS_MOE is deprecated, use --moe-backend=cutlass")
            if self.old_moe:
                logger.warning("NOTE: --old-moe is deprecated. Set `--moe-backend` to 'ep'.")
    """
    extraction = _read(tmp_path, srt__server_args=source).extraction
    assert extraction.variables["SGLANG_CUTLASS_MOE"].replaced_by == ("--moe-backend=cutlass",)
    assert extraction.flags["--old-moe"].deprecated
    assert extraction.flags["--old-moe"].replaced_by == ("--moe-backend=ep",)
