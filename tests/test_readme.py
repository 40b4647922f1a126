"""What the README shows is what happens: its commands are run, its Python too."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCES = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
COMMANDS = [
    line
    for language, text in FENCES
    if language == "bash"
    for line in text.splitlines()
    if line.startswith("kb ")
]
SHOWN = next(text for language, text in FENCES if language == "text")
PASTE = SHOWN.split("$ cat error.log\n", 1)[1].split("$ kb ask", 1)[0]


def _run(command: str, stdin: str, folder: str) -> subprocess.CompletedProcess[str]:
    line = re.sub(r"^kb ", f"{shlex.quote(sys.executable)} -m kb.cli ", command)
    return subprocess.run(
        ["bash", "-c", line], input=stdin, capture_output=True, text=True, check=False, cwd=folder
    )


def test_the_readme_documents_commands():
    assert len(COMMANDS) >= 9


@pytest.mark.parametrize("command", [c for c in COMMANDS if "tests/golden" not in c])
def test_a_documented_command_runs(command, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("## The deploy hangs {#deploy}\n\nWait for it.\n")
    (tmp_path / "error.log").write_text(PASTE)
    (tmp_path / "content").symlink_to(ROOT / "content")
    if "--index docs-index" in command and not command.startswith("kb build"):
        _run("kb build --content docs --index docs-index", "", str(tmp_path))
    done = _run(command, "", str(tmp_path))
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert (done.stdout + done.stderr).strip()


def test_the_shown_answer_is_the_answer(tmp_path):
    command = next(line for line in SHOWN.splitlines() if line.startswith("$ kb ask"))[2:]
    (tmp_path / "error.log").write_text(PASTE)
    printed = _run(command, "", str(tmp_path)).stdout
    after = SHOWN.split(command, 1)[1]
    pieces = [piece.strip() for line in after.splitlines() for piece in line.split("…")]
    missing = [piece for piece in pieces if piece and piece not in printed]
    assert missing == []


def test_the_python_of_the_readme_runs():
    code = next(text for language, text in FENCES if language == "python")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    assert "cuda-out-of-memory" in done.stdout


def test_ci_runs_the_readmes_own_test_command():
    ours = re.search(r"^python3 -m venv \.venv .*pytest$", README, re.MULTILINE)
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert ours is not None
    assert "README.md" in script and "pytest" in script
