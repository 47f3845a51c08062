"""What a run that has not ended measured: a line for each outcome as it comes, so that nothing is lost with the run.

Each run has a file of its own, locked while it goes on, in a folder below the results: they are no results of a whole
run. Its name says what measured it, and what an earlier run here has left is taken over by the next one.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

from conformance.base.codec import DecodeError, decode
from conformance.base.json_files import ResultError, read_bytes
from conformance.results.model import Entry, Header
from conformance.results.origin import Origin
from conformance.results.store import SUFFIX, Results, entry_line, header_line

#: The folder below the results in which what an unfinished run measured is kept.
FOLDER = "unfinished"


class UnfinishedFile:
    """The file to which one run adds what it measures.

    Parameters
    ----------
    folder
        The folder of the results.
    results
        The environment and the settings of the run, and what was measured here before and is to be kept. What stopped
        runs of this environment and these settings have left here is removed then.

    Raises
    ------
    OSError
        Where the file can't be written; what earlier runs left is as it was.
    """

    def __init__(self, folder: Path, results: Results) -> None:
        self._folder = Path(folder, FOLDER)
        self._descriptor = -1
        lines = [header_line(results), *(entry_line(*item) for item in sorted(results.claims.items()))]
        self._waiting = "".join(lines).encode("utf-8", "replace")
        try:
            self._create(results)
        except FileNotFoundError:  # another run that ended has just removed the empty folder
            self._create(results)
        remove_stopped(folder, results)

    def add(self, identity: str, entry: Entry) -> None:
        """Add an outcome; raises OSError where it can't be written, and goes on there with the next one."""
        self._waiting += entry_line(identity, entry).encode("utf-8", "replace")
        self._write()

    def remove(self) -> None:
        """Remove the file: a result file has all that is in it."""
        self.path.unlink(missing_ok=True)
        self.close()
        with contextlib.suppress(OSError):  # another run's file is there
            self._folder.rmdir()

    def close(self) -> None:
        """Leave the file to whoever resumes."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _create(self, results: Results) -> None:
        """Make the file; it gets its name once it is locked and has its content."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._descriptor, hidden = tempfile.mkstemp(dir=self._folder, prefix=".")
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
            os.fchmod(self._descriptor, 0o644)
            self._write()
            self.path = self._folder / f"{results.name}{_mark(results)}{Path(hidden).name}{SUFFIX}"
            Path(hidden).rename(self.path)
        except BaseException:
            Path(hidden).unlink(missing_ok=True)
            self.close()
            raise

    def _write(self) -> None:
        written = os.write(self._descriptor, self._waiting)
        self._waiting = self._waiting[written:]
        if self._waiting:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def remove_stopped(folder: Path, results: Results) -> None:
    """Remove what stopped runs of an environment, with the same settings, have left here in a folder of results."""
    for path in Path(folder, FOLDER).glob(f"{results.name}{_mark(results)}*{SUFFIX}"):
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails where the run goes on
                path.unlink()
            finally:
                os.close(descriptor)
    with contextlib.suppress(OSError):  # there was none, or another run's file is there
        Path(folder, FOLDER).rmdir()


def read_unfinished(folder: Path) -> Iterator[Results]:
    """Yield what runs here have left that did not end, the oldest first; what can't be read of it is left out."""
    return (results for path, results in every_unfinished(folder) if is_from_here(path, results))


def is_from_here(path: Path, results: Results) -> bool:
    """Return whether this machine has left a file, with this code and the torch that is installed."""
    return _mark(results) in path.name


def every_unfinished(folder: Path) -> Iterator[tuple[Path, Results]]:
    """Yield each file that a run has left that did not end, whatever machine it ran on, and what it measured."""
    aged: list[tuple[int, Path]] = []
    paths: list[Path] = []
    with contextlib.suppress(FileNotFoundError):  # another run that ends removes its file, and the folder
        paths += Path(folder, FOLDER).glob(f"torch-*{SUFFIX}")
    for path in paths:
        with contextlib.suppress(OSError):
            aged.append((path.stat().st_mtime_ns, path))
    for _, path in sorted(aged):
        with contextlib.suppress(ResultError):
            found = _read(read_bytes(path).decode("utf-8", "replace"))
            if found is not None:
                yield path, found


def _read(text: str) -> Optional[Results]:
    first, *lines = text.split("\n")
    claims = {}
    try:
        header = decode(Header, json.loads(first))
    except (ValueError, RecursionError):
        return None
    for line in lines:
        with contextlib.suppress(ValueError, RecursionError, DecodeError, KeyError, TypeError, AttributeError):
            document = json.loads(line)
            identity = str(document.pop("id"))
            claims[identity] = decode(Entry, document)
    return Results.of(header, claims)


def _mark(results: Results) -> str:
    return f".{Origin.here(results).mark}"
