from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
from written_packages import write_package

from kb.cli.catalog import add_catalog_parser, add_flags_parser, protect_flag_name
from kb.errors import CatalogError


def _run(*argv: str) -> int:
    parser = argparse.ArgumentParser(prog="kb")
    commands = parser.add_subparsers(required=True)
    add_flags_parser(commands)
    add_catalog_parser(commands)
    args = parser.parse_args(protect_flag_name(list(argv)))
    return int(args.run(args))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["flags", "--tp"], ["flags", "--", "--tp"]),
        (["flags", "--tp", "--version", "0.5.9"], ["flags", "--version", "0.5.9", "--", "--tp"]),
        (["flags", "--version=0.5.9", "--tp=8"], ["flags", "--version=0.5.9", "--", "--tp=8"]),
        (
            ["flags", "--json", "--language", "ko", "-h"],
            ["flags", "--json", "--language", "ko", "-h"],
        ),
        (["flags", "tp_size", "--json"], ["flags", "--json", "--", "tp_size"]),
        (["flags", "--", "--tp"], ["flags", "--", "--tp"]),
        (["flags", "--language-only"], ["flags", "--", "--language-only"]),
        (["flags", "--version"], ["flags", "--version"]),
        (["ask", "--tp"], ["ask", "--tp"]),
        ([], []),
    ],
)
def test_the_name_of_a_flag_is_protected_from_argparse(given, expected):
    assert protect_flag_name(given) == expected


@pytest.mark.parametrize(
    ("version", "code", "said"),
    [
        ("0.5.9", 0, "is accepted in 0.5.9"),
        ("0.5.16", 0, "deprecated since 0.5.14: use `--cuda-graph-max-bs-decode`"),
        ("0.5.21", 1, "is refused in 0.5.21 as ambiguous"),
    ],
)
def test_kb_flags_prints_verdict_and_history(capsys, version, code, said):
    assert _run("flags", "--cuda-graph-max-bs", "--version", version) == code
    out = capsys.readouterr().out
    assert said in out
    assert "0.3.5 … 0.3.6.post3: int, default: 160" in out


def test_kb_flags_prints_one_json_object(capsys):
    assert _run("flags", "--attention-backend", "--version", "0.5.9", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["flag"], shown["status"], shown["use"]) == (
        "--attention-backend",
        "accepted",
        None,
    )
    assert "triton" in shown["choices"]
    assert shown["history"][0]["first"] == "0.3.1"


def test_kb_flags_knows_variables_and_korean(capsys):
    assert _run("flags", "SGLANG_LOG_MS", "--version", "0.5.9", "--language", "ko") == 0
    assert "환경 변수" in capsys.readouterr().out


def test_kb_flags_refuses_a_version_that_is_none():
    with pytest.raises(CatalogError):
        _run("flags", "--tp-size", "--version", "soon")


def test_kb_catalog_extract_adds_releases_and_says_what_it_did(tmp_path: Path, capsys):
    packages = [
        str(
            write_package(tmp_path / version, version=version, srt__x="import os\nos.getenv(f())\n")
        )
        for version in ("1.2.0", "1.3.0")
    ]
    folder = tmp_path / "catalog"
    assert _run("catalog", "extract", *packages, "--output", str(folder)) == 0
    result = capsys.readouterr()
    assert result.out == f"{folder}\n"
    assert "sglang 1.3.0: srt/x.py:2: variable with a computed name" in result.err
    before = {file: file.read_bytes() for file in folder.iterdir()}
    assert _run("catalog", "extract", packages[0], "--output", str(folder)) == 0
    assert {file: file.read_bytes() for file in folder.iterdir()} == before
    capsys.readouterr()
    assert _run("flags", "--model-path", "--catalog", str(folder), "--version", "1.3.0") == 0


def test_kb_catalog_count_counts(capsys):
    assert _run("catalog", "count", "--json") == 0
    counts = json.loads(capsys.readouterr().out)
    assert counts["releases"] >= 110
    assert counts["messages"] > counts["variables"] > counts["flags"] > 600
