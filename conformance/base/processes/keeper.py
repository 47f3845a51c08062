"""A process between a run and its work: with the work, or with the run, it ends all that the work has started.

Processes in sessions of their own are reached too, since on Linux those whose parent has ended become its children.
Elsewhere only the group of the work is ended.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from conformance.base.processes.descent import command_line, descendants
from conformance.base.processes.protection import adopt_orphans, detach, die_with, dump_no_core

#: These remove semaphores and shared memory once the processes that used them have ended; and how long each may take,
#: in seconds. The second does so at once, and then waits for others in vain.
_CLEANERS = {"multiprocessing.resource_tracker": 2.0, "torch_shm_manager": 0.5}
_SHARED_MEMORY = Path("/dev/shm")
# How long all processes may take to be gone, in seconds.
_ENDING = 10.0
_INTERVAL = 0.005


def work_in_a_copy(parent: int, descriptors: Iterable[int] = ()) -> None:
    """Return in a copy of this process, which is to do the work; this process stays as its keeper, and never returns.

    The copy is the first of a group of its own. SIGTERM, also at the death of the parent, ends it with all that it
    started. The keeper ends as the copy did.

    Parameters
    ----------
    parent
        The process that has started this one.
    descriptors
        What only the copy needs, beside the standard ones: the parent waits for the ends of its pipes.
    """
    awaited = {signal.SIGTERM, signal.SIGCHLD}
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where it is ignored, nothing can be waited for
    before = signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    die_with(parent, signal.SIGTERM)
    dump_no_core()
    adopt_orphans()
    keeper = os.getpid()
    worker = os.fork()
    if worker == 0:
        os.setsid()
        die_with(keeper)
        adopt_orphans()  # so that the work can see what it has left running
        for number in (signal.SIGTERM, signal.SIGHUP):  # nohup hands down that it is ignored
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, set(before) - awaited)
        return
    detach(0, 1, 2)
    for descriptor in descriptors:
        os.close(descriptor)
    ended: dict[int, int] = {}
    while worker not in ended and signal.sigwait(awaited) != signal.SIGTERM:
        ended.update(_reaped())
    if sys.platform != "linux":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(worker, signal.SIGKILL)
    ended.update(_end_descendants())
    _remove_shared_memory({worker, *ended})
    _end_as(ended.get(worker, signal.SIGKILL))


def _end_descendants() -> dict[int, int]:
    """End all processes below this one, those that clean up last; return the statuses of those waited for."""
    ended = _reaped()
    start = time.monotonic()
    while (left := descendants(os.getpid())) and (passed := time.monotonic() - start) < _ENDING:
        for one in left:
            command = command_line(one)
            if passed >= max((seconds for cleaner, seconds in _CLEANERS.items() if cleaner in command), default=0.0):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(one, signal.SIGKILL)
        time.sleep(_INTERVAL)
        ended.update(_reaped())
    return ended


def _reaped() -> dict[int, int]:
    """Return the statuses of the children that have ended."""
    found: dict[int, int] = {}
    with suppress(ChildProcessError):
        while (one := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            found[one[0]] = one[1]
    return found


def _remove_shared_memory(processes: Iterable[int]) -> None:
    """Remove the files in shared memory that torch made in processes which have ended; their names say which."""
    for process in processes:
        for path in _SHARED_MEMORY.glob(f"torch_{process}_*"):
            with suppress(OSError):  # another user's
                path.unlink()


def _end_as(status: int) -> None:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        with suppress(OSError, ValueError):  # SIGKILL has no handler
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))
