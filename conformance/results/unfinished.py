"""What a run that has not ended measured: a valid result file at every moment, so that nothing is lost with the run.

Such files stand in a folder of their own below the results, since they are no results of a whole run. Each outcome replaces the
end of the file by one write, so that the file is valid also where the process is killed, the machine stops or the disk is full.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Optional

from conformance.results.store import LARGEST, Results, entry_text, header_text, validate_entry

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
    """

    def __init__(self, folder: Path, results: Results) -> None:
        self._stem = Path(folder, FOLDER, results.name)
        self._stem.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = -1
        self.path = self._claim_name()
        self._waiting = dict(sorted(results.claims.items()))
        self._size = 0
        self._empty = True
        self._pending = header_text(results).encode("utf-8") + b'"claims": {'
        self._flush()

    def add(self, identity: str, outcome: Mapping[str, Any]) -> None:
        """Add an outcome; raises OSError where it can't be written, and tries again with the next one."""
        self._waiting[identity] = dict(outcome)
        self._flush()

    def remove(self) -> None:
        """Remove the file: a result file has all that is in it."""
        self.close()
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()

    def close(self) -> None:
        """Leave the file to whoever resumes."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _claim_name(self) -> Path:
        import fcntl

        for number in range(1, _MOST_FILES):
            path = self._stem.with_name(f"{self._stem.name}{f'.{number}' if number > 1 else ''}.json")
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(descriptor), os.stat(path)):  # not removed in between
                    self._descriptor = descriptor
                    return path
            except OSError:
                pass
            os.close(descriptor)
        raise OSError(f"{self._stem.parent}: {_MOST_FILES} runs at once, or files of stopped ones; remove the old ones")

    def _flush(self) -> None:
        """Write all that waits over the end of the file, in one call, or leave the file as it was."""
        text, separator = bytearray(self._pending), b"\n" if self._empty else b",\n"
        for identity, outcome in self._waiting.items():
            text += separator + entry_text(identity, outcome).encode("utf-8", "replace")
            separator = b",\n"
        before = self._size - len(_END) if self._size else 0
        written = bytes(text) + _END
        try:
            if os.pwrite(self._descriptor, written, before) != len(written):
                raise OSError(28, "No space left on device")
        except OSError:
            self._restore(before)
            raise
        if not self._size:
            os.ftruncate(self._descriptor, len(written))
        self._size = before + len(written)
        self._empty = self._empty and not self._waiting
        self._waiting, self._pending = {}, b""

    def _restore(self, before: int) -> None:
        with contextlib.suppress(OSError):
            if self._size:
                os.pwrite(self._descriptor, _END, before)
                os.ftruncate(self._descriptor, self._size)


def read_unfinished(folder: Path) -> Iterator[Results]:
    """Yield what stopped runs have left, the oldest first; what can't be read of it is left out."""
    paths = [path for path in Path(folder, FOLDER).glob("torch-*.json") if path.is_file()]
    for path in sorted(paths, key=lambda path: (path.stat().st_mtime_ns, path.name)):
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
            elif validate_entry(value):
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
