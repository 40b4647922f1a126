"""A temporary folder that a process and those forked from it share; what dead ones left is removed.

A process that is killed removes nothing. So each folder holds a file that its owners keep locked
(flock(2): the lock is gone with the last of them, however they end), and whoever needs a folder of
the same kind first removes those that nobody holds.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["owned_folder"]

_LOCK = "owner.lock"


@contextmanager
def owned_folder(prefix: str) -> Iterator[Path]:
    """Give a new folder whose name begins with `prefix`, removed at the end; POSIX alone."""
    _remove_left_behind(prefix)
    with tempfile.TemporaryDirectory(prefix=prefix) as name:
        folder = Path(name)
        # Locked before it gets its name: nobody sees a folder of a living owner without the lock.
        making = folder / f"{_LOCK}.new"
        held = os.open(making, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
            making.rename(folder / _LOCK)
            yield folder
        finally:
            os.close(held)


def _remove_left_behind(prefix: str) -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with suppress(OSError):  # somebody else's, or another start has just removed it
            found = folder.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and _is_left(folder):
                shutil.rmtree(folder)


def _is_left(folder: Path) -> bool:
    """Whether the folder has a lock that nobody holds; one without is none of ours, or too new."""
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True
