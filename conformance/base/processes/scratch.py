"""Folders for temporary files that never stay behind: what a killed process has left goes when the next one starts."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

_PREFIX = "conformance-run-"
# Locked as long as the process lives that made the folder.
_LOCK = "in-use"
_FILES = "files"


class ScratchFolder:
    """A folder that lasts until it is closed, at the longest until its process has ended and another one is made.

    Attributes
    ----------
    path
        The folder for files; what is done there does not reach the lock beside it.
    """

    def __init__(self) -> None:
        remove_abandoned()
        self._folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
        self.path = self._folder / _FILES
        self.path.mkdir()
        # Under another name until it is locked, or another process could take it for abandoned.
        new = self._folder / f"{_LOCK}.new"
        self._lock = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        new.rename(self._folder / _LOCK)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the folder, and those that killed processes have left meanwhile."""
        _remove(self._folder)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
        remove_abandoned()


def remove_abandoned() -> None:
    """Remove the folders of this user whose processes have ended."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError, ValueError):  # no folder of ours, or in use, or another process removes it
            _remove_if_abandoned(folder)


def _remove(folder: Path) -> None:
    """Remove a folder, the lock last."""
    shutil.rmtree(folder / _FILES, ignore_errors=True)
    if not (folder / _FILES).exists():
        shutil.rmtree(folder, ignore_errors=True)


def _remove_if_abandoned(folder: Path) -> None:
    status = folder.lstat()
    if status.st_uid != os.geteuid() or not stat.S_ISDIR(status.st_mode):
        return
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:  # it is being made, or its process was killed meanwhile
        if not _is_running(int(folder.name[len(_PREFIX) :].partition("-")[0])):
            _remove(folder)
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(folder)
    finally:
        os.close(lock)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
