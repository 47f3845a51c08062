"""What a process does first so that nothing it runs can harm the one that started it, or outlive it."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def protect(parent: int) -> None:
    """End with the parent, be the first to go where memory runs out, and dump no core."""
    die_with(parent)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):  # not Linux, or not allowed
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def die_with(parent: int) -> None:
    """Let the system end this process when its parent ends; Linux only, elsewhere the end of a pipe does it."""
    if sys.platform == "linux":
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before this process asked
            os._exit(0)


def detach_standard_input() -> None:
    """Give this process an empty standard input: a program that reads it must not eat the requests."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def move_to(folder: Path) -> None:
    """Put temporary files, and what a program writes to where it stands, into a folder that goes with the run."""
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None
    os.chdir(folder)


def keep_from_copies(descriptors: Iterable[int]) -> None:
    """Keep copies of this process, which a program may fork, from using its pipes and from staying behind."""
    kept = tuple(descriptors)
    os.register_at_fork(after_in_child=lambda: _leave(os.getppid(), kept))


def _leave(parent: int, descriptors: tuple[int, ...]) -> None:
    for descriptor in descriptors:
        with suppress(OSError):  # closed by the program before
            os.close(descriptor)
    die_with(parent)
