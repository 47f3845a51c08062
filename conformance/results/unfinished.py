"""What a run that has not ended measured: a valid result file at every moment, so that nothing is lost with the run.

Such files stand in a folder of their own below the results, since they are no results of a whole run. Each outcome
replaces the end of the file by one write, so that the file is valid also where the process is killed or the disk full.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Optional

from conformance.results.schema import is_entry
from conformance.results.store import LARGEST, Results, entry_text, header_text

#: The folder below the results in which what an unfinished run measured is kept.
FOLDER = "unfinished"
_END = b"\n}\n}\n"
_MOST_FILES = 20


class UnfinishedFile:
    """The file to which one process adds what it measures.

    A file that another process has open is left alone, and the next number is tried: two runs don't harm each other.

    Parameters
    ----------
    folder
        The folder of the results.
    results
        The environment and the settings of the run, and what is known already and is to be kept.

    Raises
    ------
    OSError
        Where the file can't be written; what an earlier run left there is as it was.
    """

    def __init__(self, folder: Path, results: Results) -> None:
        self._folder = Path(folder, FOLDER)
        lines = ",\n".join(entry_text(*item) for item in sorted(results.claims.items()))
        text = header_text(results) + '"claims": {' + ("\n" + lines if lines else "")
        content = text.encode("utf-8", "replace") + _END
        try:
            self._descriptor, self.path = self._create(results.name, content)
        except FileNotFoundError:  # another run that ended has just removed the empty folder
            self._descriptor, self.path = self._create(results.name, content)
        self._size = len(content)
        self._empty = not results.claims
        self._waiting: dict[str, Mapping[str, Any]] = {}

    def add(self, identity: str, outcome: Mapping[str, Any]) -> None:
        """Add an outcome; raises OSError where it can't be written, and tries again with the next one."""
        self._waiting[identity] = outcome
        lines = ",\n".join(entry_text(*item) for item in self._waiting.items())
        before = self._size - len(_END)
        text = (("\n" if self._empty else ",\n") + lines).encode("utf-8", "replace") + _END
        try:
            if os.pwrite(self._descriptor, text, before) != len(text):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            with contextlib.suppress(OSError):
                os.pwrite(self._descriptor, _END, before)
                os.ftruncate(self._descriptor, self._size)
            raise
        self._size, self._empty = before + len(text), False
        self._waiting.clear()

    def remove(self) -> None:
        """Remove the file: a result file has all that is in it."""
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()
        self.close()
        with contextlib.suppress(OSError):  # another run's file is there
            self._folder.rmdir()

    def close(self) -> None:
        """Leave the file to whoever resumes."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _create(self, name: str, content: bytes) -> tuple[int, Path]:
        """Put a whole and locked file under the first name that no other process uses."""
        self._folder.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=self._folder, prefix=".")
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.write(descriptor, content) != len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fchmod(descriptor, 0o644)
            for number in range(1, _MOST_FILES):
                path = self._folder / f"{name}{f'.{number}' if number > 1 else ''}.json"
                if _take(Path(temporary), path):
                    return descriptor, path
        except BaseException:
            os.close(descriptor)
            raise
        finally:
            Path(temporary).unlink(missing_ok=True)
        os.close(descriptor)
        raise OSError(errno.EBUSY, f"{_MOST_FILES} runs have files open there", str(self._folder))


def _take(temporary: Path, path: Path) -> bool:
    """Give a file its name, also where a run that has ended has left a file of that name."""
    try:
        os.link(temporary, path)
        return True
    except FileExistsError:
        pass
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return _take(temporary, path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(descriptor), path.stat()):  # replaced in between
            return False
        temporary.replace(path)
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)


def read_unfinished(folder: Path) -> Iterator[Results]:
    """Yield what stopped runs have left, the oldest first; what can't be read of it is left out."""
    aged: list[tuple[int, Path]] = []
    with contextlib.suppress(FileNotFoundError):  # another run that ends removes its file, and the folder
        for path in Path(folder, FOLDER).glob("torch-*.json"):
            with contextlib.suppress(FileNotFoundError):
                if path.is_file():
                    aged.append((path.stat().st_mtime_ns, path))
    for _, path in sorted(aged):
        with contextlib.suppress(FileNotFoundError):
            found = _read(path)
            if found is not None:
                yield found


def _read(path: Path) -> Optional[Results]:
    """Read line by line, so that a file of which the end is lost gives all the rest."""
    if path.stat().st_size > LARGEST:
        return None
    header: dict[str, Any] = {}
    claims: dict[str, dict[str, Any]] = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            pair = json.loads("{" + line.rstrip(",") + "}")
        except (ValueError, RecursionError):
            continue
        for name, value in pair.items():
            if "/" not in name:
                header[name] = value
            elif is_entry(value):
                claims[name] = value
    try:
        return Results(
            {str(name): str(value) for name, value in header["environment"].items()},
            str(header["corpus"]),
            int(header["examples"]),
            int(header["seed"]),
            claims,
            header["void"],
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
