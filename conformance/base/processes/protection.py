"""What a process does first so that nothing it runs can harm the one that started it, or outlive it."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

# Of prctl, which is Linux's.
_SET_DEATH_SIGNAL = 1
_SET_CHILD_SUBREAPER = 36
# Of Inductor.
_CACHE = "torchinductor"


def dump_no_core() -> None:
    """Let the death of this process and of those that it starts leave no file."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def be_first_to_go() -> None:
    """Be what the system ends first where memory runs out."""
    with suppress(OSError):  # not Linux, or not allowed
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def die_with(parent: int, number: int = signal.SIGKILL) -> None:
    """Let the system send a signal when the parent ends; Linux only, elsewhere the end of a pipe must tell."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, number)
        if os.getppid() != parent:  # it ended before this process asked
            os._exit(0)


def adopt_orphans() -> None:
    """Become the parent of each process below this one whose own parent ends; Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1)


def detach(*descriptors: int) -> None:
    """Let standard descriptors lead nowhere: a program that reads its input must not eat the requests."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(nothing, descriptor)
    os.close(nothing)


def move_to(folder: Path) -> None:
    """Put temporary files, and what a program writes to where it stands, into a folder that goes with the run."""
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None
    os.chdir(folder)


def empty(folder: Path) -> None:
    """Remove what a program has left in its folder; what torch keeps of compiled code stays."""
    with suppress(OSError):  # the program removed the folder
        folder.chmod(0o700)
        for entry in list(os.scandir(folder)):
            if entry.name.startswith(_CACHE):
                continue
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                Path(entry.path).unlink()


def keep_from_copies(descriptors: Iterable[int]) -> None:
    """Keep copies of this process, which a program may fork, from using its pipes and from staying behind."""
    kept = tuple(descriptors)
    os.register_at_fork(after_in_child=lambda: _leave(os.getppid(), kept))


def _leave(parent: int, descriptors: tuple[int, ...]) -> None:
    for descriptor in descriptors:
        with suppress(OSError):  # closed by the program before
            os.close(descriptor)
    die_with(parent)
