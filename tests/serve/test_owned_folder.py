"""What a killed server leaves behind is removed by the next one, and nothing that is in use."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from kb.serve.owned_folder import owned_folder

OWNER = """
import os, sys
from kb.serve.owned_folder import owned_folder
with owned_folder("kb-workers-") as folder:
    (folder / "socket").touch()
    child = os.fork() if sys.argv[1] == "forks" else 1
    if child:
        print(folder, child, flush=True)
    sys.stdin.read()
    if not child:
        os._exit(0)
"""


@pytest.fixture
def temporary(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def start(temporary: Path, mode: str = "alone") -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, mode],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    return process, Path(process.stdout.readline().split()[0])


def test_it_is_there_while_it_is_needed_and_gone_afterwards(temporary):
    with owned_folder("kb-workers-") as folder:
        assert folder.parent == temporary
        assert folder.is_dir()
    assert list(temporary.iterdir()) == []


def test_what_a_killed_process_left_is_removed_at_the_next_start(temporary):
    process, left = start(temporary)
    process.kill()
    process.wait()
    assert (left / "socket").exists()
    with owned_folder("kb-workers-") as folder:
        assert [path.name for path in temporary.iterdir()] == [folder.name]


def test_what_a_living_process_holds_stays(temporary):
    process, held = start(temporary)
    with owned_folder("kb-workers-"):
        assert (held / "socket").exists()
    process.communicate("")
    assert not held.exists()


def test_what_a_living_worker_of_a_killed_process_holds_stays(temporary):
    process, held = start(temporary, "forks")
    os.kill(process.pid, signal.SIGKILL)
    os.waitpid(process.pid, 0)
    process.returncode = -signal.SIGKILL
    with owned_folder("kb-workers-"):
        assert (held / "socket").exists()
    process.stdin.close()  # the worker ends
    process.stdout.read()
    with owned_folder("kb-workers-"):
        assert not held.exists()


def test_what_is_no_folder_of_ours_stays(temporary):
    (temporary / "kb-workers-file").touch()
    (temporary / "kb-workers-other").mkdir()
    (temporary / "elsewhere").mkdir()
    (temporary / "elsewhere" / "owner.lock").touch()
    (temporary / "kb-workers-link").symlink_to(temporary / "elsewhere")
    before = sorted(temporary.iterdir())
    with owned_folder("kb-workers-"):
        pass
    assert sorted(temporary.iterdir()) == before
