"""Processes and the ones that they started, however deep, as /proc shows them; elsewhere none are seen."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def descendants(process: int) -> list[int]:
    """Return the ids of all processes below one, parents before their children."""
    children: dict[int, list[int]] = {}
    for identity, parent in _parents():
        children.setdefault(parent, []).append(identity)
    found = [process]
    for one in found:
        found += children.get(one, ())
    return found[1:]


def command_line(process: int) -> str:
    """Return the command line of a process, empty where it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def _parents() -> Iterable[tuple[int, int]]:
    with suppress(OSError):
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                with suppress(OSError, ValueError, IndexError):  # it has ended
                    status = Path(entry.path, "stat").read_text(encoding="utf-8", errors="replace")
                    yield int(entry.name), int(status.rpartition(")")[2].split()[1])
