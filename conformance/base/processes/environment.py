"""The environment of a process that reads docstrings or runs claims."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path

# glibc fills each block that it hands out, never with zero, so that no claim holds because fresh memory happens to be
# clean. A block out of the per-thread cache would keep what the allocator wrote into it, hence no such cache.
_TUNABLES = "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165"
#: For a worker that measures times, whose memory is handed out as anywhere.
UNFILLED = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=7:glibc.malloc.perturb=0"}


def unoptimised() -> dict[str, str]:
    """Return this environment without what strips asserts and docstrings, as ``python -OO`` does: both matter."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONOPTIMIZE"}


def of_a_worker(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment for a process that does the work.

    Memory that nobody wrote holds the same bytes in every run, since what ``torch.empty`` returns shows in printed
    values and in details; glibc alone heeds it, and a setting that is there already wins. Threads of OpenMP that wait
    for work sleep: otherwise those of two processes take the processors from each other, and a run takes a quarter
    longer.
    """
    tunables = [environment["GLIBC_TUNABLES"]] if environment.get("GLIBC_TUNABLES") else []
    return {"OMP_WAIT_POLICY": "PASSIVE", **environment, "GLIBC_TUNABLES": ":".join([_TUNABLES, *tunables])}


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor() -> str:
    """Return the name of the processor."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()
