from __future__ import annotations

import json

import pytest

from kb.cli import main

BROKEN = "## A {#a}\n\n`--cuda-graph-max-bs 16` and --port\n"


def test_a_clean_folder_ends_with_0_and_prints_nothing(folder_of, capsys):
    assert main(["lint", str(folder_of({"a.md": "## A {#a}\n\ntext\n"}))]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.endswith("is clean\n")


def test_findings_end_with_1_one_a_line_where_editors_find_them(folder_of, capsys):
    assert main(["lint", str(folder_of({"a.md": BROKEN}))]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[:2] for line in lines] == [
        ["a.md:3", "bare-flag"],
        ["a.md:3", "flag-version"],
    ]


def test_json_holds_path_line_rule_and_message(folder_of, capsys):
    folder = folder_of({"a.md": BROKEN})
    assert main(["lint", str(folder), "--json", "--no-flags"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["folder"] == str(folder)
    (finding,) = report["findings"]
    assert (finding["path"], finding["line"], finding["rule"]) == ("a.md", 3, "bare-flag")
    assert "`--port`" in finding["message"]


def test_strict_reports_flags_nobody_knows(folder_of, capsys):
    folder = folder_of({"a.md": "## A {#a}\n\n`--no-such-flag`\n"})
    assert main(["lint", str(folder)]) == 0
    assert main(["lint", str(folder), "--strict"]) == 1
    assert "unknown-flag" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere is not a folder"),
        (["--ignore", "no-such-rule"], "there is no such rule; expected one of unreadable-file"),
    ],
)
def test_what_cannot_be_run_ends_with_2_and_says_why(arguments, said, capsys):
    assert main(["lint", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err


def test_the_shipped_content_is_the_default_and_judged_strictly(capsys):
    assert main(["lint"]) == 0
    assert "content is clean" in capsys.readouterr().err
