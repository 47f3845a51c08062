"""How much memory a process has taken, and those that it has started; nothing where the system does not tell."""

from __future__ import annotations

import os
from pathlib import Path

from conformance.base.processes.descent import descendants


class Memory:
    """The memory of a process above what it has now.

    Parameters
    ----------
    process
        Its id; 0 for none.
    """

    def __init__(self, process: int) -> None:
        self._process = process
        self._resident = _resident(process)
        self._unshared = _unshared(process)

    def taken(self) -> int:
        """Return how much it has taken itself, in bytes."""
        return _resident(self._process) - self._resident

    def exceeds(self, limit: int) -> bool:
        """Return whether it and all processes that it has started have taken more than a number of bytes."""
        started = descendants(self._process) if self._process else []
        # This counts what copies have in common once for each of them, and takes a thousandth of the time.
        most = self.taken() + sum(map(_resident, started))
        if not started or most <= limit:
            return most > limit
        return sum(map(_unshared, (self._process, *started))) - self._unshared > limit


def _resident(process: int) -> int:
    try:
        statm = Path(f"/proc/{process}/statm").read_text(encoding="ascii")
        return int(statm.split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def _unshared(process: int) -> int:
    """Return the part of a process in memory that is no file's: of a page that two have in common, half."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    fields = (line.split() for line in lines)
    return sum(int(field[1]) for field in fields if field[0] in ("Pss_Anon:", "Pss_Shmem:")) * 1024
