from __future__ import annotations

import ast
from pathlib import Path

import pytest
from written_packages import write_package

from kb.catalog.extract_sources import Sources
from kb.catalog.extract_values import Evaluator, Scope, UnreadableError

CONSTANTS = """
import os
from sglang.srt import other
from sglang.srt.other import *
from .sibling import NEAR as RENAMED

try:
    from sglang.srt.other import TRIED
except ImportError:
    TRIED = None

if os.name == "x":
    EITHER = 1
else:
    EITHER = 2

BASE = ["a"]
BASE += ["b"]
BASE.extend(["c"])
SET = frozenset({"y", "x"})
BOTH = SET | {"z"}
LOOP = FIRST_OF_LOOP
FIRST_OF_LOOP = LOOP

def made():
    return sorted(SET)

class Holder:
    SIZE = 2
    DOUBLE = SIZE * 2
"""


@pytest.fixture
def value(tmp_path: Path):
    modules = {
        "srt__constants": CONSTANTS,
        "srt__other": "TRIED = 'yes'\nSTARRED = (1, 2)\nTABLE = {'k': object()}\n",
        "srt__sibling": "NEAR = -3\n",
    }
    evaluator = Evaluator(Sources.from_path(write_package(tmp_path, **modules)))

    def evaluate(expression: str):
        node = ast.parse(expression, mode="eval").body
        return evaluator.value(node, Scope("srt/constants.py"))

    return evaluate


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("BASE + ['d']", ["a", "b", "c", "d"]),
        ("[*SET]", ["x", "y"]),
        ("BOTH", {"x", "y", "z"}),
        ("RENAMED", -3),
        ("TRIED", "yes"),
        ("STARRED", (1, 2)),
        ("other.STARRED[1]", 2),
        ("list(other.TABLE.keys())", ["k"]),
        ("list(other.TABLE)", ["k"]),
        ("made()", ["x", "y"]),
        ("Holder.DOUBLE", 4),
        ("EITHER", 1),
        ("f'{RENAMED}!'", "-3!"),
        ("1 << 10", 1024),
        ("[x.upper() for x in BASE]", ["A", "B", "C"]),
    ],
)
def test_values_are_followed_over_names_modules_and_collections(value, expression, expected):
    assert value(expression) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "undefined",
        "os.sep",
        "open('/etc/passwd').read()",
        "__import__('os').getcwd()",
        "LOOP",
        "Holder.NOTHING",
        "10 ** 10 ** 10",
        "'x' * 10 ** 9",
        "1 / 0",
        "[y for x in BASE for y in x]",
        "lambda: 1",
    ],
)
def test_what_is_no_plain_value_is_unreadable(value, expression):
    with pytest.raises(UnreadableError):
        value(expression)


def test_names_that_double_each_other_end_soon(tmp_path: Path):
    doubling = "\n".join(f"a{n} = a{n + 1} + a{n + 1}" for n in range(30)) + "\na30 = 'x'\n"
    evaluator = Evaluator(Sources.from_path(write_package(tmp_path, srt__constants=doubling)))
    with pytest.raises(UnreadableError):
        evaluator.value(ast.parse("a0", mode="eval").body, Scope("srt/constants.py"))
