"""Several processes behind one socket: started, watched and started again, stopped together.

They are forked from a process that has loaded the index and started no thread yet, so that they
share its memory until they write to it. None remembers anything of a client: any of them answers.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from kb.errors import KBError

__all__ = ["WorkersError", "run_workers"]

_log = logging.getLogger("uvicorn.error")
# A worker that ends so soon would most likely end so again.
_SHORT_LIFE_S = 5.0
_MOST_SHORT_LIVES = 5
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


class WorkersError(KBError):
    """The workers end as soon as they are started."""


def run_workers(
    count: int, work: Callable[[int], None], ended: Callable[[int], None] = lambda _: None
) -> None:
    """Run `work` in `count` processes until SIGTERM or SIGINT; SIGHUP is passed on to them.

    `work` gets the worker's number, from 0. One that ends is started again; `ended` is told its
    process id. Returns when all have ended. Raises WorkersError.
    """
    stop = False
    workers: dict[int, tuple[int, float]] = {}  # number and start by process id
    short_lives = 0

    def pass_on(number: int, _: object) -> None:
        nonlocal stop
        stop = stop or number != signal.SIGHUP
        for process in list(workers):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGHUP if number == signal.SIGHUP else signal.SIGTERM)

    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, pass_on)
    gc.freeze()  # else each collection would write to every page that is shared
    for number in range(count):
        workers[_fork(work, number)] = (number, time.monotonic())
    _log.info("%d workers answer", count)
    while workers:
        process, status = os.wait()
        number, started = workers.pop(process, (-1, 0.0))
        if number < 0:  # a child of somebody else
            continue
        ended(process)
        if stop:
            continue
        _log.error("worker %d ended (%s) and is started again", process, _why(status))
        short_lives = short_lives + 1 if time.monotonic() - started < _SHORT_LIFE_S else 0
        if short_lives >= _MOST_SHORT_LIVES:
            pass_on(signal.SIGTERM, None)
            while workers:
                workers.pop(os.wait()[0], None)
            raise WorkersError("the workers end as soon as they are started; the log says why")
        workers[_fork(work, number)] = (number, time.monotonic())
        if stop:  # the signal came while there was nobody to be told
            pass_on(signal.SIGTERM, None)


def _fork(work: Callable[[int], None], number: int) -> int:
    parent = os.getpid()
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(name, signal.SIG_DFL)
        _end_with(parent)
        work(number)
        code = 0
    except KBError as error:
        _log.error("%s", error)
    except Exception:
        _log.exception("a worker failed")
        raise
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # what follows is the parent's


def _end_with(parent: int) -> None:
    """Let the worker be stopped when its parent ends, however that ends; on Linux alone."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)
        if os.getppid() != parent:  # it has ended already
            os._exit(1)


def _why(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return f"exit code {os.waitstatus_to_exitcode(status)}"
